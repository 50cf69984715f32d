import Foundation
import TenonCore
import TenonDocuments
import TenonEmbedded
import TenonStoreInterop
import TenonTestSupport
import TenonTesting
import TenonTransport
import TenonTransportInterop
import Testing

@testable import TenonStore
@testable import TenonStoreEngine
@testable import TenonStoreSync

/// The local engine of Store, Google's emulator through StoreSync, and the embedded backend through StoreSync
/// answer the same queries alike: with the same documents, values and aggregations in the same order, or with
/// the same error.
@Suite(.limited) struct QueryEquivalenceTests {
  /// The number of seeds can be raised by `TENON_EQUIVALENCE_SEEDS`.
  private static let seeds = TestSeeds.seeds("TENON_EQUIVALENCE_SEEDS", count: DeepTests.count(1, deep: 2))
  private static let queriesPerSeed = 100

  // MARK: - The sources of answers

  /// Returns StoreSync for a server, for the same project in all cases.
  private static func synced(_ transport: any TransportInterop, _ address: String, project: String)
    -> FirestoreRemote
  {
    FirestoreRemote(
      FirestoreClient(
        http: HTTPClient(transport: transport), auth: nil, appCheck: nil,
        options: AppOptions(
          projectID: project, backend: .emulator(EmulatorHosts(firestore: address)), data: .memory)))
  }

  /// Returns a Store without a remote. Its indexes depend on the seed, and don't change
  /// results.
  private static func local(_ random: RandomFirestore, seed: UInt64) throws -> (App, Store) {
    let app = try App.configure(
      name: "equivalence-\(UUID())", options: AppOptions(projectID: ServedBackend.project, data: .memory),
      libraries: [StoreLibrary.self])
    let fields: [FieldPath] = ["f", "g", "h", "m.a"]
    let indexes = fields.flatMap { first in
      fields.filter { $0 != first }.map {
        CompositeIndex(random.collection.id, .ascending(first), .descending($0))
      }
    }
    let overrides = [
      FieldOverride(random.collection.id, "f"), FieldOverride(random.collection.id, "g", .elements),
      FieldOverride(random.collection.id, "h", .exempt),
    ]
    let settings = StoreSettings(
      indexes: seed.isMultiple(of: 2) ? indexes : [],
      // Checked: a remainder.
      fieldIndexing: FieldIndexing.allCases[Int(seed % 3)], fieldOverrides: seed % 4 < 2 ? overrides : [],
      isLocalOnly: true)
    return (app, try Store.store(app: app, settings: settings))
  }

  /// A document of an answer.
  struct Found: Equatable {
    let path: String
    let fields: Fields

    /// The document without what the JSON of Google's emulator loses.
    var comparable: Found { Found(path: path, fields: fields.comparable) }
  }

  /// The documents, and the aggregations over them.
  struct Answer: Equatable {
    var documents: Outcome<[Found]>
    var aggregations: [Outcome<[Value]>]
  }

  private static let aggregations: [[QueryAggregation]] = [[.count], [.count, .sum("f"), .average("m.a")]]

  /// Returns the answer of the local engine.
  private static func answer(_ store: Store, _ query: RandomFirestore.PlacedQuery) async -> Answer {
    let documents = await documents(store, query)
    let local = store.query(query)
    var answer = Answer(documents: documents, aggregations: [])
    for aggregations in Self.aggregations {
      answer.aggregations.append(
        await Outcome {
          let run = try local.runnable().run
          return try await store.engine.read { try $0.aggregate(aggregations, over: run) }.map(\.rounded)
        })
    }
    return answer
  }

  /// Returns the documents of a query of a Store.
  private static func documents(
    _ store: Store, _ query: RandomFirestore.PlacedQuery, source: FirestoreSource = .default
  ) async -> Outcome<[Found]> {
    await Outcome {
      try await store.query(query).getDocuments(source: source).documents
        .map { Found(path: $0.reference.path, fields: $0.fields) }
    }
  }

  /// Returns the answer of a remote.
  private static func answer(
    _ remote: any StoreRemote, _ query: RandomFirestore.PlacedQuery
  ) async -> Answer {
    let context = RemoteContext()
    // The client reverses a limit to the last documents; other queries arrive as they are, also invalid ones.
    let structure =
      query.isLimitedToLast
      ? (try? RunnableQuery(query.structure, isLimitedToLast: true).run.query) ?? query.structure
      : query.structure
    let documents = await Outcome {
      let found = try await remote.run(structure, in: context)
        .map { Found(path: $0.path.text, fields: $0.fields ?? [:]) }
      return query.isLimitedToLast ? found.reversed() : found
    }
    var answer = Answer(documents: documents, aggregations: [])
    for aggregations in Self.aggregations {
      answer.aggregations.append(
        await Outcome {
          try await remote.aggregate(structure, aggregations, in: context).map(\.rounded)
        })
    }
    return answer
  }

  // MARK: - Tests

  /// What a comparison has seen, so that a run in which nothing is compared fails.
  private struct Figures {
    var queries = 0
    var documents = 0
    var refused = 0
    var empty = 0
  }

