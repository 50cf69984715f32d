import Foundation
import TenonTestSupport
import TenonTesting
import Testing

@testable import TenonStore

/// The space that collections use.
@Suite(.limited) struct CollectionSizeTests {
  @Test func theSizesOfCollectionsAreThoseOfTheirDocumentsAndEntries() async throws {
    let directory = try TestDirectory()
    let store = makeStore(directory, settings: StoreSettings(fieldIndexing: .everyField))
    #expect(try await store.collectionSizes().isEmpty)
    let text = String(repeating: "a", count: 10_000)
    for number in 0..<20 {
      try await store.document("large/d\(number)").setData(["text": text, "n": number])
    }
    for number in 0..<20 { try await store.document("large/d1/small/d\(number)").setData(["n": number]) }
    let sizes = try await store.collectionSizes()
    #expect(sizes.map(\.path) == ["large", "large/d1/small"])
    #expect(sizes.map(\.documents) == [20, 20])
    let (large, small) = (try #require(sizes.first), try #require(sizes.last))
    #expect(large.documentBytes > 200_000 && large.documentBytes < 205_000, "\(large.documentBytes)")
    #expect(large.indexBytes > small.indexBytes && large.bytes == large.documentBytes + large.indexBytes)
    #expect(small.bytes > 0 && small.bytes < 2_000, "\(small.bytes)")
    try await store.deleteCollection("large")
    #expect(try await store.collectionSizes() == [small])
    await store.terminate()
    let file = try Data(contentsOf: URL(filePath: directory.file)).count
    #expect(small.bytes < file)
  }

  @Test func pendingWritesCountTheStateOfTheRemote() async throws {
    let store = makeStore(remote: FakeStoreRemote(), settings: StoreSettings(fieldIndexing: .everyField))
    let text = String(repeating: "a", count: 1_000)
    try await store.document("c/d").setData(["text": text]).confirmed()
    _ = try await store.document("c/d").getDocument(source: .server)
    try await store.disableNetwork()
    let before = try #require(try await store.collectionSizes().first)
    try await store.document("c/d").updateData(["text": "b"])
    let after = try #require(try await store.collectionSizes().first)
    #expect(before.documentBytes > 1_000 && after.documentBytes > 1_000 && after.documents == 1)
    await store.terminate()
  }
}
