/// A sorted set in a balanced tree whose nodes store the number of elements below them.
///
/// A value type with structural sharing: a change creates new nodes only on the path from the root to one
/// element. Copies are therefore O(1), and two states of a large result that differ in a few elements need
/// little more memory than one.
///
/// The tree is a B+ tree: elements are only in the leaves, all of which have the same depth, since a tree
/// grows by splitting its root and shrinks by removing a root with a single child. Every node but the root
/// has at least 16 and at most 64 elements or children, so a million elements need at most five levels. The
/// index of an element is the number of elements in the nodes to the left of its path.
///
/// Elements are equal if neither is less than the other.
///
/// - Complexity: searching, insertion, removal and determining an index are O(log n) in time, comparisons and
///   new memory; creation from sorted elements is O(n).
struct SortedTree<Element: Comparable & Sendable>: Sendable {
  /// The root; `nil` for an empty tree. Never a node without elements.
  private var root: Node?

  /// Creates an empty tree.
  init() {}

  /// Creates a tree from distinct elements in ascending order.
  ///
  /// The nodes are filled to three quarters, which leaves room for insertions.
  ///
  /// - Parameter elements: the elements. Their order isn't checked; searches fail if it is wrong.
  /// - Complexity: O(n), without comparisons.
  init(sorted elements: [Element]) {
    var nodes = Node.chunks(elements).map { Node(.elements(Array($0))) }
    while nodes.count > 1 { nodes = Node.chunks(nodes).map { Node(.nodes(Array($0))) } }
    root = nodes.first
  }

  /// The number of elements.
  var count: Int { root?.count ?? 0 }
  /// Whether there are no elements.
  var isEmpty: Bool { root == nil }
  /// The smallest element.
  var first: Element? { root?.first }
  /// The greatest element.
  var last: Element? { root?.last }

  /// Returns the index of the element equal to a given one; `nil` if there is none.
  ///
  /// - Complexity: O(log n).
  func index(of element: Element) -> Int? { root?.index(of: element) }

  /// Inserts an element, replacing an equal one.
  ///
  /// - Complexity: O(log n), including new memory; other copies of the tree are unchanged.
  mutating func insert(_ element: Element) {
    guard let old = root else {
      root = Node(.elements([element]))
      return
    }
    let nodes = old.inserting(element)
    root = nodes.count == 1 ? nodes[0] : Node(.nodes(nodes))
  }

  /// Removes the element equal to a given one.
  ///
  /// - Returns: whether there was one.
  /// - Complexity: O(log n), including new memory; other copies of the tree are unchanged.
  @discardableResult
  mutating func remove(_ element: Element) -> Bool {
    guard let old = root, let rest = old.removing(element) else { return false }
    root = rest.isEmpty ? nil : rest
    // A root with a single child is redundant.
    while case .nodes(let nodes)? = root?.content, nodes.count == 1 { root = nodes[0] }
    return true
  }

  /// Calls `body` with each element, in ascending order.
  ///
  /// - Throws: the first error of `body`, after which it isn't called again.
  func forEach(_ body: (Element) throws -> Void) rethrows { try root?.forEach(body) }

  /// Calls `body` with the identity of each node, to determine what two trees share.
  func forEachNode(_ body: (ObjectIdentifier) -> Void) { root?.forEachNode(body) }
}

