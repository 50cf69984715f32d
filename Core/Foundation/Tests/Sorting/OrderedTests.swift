import TenonFoundation
import TenonTestSupport
import Testing

@Suite(.limited) struct OrderedTests {
  @Test(arguments: [0, 1, 2, 31, 32, 33, 500])
  func theOrderIsThatOfTheStandardLibrary(count: Int) {
    let numbers = (0..<count).map { $0 * 7919 % 1009 }
    #expect(numbers.ordered() == numbers.sorted())
    #expect(numbers.ordered { $0 > $1 } == numbers.sorted { $0 > $1 })
  }

  @Test func equalElementsKeepTheirOrder() {
    let pairs = (0..<300).map { (key: $0 % 5, place: $0) }
    let ordered = pairs.ordered { $0.key < $1.key }
    #expect(ordered.map(\.key) == ordered.map(\.key).sorted())
    #expect(zip(ordered, ordered.dropFirst()).allSatisfy { $0.key < $1.key || $0.place < $1.place })
  }
}
