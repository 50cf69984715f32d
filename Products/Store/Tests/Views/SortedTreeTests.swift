import TenonFoundation
import TenonTestSupport
import TenonTesting
import Testing

@testable import TenonStore
@testable import TenonStoreEngine

/// The tree of results compared with a sorted array, and the cost of its operations, measured by counting
/// instead of timing.
@Suite(.limited) struct SortedTreeTests {
  /// A number that counts its comparisons.
  private struct Counted: Comparable, Sendable {
    final class Comparisons: Sendable {
      private let number = Lock(0)
      func add() { number.withLock { $0 += 1 } }
      /// The number of comparisons since this was last read.
      func take() -> Int {
        number.withLock { number in
          defer { number = 0 }
          return number
        }
      }
    }

    let number: Int
    let comparisons: Comparisons

    static func == (left: Counted, right: Counted) -> Bool { left.number == right.number }
    static func < (left: Counted, right: Counted) -> Bool {
      left.comparisons.add()
      return left.number < right.number
    }
  }

  private static func elements<Element>(of tree: SortedTree<Element>) -> [Element] {
    var elements: [Element] = []
    tree.forEach { elements.append($0) }
    return elements
  }

  private static func nodes<Element>(of tree: SortedTree<Element>) -> Set<ObjectIdentifier> {
    var nodes: Set<ObjectIdentifier> = []
    tree.forEachNode { nodes.insert($0) }
    return nodes
  }

  /// Returns the index of a number in a sorted array, or the index at which it would be inserted.
  private static func position(of number: Int, in array: [Int]) -> Int {
    array.firstIndex { $0 >= number } ?? array.count
  }

  @Test(arguments: [(seed: UInt64(1), range: 20), (2, 300), (3, 5_000), (4, 100_000)])
  func aTreeIsASortedArray(seed: UInt64, range: Int) {
    var generator = SeededGenerator(seed: seed)
    var array = Array(Set((0..<range / 2).map { _ in Int.random(in: 0..<range, using: &generator) })).sorted()
    var tree = SortedTree(sorted: array)
    // The tree grows, shrinks until it is empty, and grows again.
    for step in 0..<DeepTests.count(1_000, deep: 6_000) {
      let number = Int.random(in: 0..<range, using: &generator)
      let position = Self.position(of: number, in: array)
      let isThere = position < array.count && array[position] == number
      #expect(tree.index(of: number) == (isThere ? position : nil))
      let shrinks = (step / 1_500).isMultiple(of: 2) == false
      if Int.random(in: 0..<10, using: &generator) < (shrinks ? 8 : 3), !array.isEmpty {
        // Often an existing element.
        let gone = Bool.random(using: &generator) ? number : array.randomElement(using: &generator) ?? number
        let place = Self.position(of: gone, in: array)
        let wasThere = place < array.count && array[place] == gone
        if wasThere { array.remove(at: place) }
        let isGone = tree.remove(gone)
        #expect(isGone == wasThere)
      } else {
        if !isThere { array.insert(number, at: position) }
        tree.insert(number)
      }
      #expect(tree.count == array.count)
      #expect(tree.first == array.first && tree.last == array.last)
      if step.isMultiple(of: 500) { #expect(Self.elements(of: tree) == array) }
    }
    #expect(Self.elements(of: tree) == array)
    for number in array {
      let wasThere = tree.remove(number)
      #expect(wasThere)
    }
    #expect(tree.isEmpty && tree.first == nil && tree.last == nil)
    tree.insert(1)
    #expect(Self.elements(of: tree) == [1])
  }

  @Test func aCopyIsUnaffectedByChanges() {
    var tree = SortedTree(sorted: Array(0..<1_000))
    let before = tree
    for number in 0..<500 { tree.remove(number) }
    for number in 1_000..<1_200 { tree.insert(number) }
    #expect(Self.elements(of: before) == Array(0..<1_000))
    #expect(Self.elements(of: tree) == Array(500..<1_200))
  }

  @Test func anEqualElementReplacesTheOther() {
    struct Named: Comparable, Sendable {
      let number: Int
      var name = ""
      static func == (left: Named, right: Named) -> Bool { left.number == right.number }
      static func < (left: Named, right: Named) -> Bool { left.number < right.number }
    }
    var tree = SortedTree(sorted: (0..<200).map { Named(number: $0) })
    tree.insert(Named(number: 77, name: "new"))
    #expect(tree.count == 200)
    #expect(Self.elements(of: tree).map(\.name).filter { !$0.isEmpty } == ["new"])
    #expect(tree.index(of: Named(number: 77)) == 77)
  }

  @Test(arguments: [1_000, 50_000])
  func aChangeCopiesAPathAndComparesAlongIt(count: Int) {
    let comparisons = Counted.Comparisons()
    func element(_ number: Int) -> Counted { Counted(number: number, comparisons: comparisons) }
    let tree = SortedTree(sorted: (0..<count).map { element($0 * 2) })
    #expect(comparisons.take() == 0)
    let nodes = Self.nodes(of: tree)
    #expect(nodes.count < count / 30)

    var generator = SeededGenerator(seed: 7)
    for _ in 0..<200 {
      let number = Int.random(in: 0..<count, using: &generator)
      var (with, without) = (tree, tree)
      with.insert(element(number * 2 + 1))
      without.remove(element(number * 2))
      // A depth of 3 at most, and one node that is split or merged at each level.
      #expect(Self.nodes(of: with).subtracting(nodes).count <= 6)
      #expect(Self.nodes(of: without).subtracting(nodes).count <= 6)
      // Two searches; log2 of 50,000 is 15.6.
      #expect(comparisons.take() <= 2 * 22)
      #expect(tree.index(of: element(number * 2)) == number)
      #expect(comparisons.take() <= 22)
    }
  }

  @Test func aTreeStaysBalancedWhateverTheOrderOfChanges() {
    for numbers in [Array(0..<20_000), Array((0..<20_000).reversed())] {
      var tree = SortedTree<Int>()
      for number in numbers { tree.insert(number) }
      // Nodes are at least half full, except for those on one edge.
      #expect(Self.nodes(of: tree).count <= 20_000 / 32 + 25)
      for number in numbers where !number.isMultiple(of: 100) { tree.remove(number) }
      #expect(tree.count == 200)
      #expect(Self.nodes(of: tree).count <= 20)
    }
  }
}
