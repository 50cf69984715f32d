import TenonValues

extension RulesValue {
  /// Whether `==` holds: numbers are compared by their values whatever their types, but only here and not
  /// inside of lists and maps.
  package func isEqual(to other: RulesValue) -> Bool {
    switch (self, other) {
    case (.integer(let left), .float(let right)): Double(left) == right
    case (.float(let left), .integer(let right)): left == Double(right)
    default: isStrictlyEqual(to: other)
    }
  }

  /// Whether elements of lists and values of maps are equal: an integer never equals a float.
  package func isStrictlyEqual(to other: RulesValue) -> Bool { isEqual(to: other, mixesNumbers: false) }

  /// Whether elements of sets, and values that `diff` compares, are equal: an integer equals a float of the
  /// same value.
  package func isNumericallyEqual(to other: RulesValue) -> Bool { isEqual(to: other, mixesNumbers: true) }

  private func isEqual(to other: RulesValue, mixesNumbers: Bool) -> Bool {
    switch (self, other) {
    case (.null, .null): true
    case (.boolean(let left), .boolean(let right)): left == right
    case (.integer(let left), .integer(let right)): left == right
    case (.float(let left), .float(let right)): left == right
    case (.integer(let left), .float(let right)): mixesNumbers && Double(left) == right
    case (.float(let left), .integer(let right)): mixesNumbers && left == Double(right)
    case (.string(let left), .string(let right)): UTF8Text.areEqual(left, right)
    case (.bytes(let left), .bytes(let right)): left == right
    case (.timestamp(let left), .timestamp(let right)): left == right
    case (.duration(let left), .duration(let right)): left == right
    case (.latlng(let left), .latlng(let right)): left == right
    case (.path(let left), .path(let right)): left == right
    case (.vector(let left), .vector(let right)): left == right
    case (.list(let left), .list(let right)):
      left.count == right.count
        && zip(left, right).allSatisfy { $0.isEqual(to: $1, mixesNumbers: mixesNumbers) }
    case (.map(let left), .map(let right)): Self.areEqual(left, right, mixesNumbers)
    case (.set(let left), .set(let right)):
      left.elements.count == right.elements.count && left.elements.allSatisfy(right.contains)
    default: false
    }
  }

  private static func areEqual(_ left: RulesMap, _ right: RulesMap, _ mixesNumbers: Bool) -> Bool {
    guard left.count == right.count else { return false }
    return zip(left.entries, right.entries).allSatisfy {
      UTF8Text.areEqual($0.name, $1.name) && $0.value.isEqual(to: $1.value, mixesNumbers: mixesNumbers)
    }
  }

  /// Hashes what both kinds of equality compare, so that equal values have equal hashes.
  fileprivate func hash(_ hasher: inout Hasher) {
    switch self {
    case .null: hasher.combine(0)
    case .boolean(let value): hasher.combine(value)
    case .integer(let value): hasher.combine(Double(value))
    case .float(let value): hasher.combine(value)
    case .string(let value): hasher.combine(UTF8Text(value))
    case .bytes(let value): hasher.combine(value)
    case .timestamp(let value): hasher.combine(value)
    case .duration(let value): hasher.combine(value)
    case .latlng(let value): hasher.combine(value)
    case .path(let value): hasher.combine(value)
    case .vector(let value): hasher.combine(value)
    case .list(let elements): for element in elements { element.hash(&hasher) }
    case .map(let map):
      for entry in map.entries {
        hasher.combine(UTF8Text(entry.name))
        entry.value.hash(&hasher)
      }
    case .set(let set): hasher.combine(set.elements.count)
    case .mapDiff, .constraint: break
    }
  }
}

/// Values that are compared with others. Many are in a hash table, so that comparing two large lists takes
/// linear time.
struct StrictValues {
  private var few: [RulesValue] = []
  private var many: Set<Key> = []

  init(_ values: [RulesValue]) {
    if values.count > 8 { many = Set(values.map(Key.init)) } else { few = values }
  }

  func contains(_ value: RulesValue) -> Bool {
    few.contains { $0.isStrictlyEqual(to: value) } || (!many.isEmpty && many.contains(Key(value: value)))
  }

  private struct Key: Hashable {
    let value: RulesValue

    static func == (left: Key, right: Key) -> Bool { left.value.isStrictlyEqual(to: right.value) }
    func hash(into hasher: inout Hasher) { value.hash(&hasher) }
  }
}

/// A set of the rules language, in the order in which its elements were found.
package struct RulesSet: Sendable {
  /// The elements, of which no two are equal.
  package let elements: [RulesValue]
  private let index: Set<Key>?

  /// Creates a set from elements of which no two are equal.
  package init(unique elements: [RulesValue]) {
    self.elements = elements
    // Few are compared one by one.
    index = elements.count > 8 ? Set(elements.map(Key.init)) : nil
  }

  /// Creates a set; of equal elements, the first one counts.
  package init(_ elements: [RulesValue]) {
    var (unique, seen): ([RulesValue], Set<Key>) = ([], [])
    for element in elements where seen.insert(Key(value: element)).inserted { unique.append(element) }
    self.elements = unique
    index = unique.count > 8 ? seen : nil
  }

  /// Whether an element of the set equals a value.
  package func contains(_ value: RulesValue) -> Bool {
    if let index { return index.contains(Key(value: value)) }
    return elements.contains { $0.isNumericallyEqual(to: value) }
  }

  private struct Key: Hashable, Sendable {
    let value: RulesValue

    static func == (left: Key, right: Key) -> Bool { left.value.isNumericallyEqual(to: right.value) }
    func hash(into hasher: inout Hasher) { value.hash(&hasher) }
  }
}
