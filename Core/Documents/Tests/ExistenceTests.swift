import Foundation
import TenonStoreInterop
import TenonTestSupport
import Testing

@testable import TenonDocuments

@Suite(.limited) struct ExistenceTests {
  @Test(
    arguments: [(0, false), (1, true), (100, true), (101, false), (.max, false), (.min, false)]
      as [(Int, Bool)])
  func filterHasAtMost100HashFunctions(count: Int, isAccepted: Bool) {
    let bits = BloomFilterBits(bitmap: Data([0xFF]), padding: 0, hashCount: count, prefix: "")
    #expect((BloomFilter(bits)?.mayContain(name: "a") != nil) == isAccepted)
  }

  private static let prefix = "projects/p/databases/(default)/documents/"

  @Test(arguments: [1, 10, 1000]) func aBloomFilterContainsItsElementsAndFewOthers(count: Int) throws {
    let paths = (0..<count).map { ResourcePath(segments: ["c", "d\($0)"]) }
    let filter = try #require(BloomFilter(paths, prefix: Self.prefix))
    #expect(paths.allSatisfy(filter.mayContain))
    let others = (0..<1000).filter { filter.mayContain(ResourcePath(segments: ["c", "other\($0)"])) }
    #expect(others.count < 50, "about 1 of 100 is wanted")
    let received = try #require(BloomFilter(filter.wire))
    #expect(paths.allSatisfy(received.mayContain))
  }

  @Test(arguments: [
    BloomFilterBits(bitmap: Data(), padding: 0, hashCount: 0, prefix: ""),
    BloomFilterBits(bitmap: Data([1]), padding: 8, hashCount: 1, prefix: ""),
    BloomFilterBits(bitmap: Data([1]), padding: -1, hashCount: 1, prefix: ""),
    BloomFilterBits(bitmap: Data([1]), padding: 0, hashCount: 0, prefix: ""),
    BloomFilterBits(bitmap: Data([1]), padding: 0, hashCount: -1, prefix: ""),
    BloomFilterBits(bitmap: Data(), padding: 1, hashCount: 1, prefix: ""),
  ])
  func bitsThatCannotBeAFilterAreNone(bits: BloomFilterBits) { #expect(BloomFilter(bits) == nil) }
}
