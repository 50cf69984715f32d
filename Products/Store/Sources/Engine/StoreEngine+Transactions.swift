import Foundation
import TenonCore
import TenonDocuments
import TenonStoreInterop

/// What a transaction came to.
enum TransactionOutcome: Sendable {
  /// It is durable here, and confirmed where the remote could be reached.
  case done
  /// Others have changed what it read; nothing was changed.
  case collided((any Error)?)
  /// The remote refused it for another reason; nothing was changed.
  case refused(any Error)
}

/// Brings documents that are read from the remote, and keeps them until the reading is over.
final class RemoteReading: Sendable {
  private struct State {
    var isReachable = true
    var kept: [ResourcePath] = []
  }

  private let engine: StoreEngine
  private let remote: any StoreRemote
  private let state = Lock(State())

  init(engine: StoreEngine, remote: any StoreRemote) {
    self.engine = engine
    self.remote = remote
  }

  /// Whether the remote has answered everything so far.
  var isReachable: Bool { state.withLock { $0.isReachable } }

  func fetch(_ paths: [ResourcePath]) async throws {
    guard let documents = try await ask({ try await $0.fetch(paths, database: $1) }) else { return }
    try await keep(documents)
  }

  func fetch(_ query: ResolvedQuery) async throws {
    var structure = query.query
    structure.orders = query.orders
    let asked = structure
    guard let documents = try await ask({ try await $0.run(asked, database: $1) }) else { return }
    try await keep(documents)
    // What only this device holds for a part of the result may be gone there.
    let found = Set(documents.map(\.path))
    let others = try await engine.read { try $0.documents(of: query).map(\.path) }.filter {
      !found.contains($0)
    }
    if !others.isEmpty { try await fetch(others) }
  }

  /// - Returns: `nil` when the remote can't be reached, or doesn't answer in time; what is here counts then.
  private func ask<Answer: Sendable>(
    _ question: @escaping @Sendable (any StoreRemote, String) async throws -> Answer
  ) async throws -> Answer? {
    guard isReachable else { return nil }
    let (remote, database) = (remote, engine.configuration.database)
    do {
      let answer = try await withThrowingTaskGroup(of: Answer?.self) { group in
        group.addTask { try await question(remote, database) }
        group.addTask {
          try await Task.sleep(for: OnlineStateTracker.timeout)
          return nil
        }
        defer { group.cancelAll() }
        return try await group.next() ?? nil
      }
      if answer == nil { state.withLock { $0.isReachable = false } }
      return answer
    } catch let error as StoreRemoteError {
      guard [.unavailable, .deadlineExceeded].contains(error.code) else { throw StoreError.wrapping(error) }
      state.withLock { $0.isReachable = false }
      return nil
    }
  }

  private func keep(_ documents: [RemoteDocument]) async throws {
    state.withLock { $0.kept += documents.map(\.path) }
    try await engine.takeIn(documents)
  }

  func end() async {
    let kept = state.withLock { state in
      defer { state.kept = [] }
      return state.kept
    }
    await engine.release(kept)
  }
}

extension StoreEngine {
  /// What is read through; `nil` when there is no remote, or it can't be reached.
  func beginReading() async -> RemoteReading? {
    guard let remote = configuration.remote else { return nil }
    let isReachable = try? await useAsUser { running in
      running.sync.remote.map { !$0.isDisabled } ?? false && running.sync.onlineState != .offline
    }
    return isReachable ?? false ? RemoteReading(engine: self, remote: remote) : nil
  }

  /// Takes in what was read at the remote.
  func takeIn(_ documents: [RemoteDocument]) throws {
    try use { running in
      var event = RemoteEvent(version: .zero)
      for document in documents where try !running.local.isKnown(document) {
        event.documents[document.path] =
          document.fields.map {
            BaseDocument(
              content: .found($0), createTime: document.createTime ?? .zero, version: document.updateTime,
              isCommitted: false)
          } ?? .missing(at: document.updateTime)
      }
      let kept = LocalViewChange(target: 0, isFromCache: true, added: documents.map(\.path))
      try running.local.note([kept])
      if !event.documents.isEmpty { try running.sync.applyRemoteEvent(event) }
    }
  }

  /// Documents that were read may be collected.
  func release(_ paths: [ResourcePath]) {
    guard !paths.isEmpty, case .open(let running) = state else { return }
    do { try running.local.note([LocalViewChange(target: 0, isFromCache: true, removed: paths)]) } catch {
      configuration.logger.warning("It can't be noted what was read: \(error)")
    }
  }