extension SortedTree {
  /// A leaf with adjacent elements, or an inner node with its children. Immutable, so that several trees can
  /// share it.
  fileprivate final class Node: Sendable {
    /// What a node contains. All children of a node are of the same kind.
    enum Content {
      case elements([Element])
      case nodes([Node])
    }

    let content: Content
    /// The number of elements in the node or below it.
    let count: Int
    /// The greatest element in the node or below it, with which searches compare.
    let last: Element?

    /// Creates a node, and counts its elements.
    ///
    /// - Complexity: O(1) in the number of elements; O(w) for w children.
    init(_ content: Content) {
      self.content = content
      switch content {
      case .elements(let elements): (count, last) = (elements.count, elements.last)
      case .nodes(let nodes): (count, last) = (nodes.reduce(0) { $0 + $1.count }, nodes.last?.last)
      }
    }

    /// The maximum number of elements or children; except for the root, the minimum is a quarter of it.
    private static var width: Int { 64 }

    /// Splits an array into parts of about equal length that leave room for insertions. The parts have at
    /// least 24 members, unless there is only one part.
    static func chunks<Part>(_ parts: [Part]) -> [ArraySlice<Part>] {
      let filled = width * 3 / 4
      let number = (parts.count + filled - 1) / filled
      return (0..<number).map { parts[$0 * parts.count / number..<($0 + 1) * parts.count / number] }
    }

    /// Whether the node contains no elements, which only a removal produces.
    var isEmpty: Bool { count == 0 }

    /// The smallest element in the node or below it.
    var first: Element? {
      switch content {
      case .elements(let elements): elements.first
      case .nodes(let nodes): nodes.first?.first
      }
    }

    // MARK: - Searching

    /// Returns the index of an element among those in the node or below it; `nil` if it doesn't contain the
    /// element.
    func index(of element: Element) -> Int? {
      switch content {
      case .elements(let elements):
        let position = Self.position(of: element, in: elements)
        return position < elements.count && !(element < elements[position]) ? position : nil
      case .nodes(let nodes):
        let place = Self.place(of: element, in: nodes)
        return nodes[place].index(of: element).map { index in
          nodes[..<place].reduce(index) { $0 + $1.count }
        }
      }
    }

    /// Returns the position of the first element that isn't less than a given one.
    private static func position(of element: Element, in elements: [Element]) -> Int {
      var (low, high) = (0, elements.count)
      while low < high {
        let middle = (low + high) / 2
        if elements[middle] < element { low = middle + 1 } else { high = middle }
      }
      return low
    }

    /// Returns the position of the child that contains an element, or into which it belongs.
    private static func place(of element: Element, in nodes: [Node]) -> Int {
      var (low, high) = (0, nodes.count - 1)
      while low < high {
        let middle = (low + high) / 2
        if let last = nodes[middle].last, last < element { low = middle + 1 } else { high = middle }
      }
      return low
    }

    func forEach(_ body: (Element) throws -> Void) rethrows {
      switch content {
      case .elements(let elements): try elements.forEach(body)
      case .nodes(let nodes): for node in nodes { try node.forEach(body) }
      }
    }

    func forEachNode(_ body: (ObjectIdentifier) -> Void) {
      body(ObjectIdentifier(self))
      if case .nodes(let nodes) = content { for node in nodes { node.forEachNode(body) } }
    }

    // MARK: - Changing

    /// Returns the node with an element inserted; two nodes if it exceeds the maximum width.
    ///
    /// - Complexity: O(log n).
    func inserting(_ element: Element) -> [Node] {
      switch content {
      case .elements(var elements):
        let position = Self.position(of: element, in: elements)
        if position < elements.count, !(element < elements[position]) {
          elements[position] = element
        } else {
          elements.insert(element, at: position)
        }
        return Self.split(elements).map { Node(.elements(Array($0))) }
      case .nodes(var nodes):
        let index = Self.place(of: element, in: nodes)
        nodes.replaceSubrange(index...index, with: nodes[index].inserting(element))
        return Self.split(nodes).map { Node(.nodes(Array($0))) }
      }
    }

    /// Returns the node without an element, possibly empty; `nil` if it doesn't contain the element.
    ///
    /// A child that becomes too narrow is joined with a neighbor, so the children of the returned node have
    /// the minimum width again. The returned node itself may be too narrow; its parent joins it.
    ///
    /// - Complexity: O(log n).
    func removing(_ element: Element) -> Node? {
      switch content {
      case .elements(var elements):
        let position = Self.position(of: element, in: elements)
        guard position < elements.count, !(element < elements[position]) else { return nil }
        elements.remove(at: position)
        return Node(.elements(elements))
      case .nodes(var nodes):
        let index = Self.place(of: element, in: nodes)
        guard let rest = nodes[index].removing(element) else { return nil }
        nodes[index] = rest
        if rest.width < Self.width / 4, nodes.count > 1 {
          let left = min(index, nodes.count - 2)
          nodes.replaceSubrange(left...left + 1, with: Self.joining(nodes[left], nodes[left + 1]))
        }
        return Node(.nodes(nodes))
      }
    }

    /// The number of elements or children of the node.
    private var width: Int {
      switch content {
      case .elements(let elements): elements.count
      case .nodes(let nodes): nodes.count
      }
    }

    /// Splits an array in halves if it exceeds the maximum width.
    private static func split<Part>(_ parts: [Part]) -> [ArraySlice<Part>] {
      guard parts.count > width else { return [parts[...]] }
      return [parts[..<(parts.count / 2)], parts[(parts.count / 2)...]]
    }

    /// Merges two adjacent nodes into one, or distributes their content evenly if it exceeds the maximum
    /// width. All nodes of a level have the same kind of content.
    ///
    /// - Parameters:
    ///   - left: the node with the smaller elements.
    ///   - right: the node that follows it.
    private static func joining(_ left: Node, _ right: Node) -> [Node] {
      switch (left.content, right.content) {
      case (.elements(let first), .elements(let second)):
        split(first + second).map { Node(.elements(Array($0))) }
      case (.nodes(let first), .nodes(let second)):
        split(first + second).map { Node(.nodes(Array($0))) }
      default: [left, right]
      }
    }
  }
}
