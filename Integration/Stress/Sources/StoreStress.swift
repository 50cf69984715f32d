import Foundation
import TenonCore
import TenonEmbedded
import TenonStore

/// Several databases of one app on the embedded backend: in each, tasks write, listen, query and run
/// transactions while the network is switched on and off. Afterwards, another device must find all documents.
struct StoreStress {
  private static let databases = [Store.defaultDatabase, "second", "third"]

  private let findings: Findings
  private let seed: UInt64
  private let directory: URL

  init(_ findings: Findings, _ seed: UInt64, _ directory: URL) {
    self.findings = findings
    self.seed = seed
    self.directory = directory
  }

  func run(until deadline: ContinuousClock.Instant) async throws -> String {
    let writes = Counter()
    let (app, other) = (try configure("store"), try configure("other"))
    try await withThrowingTaskGroup(of: Void.self) { group in
      for (index, name) in Self.databases.enumerated() {
        group.addTask {
          let database = StressedDatabase(
            store: try Store.store(app: app, database: name),
            other: try Store.store(app: other, database: name),
            findings: findings, writes: writes)
          try await database.run(seed &+ UInt64(index) &* 1000, until: deadline)
        }
      }
      try await group.waitForAll()
    }
    await app.delete()
    await other.delete()
    return "\(writes.value) writes in \(Self.databases.count) databases"
  }

  private func configure(_ name: String) throws -> App {
    try App.configure(
      name: name,
      options: AppOptions(
        projectID: "demo-stress", backend: .embedded(directory: directory.appending(path: "backend").path),
        data: .directory(directory.appending(path: name).path)))
  }
}

/// One database and its expected contents.
struct StressedDatabase: Sendable {
  private static let writers = 3
  private static let accounts = 5
  private static let balance: Int64 = 100

  let store: Store
  /// The same database on another device, which only reads.
  let other: Store
  let findings: Findings
  let writes: Counter
  private let increments = Counter()
  private let transactions = Counter()
  private let doubtful = Counter()

  init(store: Store, other: Store, findings: Findings, writes: Counter) {
    self.store = store
    self.other = other
    self.findings = findings
    self.writes = writes
  }

  func run(_ seed: UInt64, until deadline: ContinuousClock.Instant) async throws {
    try await open()
    let listeners = try listeners()
    let watching = listeners.map { listener in Task { await listener.run() } }
    var expected: [String: Int64] = [:]
    try await withThrowingTaskGroup(of: [String: Int64].self) { group in
      for writer in 0..<Self.writers {
        group.addTask {
          try await DocumentWriter(store: store, findings: findings, writes: writes, prefix: "w\(writer)")
            .run(
              seed &+ UInt64(writer), until: deadline)
        }
      }
      group.addTask { try await count(until: deadline) }
      for task in 0..<2 { group.addTask { try await transfer(seed &+ 100 &+ UInt64(task), until: deadline) } }
      group.addTask { try await query(until: deadline) }
      group.addTask { try await switchNetwork(until: deadline) }
      for try await documents in group { expected.merge(documents) { $1 } }
    }
    try await store.enableNetwork()
    try await store.waitForPendingWrites()
    let rejected = try await store.rejectedWrites
    findings.expect(
      rejected.isEmpty,
      "\(rejected.count) writes were rejected, the first with \(rejected.first.map { "\($0.error)" } ?? "")")
    try await verify(expected, in: store, .cache)
    try await verify(expected, in: other, .server)
    for listener in listeners { try await listener.verifyEnd() }
    for task in watching { task.cancel() }
  }

  private func open() async throws {
    let batch = store.batch()
    for number in 0..<Self.accounts {
      try batch.setData(["balance": Self.balance], forDocument: store.document("accounts/a\(number)"))
    }
    for name in ["added", "read"] {
      try batch.setData(["n": 0], forDocument: store.document("counters/\(name)"))
    }
    try await batch.commit().confirmed()
  }

  private func listeners() throws -> [ResultListener] {
    let items = store.collection("items")
    let total = Self.balance * Int64(Self.accounts)
    return [
      ResultListener(items.query, findings),
      ResultListener(items.order(by: "rank", descending: true).limit(to: 7), findings),
      ResultListener(items.whereField("rank", isGreaterThan: 50), findings),
      ResultListener(store.collection("accounts").query, findings) { documents in
        let sum = documents.reduce(0) { $0 + ($1.fields["balance"]?.int64Value ?? 0) }
        return documents.isEmpty || sum == total
          ? nil : "a transaction was seen in part: \(sum) instead of \(total)"
      },
    ]
  }

