import Foundation
import TenonAdmin
import TenonAppCheck
import TenonAuth
import TenonCore
import TenonEmbedded
import TenonFoundation
import TenonFunctions
import TenonObservabilityInterop
import TenonStorage
import TenonStore
import TenonStoreInterop
import TenonTestSupport
import TenonTesting
import TenonTransportInterop
import Testing

/// What the products record for a provider of `ObservabilityInterop`, compared with the table of the article
/// "Read the log", and that the same program works without a provider.
@Suite(.limited) struct ObservabilityTests {
  /// A secret, and contents and names of what the program writes. Nothing that is recorded contains them.
  private static let secrets = ["correct horse", "secret-content", "secret-name", "ann@example.com"]

  /// Calls a closure with an app that may have a provider.
  private func withApp(
    _ observability: FakeObservability?, _ options: AppOptions, libraries: [any Library.Type]? = nil,
    @ComponentBuilder components: () -> [AnyComponent] = { [] }, _ body: (App) async throws -> Void
  ) async throws {
    let app = try App.configure(name: "observed-\(UUID())", options: options, libraries: libraries) {
      if let observability { Component((any ObservabilityInterop).self) { _ in observability } }
      for component in components() { component }
    }
    do { try await body(app) } catch {
      await app.delete()
      throw error
    }
    await app.delete()
  }

