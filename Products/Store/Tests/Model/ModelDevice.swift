import TenonStoreInterop
import TenonTesting
import Testing

@testable import TenonStore

/// A device and a server that run the steps of a program: a `Store` on a file, and a ``FakeStoreRemote``.
final class ModelDevice {
  private let connection = WithholdingRemote()
  private var remote: FakeStoreRemote { connection.fake }
  private let auth = FakeAuth()
  private let directory: TestDirectory
  private var store: Store
  private var snapshots: Snapshots<QuerySnapshot>
  private var isOnline = true
  /// What the listener received last, while online.
  private var received: [String: Fields] = [:]
  private var ticks: Int64 = 0
  /// A document that another device changes, so that the listener shows when it has received everything
  /// before that.
  private static let marker = "marker"

  init() async throws {
    directory = try TestDirectory()
    store = Self.open(directory, connection, auth)
    snapshots = Snapshots(store.collection("m").snapshots)
    try remote.apply(OfflineModel.firstChanges.map(\.write))
    try await settle()
  }

  private static func open(_ directory: TestDirectory, _ remote: WithholdingRemote, _ auth: FakeAuth) -> Store
  {
    // Rejections are part of the programs, and not logged.
    makeStore(directory, remote: remote, auth: auth, buildsIndexes: false, logger: LogRecorder().logger)
  }

  /// Closes the database.
  func close() async { await store.terminate() }

  // MARK: - Steps

  /// Runs a step, and waits until everything that it causes has happened.
  ///
  /// - Parameters:
  ///   - step: the step.
  ///   - effect: what the model predicts, of which only the server's answer is used.
  /// - Returns: what the step did.
  func run(_ step: ModelStep, _ effect: OfflineModel.Effect) async throws -> OfflineModel.Effect {
    if let (answer, position) = effect.answer { decide(answer, position) }
    var result = OfflineModel.Effect()
    switch step {
    case .write(let changes):
      result.error = try await Self.code {
        let batch = store.batch()
        for change in changes { try batch.add(change.write, to: reference(change.document)) }
        try await batch.commit()
      }
    case .transaction(let reads, let changes):
      result.error = try await Self.code {
        try await store.runTransaction(maximumAttempts: 1) { transaction in
          result.reads = []
          for document in reads {
            result.reads.append(try await transaction.getDocument(reference(document)).fields)
          }
          for change in changes { try transaction.add(change.write, to: reference(change.document)) }
        }
      }
    case .cancel(let position):
      let queue = try await store.queuedWrites
      if position < queue.count, try await !store.cancelQueuedWrite(queue[position].id) {
        result.error = .failedPrecondition
      }
    case .others(let changes): _ = try? remote.apply(changes.map(\.write))
    case .refuse, .loseAnswer: break
    case .offline: try await setOnline(false)
    case .interrupt:
      guard effect.sent > 0 else { break }
      let count = remote.batches.count + effect.sent
      connection.withhold(true)
      try await store.enableNetwork()
      try await eventually { remote.batches.count >= count }
      try await store.disableNetwork()
      connection.withhold(false)
    case .online: try await setOnline(true)
    case .restart:
      await store.terminate()
      store = Self.open(directory, connection, auth)
      if !isOnline { try await store.disableNetwork() }
      snapshots = Snapshots(store.collection("m").snapshots)
    case .signIn(let user): if user == 0 { auth.signOut() } else { auth.signIn(userID: "user\(user)") }
    case .dismiss:
      for rejected in try await store.rejectedWrites { try await store.dismissRejectedWrite(rejected.id) }
    }
    if isOnline { try await settle() }
    return result
  }

  private func reference(_ document: Int) -> DocumentReference {
    store.document("m/\(ModelChange.id(document))")
  }

  private func setOnline(_ isOnline: Bool) async throws {
    self.isOnline = isOnline
    if isOnline { try await store.enableNetwork() } else { try await store.disableNetwork() }
  }

  /// Returns the code of the error that `body` throws; `nil` if it throws none.
  private static func code(_ body: () async throws -> Void) async throws -> StoreError.Code? {
    do { try await body() } catch let error as StoreError { return error.code }
    return nil
  }

  /// Determines the server's answer to the batch at a position of the queue.
  private func decide(_ answer: OfflineModel.Answer, _ position: Int) {
    for _ in 0..<position { remote.decideNextBatches(.applied) }
    switch answer {
    case .refused: remote.decideNextBatches(.refused(StoreRemoteError(.permissionDenied, "No.")))
    case .lost: remote.decideNextBatches(.unanswered(StoreRemoteError(.unavailable, "The connection broke.")))
    }
  }

  /// Waits until the server has answered every write, and the device knows the server's state.
  private func settle() async throws {
    try await store.waitForPendingWrites()
    ticks += 1
    let tick = Value.integer(ticks)
    try remote.apply([DocumentWrite(ResourcePath(segments: ["m", Self.marker]), .set(["tick": tick]))])
    let snapshot = try await snapshots.next { snapshot in
      !snapshot.metadata.isFromCache
        && snapshot.documents.contains { $0.documentID == Self.marker && $0.fields["tick"] == tick }
    }
    received = Self.contents(snapshot?.documents ?? [])
  }

  // MARK: - The state

  /// Reads the present state.
  func state() async throws -> ModelState {
    var state = ModelState()
    let documents = try await store.collection("m").getDocuments(source: .cache).documents
    state.documents = Self.contents(documents)
    if isOnline { state.received = received }
    state.pending = Set(documents.filter(\.metadata.hasPendingWrites).map(\.documentID))
    state.queue = try await store.queuedWrites.map(\.writes)
    state.rejections = try await store.rejectedWrites.map { ($0.error.code, $0.writes) }
    for document in try await remote.fetch(ModelChange.documents.map(ModelChange.path), in: RemoteContext()) {
      state.server[document.path.id] = document.fields
    }
    return state
  }

  private static func contents(_ documents: [QueryDocumentSnapshot]) -> [String: Fields] {
    var contents: [String: Fields] = [:]
    for document in documents where document.documentID != marker {
      contents[document.documentID] = document.fields
    }
    return contents
  }
}
