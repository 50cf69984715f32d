#if os(Linux)
  import ArgumentParser
  import Foundation
  import TenonAuthInterop
  import TenonCore
  import TenonStore
  // Linking it is enough for Store to be synchronized; the import documents that it is linked.
  import TenonStoreSync

  /// Runs Store with StoreSync in a separate process, and prints a ``SyncReport``. It is started by
  /// ``SyncBench``.
  struct SyncClientCommand: AsyncParsableCommand {
    static let name = "sync-client"
    static let configuration = CommandConfiguration(commandName: name, shouldDisplay: false)

    @Argument var scenario: SyncScenario
    /// The server as `host:port`.
    @Argument var address: String
    /// The collection.
    @Argument var collection: String
    /// The number of operations, or of documents to listen to.
    @Argument var count: Int
    /// The folder for the databases of the devices.
    @Argument var folder: String

    /// The number of documents in a batch.
    static let batch = 500

    /// The time in seconds after which the process is ended, so that a measurement can fail but not hang.
    static let limit: UInt32 = 900

    func run() async throws {
      alarm(Self.limit)
      let device = try device("one")
      let report: SyncReport
      switch scenario {
      case .listener: report = try await changes(device, try self.device("two"))
      case .single: report = try await singles(device)
      case .batch: report = try await batches(device)
      case .queued: report = try await queued(device)
      case .listen: report = try await listening(device)
      case .seed:
        try await write(0..<count, to: device.collection(collection))
        report = SyncReport()
      }
      print(String(decoding: try JSONEncoder().encode(report), as: UTF8.self))
    }

    /// Returns the Store of a device, which is connected: it has written a document, and listened to it.
    private func device(_ name: String) throws -> Store {
      let app = try App.configure(
        name: name,
        options: AppOptions(
          projectID: "demo-bench", backend: .emulator(EmulatorHosts(firestore: address)),
          data: .directory("\(folder)/\(name)")),
        sources: [Owner()])
      return try Store.store(app: app)
    }

    // MARK: - Scenarios

    private func changes(_ writer: Store, _ reader: Store) async throws -> SyncReport {
      try await connect(writer)
      var snapshots = reader.collection(collection).snapshots.makeAsyncIterator()
      let document = writer.collection(collection).document("changed")
      /// Changes the document, and returns the time until the listener has the change.
      func change(_ number: Int) async throws -> Double {
        let start = ContinuousClock.now
        try await document.setData(Note(number).fields)
        while let snapshot = try await snapshots.next(isolation: #isolation) {
          let rank = snapshot.documents.first?.fields["rank"]?.int64Value
          if rank == Int64(number) { return (ContinuousClock.now - start) / .nanoseconds(1) }
        }
        throw Unexpected(description: "The listener has ended.")
      }
      for number in 0..<Self.warmUps { _ = try await change(number) }
      let before = ResidentMemory.reset()
      var times: [Double] = []
      for number in Self.warmUps..<Self.warmUps + count { times.append(try await change(number)) }
      return Self.report(median(times), since: before)
    }

    private func singles(_ store: Store) async throws -> SyncReport {
      let documents = store.collection(collection)
      for number in 0..<Self.warmUps {
        try await documents.document("w\(number)").setData(Note(number).fields).confirmed()
      }
      return try await measured(count) {
        for number in 0..<count {
          try await documents.document(Note.id(number)).setData(Note(number).fields).confirmed()
        }
      }
    }

    private func batches(_ store: Store) async throws -> SyncReport {
      try await connect(store)
      return try await measured(count) { try await write(0..<count, to: store.collection(collection)) }
    }

    private func queued(_ store: Store) async throws -> SyncReport {
      try await connect(store)
      try await store.disableNetwork()
      let documents = store.collection(collection)
      for number in 0..<count { try await documents.document(Note.id(number)).setData(Note(number).fields) }
      return try await measured(count) {
        try await store.enableNetwork()
        try await store.waitForPendingWrites()
      }
    }

    private func listening(_ store: Store) async throws -> SyncReport {
      try await connect(store)
      return try await measured(1) {
        var sum: Int64 = 0
        let snapshots = store.collection(collection).snapshots(includeMetadataChanges: true)
        for try await snapshot in snapshots where !snapshot.metadata.isFromCache {
          for document in snapshot.documents { sum += document.fields["rank"]?.int64Value ?? 0 }
          break
        }
        guard sum == Int64(count) * Int64(count - 1) / 2 else {
          throw Unexpected(description: "The documents of \(collection) aren't those that were written.")
        }
      }
    }

    // MARK: - Parts

    /// The number of operations before the measurement.
    private static let warmUps = 20

    /// Writes a document and listens to it, so that everything is loaded and connected.
    private func connect(_ store: Store) async throws {
      let documents = store.collection("\(collection)-first")
      try await documents.document(UUID().uuidString).setData(Note(0).fields).confirmed()
      let snapshots = documents.snapshots(includeMetadataChanges: true)
      for try await snapshot in snapshots where !snapshot.metadata.isFromCache { break }
    }

    /// Writes notes in batches.
    private func write(_ numbers: Range<Int>, to documents: CollectionReference) async throws {
      for start in stride(from: numbers.lowerBound, to: numbers.upperBound, by: Self.batch) {
        let batch = documents.store.batch()
        for number in start..<min(start + Self.batch, numbers.upperBound) {
          try batch.setData(Note(number).fields, forDocument: documents.document(Note.id(number)))
        }
        try await batch.commit().confirmed()
      }
    }

    private func measured(_ count: Int, _ operations: () async throws -> Void) async throws -> SyncReport {
      let before = ResidentMemory.reset()
      let start = ContinuousClock.now
      try await operations()
      let time = (ContinuousClock.now - start) / .nanoseconds(1)
      return Self.report(time / Double(count), since: before)
    }

    /// Returns a report with the memory so far.
    ///
    /// - Parameters:
    ///   - time: the time of one operation, in nanoseconds.
    ///   - before: the resident memory before the operations.
    private static func report(_ time: Double, since before: Int) -> SyncReport {
      let peak = ResidentMemory.peak
      return SyncReport(time: time, added: Double(max(0, peak - before)), memory: Double(peak))
    }
  }

  /// Auth with the token of the emulators' administrator. Python's client sends the same, for which no rules
  /// are evaluated.
  private struct Owner: AuthInterop, ComponentSource {
    var components: [AnyComponent] { Component((any AuthInterop).self) { _ in self } }
    var currentUserID: String? { "owner" }
    func token(forcingRefresh: Bool) -> String? { "owner" }
    var stateChanges: AsyncStream<AuthState> {
      AsyncStream {
        $0.yield(AuthState(userID: "owner", token: "owner"))
        $0.finish()
      }
    }
  }
#endif