  /// Uses every product on the embedded backend, with calls that succeed and calls that fail.
  private func useBackend(_ observability: FakeObservability?) async throws {
    let options = AppOptions(
      projectID: "demo-observed", storageBucket: "observed", backend: .embedded(directory: nil), data: .memory
    )
    try await withApp(observability, options) { app in
      let embedded = try Embedded.embedded(app: app)
      embedded.onCall("double") { (request: CallableRequest<Int>) in request.data * 2 }
      embedded.onDocumentAccess { $0.path.hasPrefix("notes") }
      embedded.onObjectAccess { _ in true }
      let auth = try Auth.auth(app: app)
      try await auth.createUser(withEmail: "ann@example.com", password: "correct horse")
      _ = try await auth.currentUser?.getIDToken(forcingRefresh: true)
      _ = try await AppCheck.appCheck(app: app).limitedUseToken()

      let functions = try Functions.functions(app: app)
      #expect(try await functions.httpsCallable("double").call(21).data as? Int == 42)
      await #expect(throws: FunctionsError.self) { try await functions.httpsCallable("missing").call(1) }

      let object = try Storage.storage(app: app).reference(withPath: "secret-name.txt")
      try await object.putDataAsync(Data("secret-content".utf8))
      #expect(try await object.data() == Data("secret-content".utf8))
      let missing = try Storage.storage(app: app).reference(withPath: "secret-name-2.txt")
      await #expect(throws: StorageError.self) { try await missing.data() }

      let store = try Store.store(app: app)
      let notes = store.collection("notes")
      // So many that the query below is worth an index.
      let batch = store.batch()
      for number in 0..<200 {
        try batch.setData(["n": number % 3, "text": "t"], forDocument: notes.document("\(number)"))
      }
      try await batch.commit()
      #expect(
        try await notes.whereField("n", isEqualTo: 2).order(by: "text").getDocuments(source: .cache).count
          == 66)
      let listener = notes.addSnapshotListener { _, _ in }
      try await notes.document("secret-name").setData(["text": "secret-content", "n": 1]).confirmed()
      #expect(try await notes.document("secret-name").getDocument(source: .server).exists)
      #expect(try await notes.count.getAggregation(source: .server).count == 201)
      await #expect(throws: StoreError.self) {
        try await store.document("others/secret-name").setData(["n": 1]).confirmed()
      }
      guard let observability else { return listener.remove() }
      // The queue is sampled a second after a write, and indexes are built in the background.
      try await eventually {
        let gauges = Set(observability.gauges.map(\.name)),
          durations = Set(observability.durations.map(\.name))
        return gauges.contains("tenon.store.queue.age")
          && durations.contains("tenon.store.index.build.duration")
      }
      listener.remove()
      try await eventually { observability.gauges.last { $0.name == "tenon.store.listeners" }?.value == 0 }
    }
  }

  /// Uses Storage with a server that fails once, and Store with one that can't be reached for a time, and a
  /// file of a database, whose queue has a lease.
  private func useFailingServers(_ observability: FakeObservability?) async throws {
    let directory = FileManager.default.temporaryDirectory.appending(path: "observed-\(UUID())")
    defer { try? FileManager.default.removeItem(at: directory) }
    let statuses = Lock([503, 404])
    let remote = FakeStoreRemote()
    remote.fail(with: StoreRemoteError(.unavailable, "no network"))
    let options = AppOptions(
      projectID: "demo-observed", storageBucket: "observed", backend: .production,
      data: .directory(directory.path))
    try await withApp(
      observability, options, libraries: [StorageLibrary.self, StoreLibrary.self],
      components: {
        Component((any TransportInterop).self) { _ in
          FakeTransport { _ in TransportResponse(status: statuses.withLock { $0.removeFirst() }) }
        }
        Component((any StoreRemote).self) { _ in remote }
      }
    ) { app in
      let object = try Storage.storage(app: app).reference(withPath: "secret-name.txt")
      await #expect(throws: StorageError.self) { try await object.getMetadata() }
      let store = try Store.store(app: app)
      await #expect(throws: StoreError.self) { try await store.document("notes/secret-name").getDocument() }
      let write = try await store.document("notes/secret-name").setData(["text": "secret-content"])
      if let observability {
        try await eventually { observability.counts["tenon.store.sync.outages"] == 1 }
      }
      remote.fail(with: nil)
      try await store.disableNetwork()
      try await store.enableNetwork()
      try await write.confirmed()
    }
  }

  @Test func theProgramWorksWithoutAProvider() async throws {
    try await useBackend(nil)
    try await useFailingServers(nil)
  }

  @Test func whatIsRecordedIsWhatTheArticleLists() async throws {
    let observability = FakeObservability()
    try await useBackend(observability)
    try await useFailingServers(observability)

    var recorded: [String: Set<String>] = [:]
    func add(_ kind: String, _ name: String, _ attributes: [String: ObservabilityValue]) {
      recorded["\(kind) \(name)", default: []].formUnion(attributes.keys)
    }
    for increment in observability.increments { add("counter", increment.name, increment.attributes) }
    for gauge in observability.gauges { add("gauge", gauge.name, gauge.attributes) }
    for duration in observability.durations { add("duration", duration.name, duration.attributes) }
    let listed = try Self.listed()
    #expect(recorded.keys.sorted() == listed.keys.sorted())
    for (name, attributes) in recorded {
      // Not every operation of the program fails.
      #expect(
        attributes.union(["error.type"]).sorted() == listed[name]?.union(["error.type"]).sorted(), "\(name)")
      #expect(!attributes.contains("error.type") || listed[name]?.contains("error.type") == true, "\(name)")
    }

    #expect(observability.spans.allSatisfy { $0.isEnded })
    #expect(
      Set(observability.entries.map(\.source)).isSubset(of: [
        "tenon-auth", "tenon-app-check", "tenon-embedded", "tenon-functions", "tenon-http", "tenon-storage",
        "tenon-store",
      ]))
    // Messages of the log may name documents.
    let all =
      "\(observability.increments)\(observability.gauges)\(observability.durations)\(observability.spans)"
    for secret in Self.secrets { #expect(!all.contains(secret), "\(secret)") }
  }

  @Test func theRequestsOfACallBelongToItsSpan() async throws {
    let observability = FakeObservability()
    try await useBackend(observability)
    let spans = observability.spans
    let call = try #require(spans.firstIndex { $0.name == "double" })
    let request = try #require(spans.firstIndex { $0.parent == call })
    #expect(spans[request].name == "POST" && spans[request].kind == .client)
    #expect(spans.contains { $0.parent == request && $0.attributes["tenon.embedded.service"] == "functions" })
    #expect(spans.first { $0.name == "missing" }?.errorType == "not-found")
  }

  /// Returns the attributes in the table of the article, by the kind and the name of a measurement.
  private static func listed() throws -> [String: Set<String>] {
    let file = packageRoot.appending(path: "Documentation/Tenon.docc/ReadTheLog.md")
    let text = try String(contentsOf: file, encoding: .utf8)
    var rows: [String: Set<String>] = [:]
    for line in text.split(separator: "\n") where line.hasPrefix("| `") {
      let cells = line.split(separator: "|").map { $0.trimmingCharacters(in: .whitespaces) }
      guard cells.count == 5 else { continue }
      let names = cells[3].matches(of: /`([^`]+)`/).map { String($0.1) }
      rows["\(cells[1]) \(cells[0].trimmingCharacters(in: ["`"]))"] = Set(names)
    }
    return rows
  }
}
