import TenonSQLite
import TenonStoreInterop
import TenonTestSupport
import TenonTesting
import Testing

@testable import TenonStore
@testable import TenonStoreEngine

/// The pages that a write changes, each of which is written to the log.
@Suite(.limited) struct WrittenPagesTests {
  /// Returns the number of pages in the log, which begins again with the next write.
  private static func moveLog(_ store: Store) async throws -> Int64 {
    try await store.engine.useAsUser {
      try $0.connection.first("PRAGMA wal_checkpoint(PASSIVE)") { $0.integer(1) } ?? 0
    }
  }

  /// Returns the median number of pages that an operation writes, because some operations split a page.
  private static func pages(
    _ store: Store, _ operation: (Int) async throws -> Void
  ) async throws -> Int64 {
    var counts: [Int64] = []
    for number in 0..<15 {
      _ = try await moveLog(store)
      try await operation(number)
      counts.append(try await moveLog(store))
    }
    return counts.sorted()[7]
  }

  private static func fill(_ store: Store) async throws {
    let batch = store.batch()
    for number in 0..<500 {
      try batch.setData(
        ["n": number, "m": 1, "text": String(repeating: "text ", count: 50)],
        forDocument: store.document("c/d\(number * 2)"))
    }
    try await batch.commit()
    _ = try await store.collection("c").order(by: "n").getDocuments()
    try await store.buildIndexes()
  }

  @Test func aLocalWriteChangesTheDocumentItsIndexesAndTheChangeLog() async throws {
    let directory = try TestDirectory()
    let store = makeStore(directory)
    try await Self.fill(store)
    // The table of documents and the change log.
    let updated = try await Self.pages(store) {
      try await store.document("c/d\($0 * 6)").updateData(["m": $0])
    }
    #expect(updated == 2)
    // And the index of keys and the index of the field.
    let inserted = try await Self.pages(store) {
      try await store.document("c/d\($0 * 6 + 1)").setData(["n": $0, "m": 1])
    }
    #expect(inserted == 4)
    await store.terminate()
  }

  @Test func aQueuedWriteChangesEightPages() async throws {
    let directory = try TestDirectory()
    let store = makeStore(directory, remote: FakeStoreRemote())
    try await Self.fill(store)
    try await store.waitForPendingWrites()
    try await store.disableNetwork()
    // The document, its base, the change log, the batch, its two indexes, the newest batch, and what it writes to.
    let pages = try await Self.pages(store) { try await store.document("c/d\($0 * 6)").updateData(["m": $0]) }
    #expect(pages == 8)
    await store.terminate()
  }
}