  /// Makes the writes of a transaction together, if what was read is still so.
  ///
  /// - Parameters:
  ///   - writes: the writes.
  ///   - reads: what was read.
  ///   - waits: whether to wait until the remote has confirmed them, as long as it can be reached.
  func commit(
    _ writes: [DocumentWrite], ifUnchanged reads: [TransactionRead], confirmed waits: Bool
  ) async throws -> TransactionOutcome {
    await learnUser()
    try Task.checkCancellation()
    let running = try running()
    guard running.local.isShared, !writes.isEmpty else {
      return try use { running in
        let isDone = try running.sync.commit(writes) {
          try reads.allSatisfy { try $0.isCurrent(in: running.local) }
        }
        return isDone ? .done : .collided(nil)
      }
    }
    let id = UUID()
    var batch: MutationBatch?
    let outcome: TransactionOutcome = await withCheckedContinuation { continuation in
      transactionWaiters[id] = continuation
      do {
        batch = try running.sync.write(making: {
          try TransactionRead.guarded(writes, by: reads, in: running.local)
        }) { [weak self] result in
          self?.assumeIsolated { $0.settleTransaction(id, result) }
        }
        if batch == nil { settle(id, .collided(nil)) } else if !waits { settle(id, .done) }
      } catch {
        settle(id, .refused(StoreError.wrapping(error)))
      }
    }
    // The app learns of it now: nothing has to be kept.
    if let batch {
      switch outcome {
      case .done: break
      case .collided, .refused: try use { try $0.local.dismiss(rejection: batch.uuid) }
      }
    }
    return outcome
  }

  private func settleTransaction(_ id: UUID, _ result: Result<RemoteCommit?, any Error>) {
    switch result {
    case .success: settle(id, .done)
    case .failure(let error as StoreRemoteError)
    where [.failedPrecondition, .aborted, .notFound, .alreadyExists].contains(error.code):
      settle(id, .collided(StoreError.wrapping(error)))
    case .failure(let error): settle(id, .refused(StoreError.wrapping(error)))
    }
  }

  private func settle(_ id: UUID, _ outcome: TransactionOutcome) {
    transactionWaiters.removeValue(forKey: id)?.resume(returning: outcome)
  }

  /// The remote can't be reached: what waits for it is durable, and goes on without being waited for.
  func letTransactionsGo() { for id in Array(transactionWaiters.keys) { settle(id, .done) } }
}

extension TransactionRead {
  /// The writes, with the conditions under which the remote may apply them: what was read must still be so there.
  ///
  /// - Returns: `nil` when it isn't so here any more.
  static func guarded(
    _ writes: [DocumentWrite], by reads: [TransactionRead], in local: LocalStore
  ) throws -> [DocumentWrite]? {
    guard try reads.allSatisfy({ try $0.isCurrent(in: local) }) else { return nil }
    var conditions: [ResourcePath: WritePrecondition] = [:]
    for path in Set(reads.flatMap(\.paths)) {
      // What still waits to be sent changes the document before this does, and nobody knows when.
      guard try local.batches(for: path).isEmpty else { continue }
      let base = try local.base(of: path)
      if case .found = base?.content, let base {
        conditions[path] = .updated(base.version)
      } else {
        conditions[path] = .exists(false)
      }
    }
    var guarded = writes
    for index in guarded.indices {
      let path = guarded[index].document
      guard let condition = conditions.removeValue(forKey: path) else { continue }
      switch (guarded[index].precondition, condition) {
      case (.updated, _): continue
      case (.exists(true), .exists(false)), (.exists(false), .updated):
        // What was read says that this can't be applied.
        try guarded[index].checkPrecondition(exists: condition != .exists(false), updated: nil)
      default: guarded[index].precondition = condition
      }
    }
    // What was only read must be so as well: writes that change nothing say that.
    let others = conditions.sorted { $0.key.compare($1.key) < 0 }.map { path, condition in
      switch condition {
      case .updated: DocumentWrite(path, .update(Fields(), mask: []), precondition: condition)
      case .exists: DocumentWrite(path, .delete, precondition: condition)
      }
    }
    return others + guarded
  }

  private var paths: [ResourcePath] {
    switch self {
    case .document(let path, _): [path]
    case .query(_, let documents): documents.map(\.path)
    }
  }
}
