import Foundation
import TenonDocuments
import TenonTestSupport
import Testing

@testable import TenonStore
@testable import TenonStoreEngine

/// The bytes with which the entries of a field begin.
@Suite(.limited) struct EntryGroupTests {
  private static let numbers: [Int64] = [
    0, 1, 2, 127, 128, 239, 240, 241, 255, 256, 65_535, 65_536, 1 << 24, 1 << 40 + 1, .max - 1, .max,
  ]
  private static let groups = numbers.flatMap { collection in
    numbers.map { EntryGroup(collection: collection, column: $0) }
  }

  @Test func groupsHaveTheOrderOfTheirBytes() {
    for (group, next) in zip(Self.groups, Self.groups.dropFirst()) {
      #expect(group.prefix.precedes(next.prefix), "\(group) and \(next)")
      // All entries of a group precede those of the next one.
      #expect(group.prefix.successor.map { !next.prefix.precedes($0) } == true, "\(group) and \(next)")
    }
  }

  @Test func noGroupBeginsWithTheBytesOfAnother() {
    let prefixes = Self.groups.map(\.prefix)
    for (position, prefix) in prefixes.enumerated() {
      #expect(prefixes.count { $0.starts(with: prefix) } == 1, "\(Self.groups[position])")
    }
  }

  @Test(arguments: groups) func aGroupIsReadFromAnEntry(group: EntryGroup) {
    #expect(EntryGroup(of: group.prefix + OrderedEncoding.encode(.integer(5))) == group)
    #expect(group.prefix.starts(with: EntryGroup.prefix(ofCollection: group.collection)))
    for length in 0..<group.prefix.count { #expect(EntryGroup(of: group.prefix.prefix(length)) == nil) }
  }

  @Test func groupsOfFewCollectionsAndFieldsAreTwoBytes() {
    #expect(EntryGroup(collection: 239, column: 239).prefix.count == 2)
  }

  @Test(arguments: [[], [1], [248, 0, 0], [255], [240], [1, 241, 9]] as [[UInt8]])
  func damagedBytesAreNoGroup(bytes: [UInt8]) {
    #expect(EntryGroup(of: Data(bytes)) == nil)
  }
}