  /// Increments counters, with increments and with transactions.
  private func count(until deadline: ContinuousClock.Instant) async throws -> [String: Int64] {
    let (added, read) = (store.document("counters/added"), store.document("counters/read"))
    while !deadline.isPast {
      try await added.updateData(["n": .increment(1)])
      increments.add(1)
      await transaction { transaction in
        let count = try await transaction.getDocument(read).fields?["n"]?.int64Value ?? 0
        try transaction.updateData(["n": count + 1], forDocument: read)
      }
      writes.add(2)
    }
    return [:]
  }

  /// Runs a transaction that may fail because the network was switched off in the meantime.
  private func transaction(_ body: (Transaction) async throws -> Void) async {
    do {
      try await store.runTransaction(maximumAttempts: 20, body)
      transactions.add(1)
    } catch let error as StoreError where error.code == .unavailable {
      // It is unknown whether it was committed.
      doubtful.add(1)
    } catch let error as StoreError where error.code == .aborted {
      // Nothing was written.
    } catch {
      findings.add("a transaction threw \(error)")
    }
  }

  /// Transfers amounts between accounts.
  private func transfer(_ seed: UInt64, until deadline: ContinuousClock.Instant) async throws -> [String:
    Int64]
  {
    var random = SplitMix(state: seed)
    while !deadline.isPast {
      let from = Int.random(in: 0..<Self.accounts, using: &random)
      let (source, target) = (
        store.document("accounts/a\(from)"), store.document("accounts/a\((from + 1) % Self.accounts)")
      )
      do {
        try await store.runTransaction(maximumAttempts: 20) { transaction in
          let balance = try await transaction.getDocument(source).fields?["balance"]?.int64Value ?? 0
          let other = try await transaction.getDocument(target).fields?["balance"]?.int64Value ?? 0
          try transaction.updateData(["balance": balance - 1], forDocument: source)
          try transaction.updateData(["balance": other + 1], forDocument: target)
        }
        writes.add(1)
      } catch let error as StoreError where error.code == .unavailable || error.code == .aborted {
        continue
      }
    }
    return [:]
  }

  /// Runs queries, each of whose results must satisfy its conditions.
  private func query(until deadline: ContinuousClock.Instant) async throws -> [String: Int64] {
    let items = store.collection("items")
    while !deadline.isPast {
      let found = try await items.whereField("rank", isGreaterThanOrEqualTo: 20).order(by: "rank")
        .limit(to: 10).getDocuments(source: .cache).documents
      let ranks = found.map { $0.fields["rank"]?.int64Value ?? -1 }
      findings.expect(ranks == ranks.sorted() && ranks.allSatisfy { $0 >= 20 }, "a query returned \(ranks)")
      await Task.yield()
    }
    return [:]
  }

  private func switchNetwork(until deadline: ContinuousClock.Instant) async throws -> [String: Int64] {
    while !deadline.isPast {
      try await store.disableNetwork()
      try await Task.sleep(for: .milliseconds(100))
      try await store.enableNetwork()
      try await Task.sleep(for: .milliseconds(400))
    }
    return [:]
  }

  /// Checks that nothing was lost and nothing was applied twice.
  private func verify(_ expected: [String: Int64], in store: Store, _ source: FirestoreSource) async throws {
    let found = try await store.collection("items").getDocuments(source: source).documents
    let versions = Dictionary(
      uniqueKeysWithValues: found.map { ($0.documentID, $0.fields["version"]?.int64Value ?? -1) })
    findings.expect(
      versions == expected,
      "\(store.database) from \(source): \(versions.count) documents instead of \(expected.count)"
        + ", or others: \(versions.filter { expected[$0.key] != $0.value }.prefix(3))")
    let added =
      try await store.document("counters/added").getDocument(source: source).fields?["n"]?.int64Value ?? -1
    findings.expect(
      added == Int64(increments.value), "\(increments.value) increments resulted in \(added) from \(source)")
    let read =
      try await store.document("counters/read").getDocument(source: source).fields?["n"]?.int64Value ?? -1
    let range = Int64(transactions.value)...Int64(transactions.value + doubtful.value)
    findings.expect(range.contains(read), "\(range) transactions resulted in \(read) from \(source)")
  }
}
