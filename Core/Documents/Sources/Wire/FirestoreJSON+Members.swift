package import TenonValues

extension FirestoreJSON {
  /// The members of an object, in the order in which they were written, each name once.
  ///
  /// Most objects of the protocol have one to ten members, for which an array is faster than a dictionary.
  package struct Members: Sendable {
    /// The names and the values.
    private var entries: [Element] = []
    /// The names, if there are more than ``fewest``; otherwise empty.
    private var names: Set<UTF8Text> = []

    /// The number of members up to which names are compared one by one.
    private static let fewest = 8

    /// Creates an object without members.
    package init() {}

    /// Adds a member.
    ///
    /// - Returns: whether it was added; `false` if there is a member of that name.
    /// - Complexity: O(1) on average.
    package mutating func insert(_ value: FirestoreJSON, forKey key: UTF8Text) -> Bool {
      if entries.count < Self.fewest {
        guard !entries.contains(where: { $0.key == key }) else { return false }
      } else {
        if names.isEmpty { names = Set(entries.map(\.key)) }
        guard names.insert(key).inserted else { return false }
      }
      entries.append((key, value))
      return true
    }

    /// The member with a name, also if it is null; `nil` if there is none. Complexity: O(*n*).
    package subscript(name: String) -> FirestoreJSON? {
      entries.first { UTF8Text.areEqual($0.key.string, name) }?.value
    }

    /// The names.
    package var keys: [UTF8Text] { entries.map(\.key) }
  }
}

extension FirestoreJSON.Members: RandomAccessCollection {
  /// A name and its value.
  package typealias Element = (key: UTF8Text, value: FirestoreJSON)

  /// 0.
  package var startIndex: Int { entries.startIndex }
  /// The number of members.
  package var endIndex: Int { entries.endIndex }
  /// The member at a place, in the order of the text.
  package subscript(position: Int) -> Element { entries[position] }
}

extension FirestoreJSON.Members: ExpressibleByDictionaryLiteral {
  /// Creates members from a literal. If a name occurs more than once, its first value is used.
  package init(dictionaryLiteral elements: (UTF8Text, FirestoreJSON)...) {
    self.init()
    for (name, value) in elements { _ = insert(value, forKey: name) }
  }
}