  /// Calls a closure with each query of a seed and the answer of the local engine, after the documents were
  /// written everywhere.
  private static func forEachQuery(
    seed: UInt64, remotes: [any StoreRemote],
    _ body: (RandomFirestore.PlacedQuery, Answer) async -> Void
  ) async throws {
    var random = RandomFirestore(seed: seed &+ 5000)
    let (app, store) = try local(random, seed: seed)
    let writes = (0..<RandomFirestore.places).map { DocumentWrite(random.place($0), .set(random.fields())) }
    _ = try await store.engine.commit(writes)
    for remote in remotes { _ = try await remote.commit(RemoteBatch(writes: writes), in: RemoteContext()) }
    try await store.buildIndexes()
    var figures = Figures()
    for _ in 0..<queriesPerSeed {
      let query = random.placedQuery()
      let answer = await answer(store, query)
      figures.queries += 1
      switch answer.documents {
      case .result(let documents):
        figures.documents += documents.count
        figures.empty += documents.isEmpty ? 1 : 0
      case .failure: figures.refused += 1
      }
      await body(query, answer)
    }
    #expect(figures.refused > 5 && figures.documents > figures.queries, "\(figures)")
    #expect(figures.empty + figures.refused < figures.queries * 9 / 10, "\(figures)")
    if ProcessInfo.processInfo.environment["TENON_EQUIVALENCE_SEEDS"] != nil {
      print("seed \(seed): \(writes.count) documents, \(figures)")
    }
    await app.delete()
  }

  /// Calls a closure with StoreSync on the embedded backend within the process.
  private static func withEmbedded(_ body: (FirestoreRemote) async throws -> Void) async throws {
    let app = try App.configure(
      name: "embedded-\(UUID())",
      options: AppOptions(projectID: ServedBackend.project, backend: .embedded(directory: nil), data: .memory)
    )
    do {
      try await body(
        synced(try Embedded.embedded(app: app), "127.0.0.1:8080", project: ServedBackend.project))
    } catch {
      await app.delete()
      throw error
    }
    await app.delete()
  }

  @Test(arguments: seeds) func theEmbeddedBackendAnswersAsTheLocalEngine(seed: UInt64) async throws {
    try await Self.withEmbedded { remote in
      try await Self.forEachQuery(seed: seed, remotes: [remote]) { query, here in
        let there = await Self.answer(remote, query)
        #expect(here == there, "seed \(seed): \(query)")
      }
    }
  }

  /// Over loopback, by StoreSync alone and by a Store that listens to each query through StoreSync.
  @Test(.deep, arguments: seeds.prefix(2)) func tenonServerAnswersAsTheLocalEngine(seed: UInt64)
    async throws
  {
    try await withServedBackend { server in
      let remote = Self.synced(SystemTransport.shared, server.address, project: ServedBackend.project)
      let app = try App.configure(
        name: "device-\(UUID())",
        options: AppOptions(
          projectID: ServedBackend.project, backend: .emulator(EmulatorHosts(firestore: server.address)),
          data: .memory),
        libraries: [StoreLibrary.self, StoreSyncLibrary.self])
      let device = try Store.store(app: app)
      try await Self.forEachQuery(seed: seed, remotes: [remote]) { query, here in
        let there = await Self.answer(remote, query)
        #expect(here == there, "seed \(seed): \(query)")
        let onDevice = await Self.documents(device, query, source: .server)
        #expect(here.documents == onDevice, "seed \(seed), on a device: \(query)")
      }
      await app.delete()
    }
  }

  /// The emulator refuses every collection group below a document ("collection group queries are only allowed
  /// at the root parent"), which the protocol and production allow. See also
  /// ``Outcome/isKnownToDiffer(from:)``.
  @Test(.deep, .firestoreEmulator, arguments: seeds)
  func googlesEmulatorAnswersAsTheLocalEngine(seed: UInt64) async throws {
    let emulator = try await FirestoreEmulator.shared()
    let port = try #require(emulator.origin.port)
    let remote = Self.synced(
      SystemTransport.shared, "127.0.0.1:\(port)", project: "equal-\(UUID().uuidString.lowercased())")
    try await Self.forEachQuery(seed: seed, remotes: [remote]) { query, here in
      guard !query.isGroupBelowDocument else { return }
      let there = await Self.answer(remote, query)
      Self.compare(here.documents, there.documents, "seed \(seed): \(query)") { $0.map(\.comparable) }
      for (index, aggregations) in Self.aggregations.enumerated() {
        Self.compare(
          here.aggregations[index], there.aggregations[index], "seed \(seed): \(aggregations) over \(query)"
        ) { $0.map(\.comparable) }
      }
    }
  }

  /// Compares an answer with that of Google's emulator, apart from the differences that are the emulator's.
  private static func compare<Result: Equatable>(
    _ here: Outcome<Result>, _ there: Outcome<Result>, _ what: String, comparable: (Result) -> Result
  ) {
    guard !here.isKnownToDiffer(from: there) else { return }
    switch (here, there) {
    case (.result(let here), .result(let there)): #expect(comparable(here) == comparable(there), "\(what)")
    default: #expect(here == there, "\(what)")
    }
  }
}

extension Store {
  fileprivate func query(_ query: RandomFirestore.PlacedQuery) -> Query {
    Query(store: self, structure: query.structure, isLimitedToLast: query.isLimitedToLast)
  }
}
