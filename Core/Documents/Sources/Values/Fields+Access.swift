public import TenonStoreInterop

extension Fields {
  /// Creates fields from a dictionary. O(n log n) for n entries.
  ///
  /// Keys of a Swift dictionary differ by canonical equivalence. For names that differ in their UTF-8 bytes only, use
  /// ``init(unsorted:)``.
  public init(_ dictionary: [String: Value]) {
    self.init(unsorted: dictionary.map { Entry(name: $0.key, value: $0.value) })
  }

  /// Creates fields from entries in any order. If a name occurs more than once, its last value is used. O(n log n) for n entries.
  ///
  /// Names are compared by their UTF-8 bytes. They are not checked until the document is written; see ``checkDocument(at:)``.
  public init(unsorted entries: [Entry]) {
    // Sorts indices instead of entries: entries are large, and moving one retains and releases its contents.
    let order = entries.indices.sorted { left, right in
      let order = ByteOrder.compare(entries[left].name, entries[right].name)
      return order == 0 ? left < right : order < 0
    }
    var sorted: [Entry] = []
    sorted.reserveCapacity(entries.count)
    for place in order {
      if let last = sorted.last, UTF8Text.areEqual(last.name, entries[place].name) { sorted.removeLast() }
      sorted.append(entries[place])
    }
    self.init(sortedEntries: sorted)
  }

  /// Whether there are no fields.
  public var isEmpty: Bool { entries.isEmpty }

  /// The names of the fields, sorted by their UTF-8 bytes.
  public var names: [String] { entries.map(\.name) }

  /// The value of a top-level field; `nil` if the field does not exist. Setting `nil` removes the field.
  ///
  /// The name is not a path: a dot in it is an ordinary character. Reading takes O(log n) comparisons, inserting and removing O(n).
  public subscript(name: String) -> Value? {
    get {
      ByteOrder.index(of: name, in: entries).map { entries[$0].value }
    }
    set {
      let (index, isFound) = ByteOrder.position(of: name, in: entries)
      switch (newValue, isFound) {
      case (let value?, true): entries[index].value = value
      case (let value?, false): entries.insert(Entry(name: name, value: value), at: index)
      case (nil, true): entries.remove(at: index)
      case (nil, false): break
      }
    }
  }

  /// The value at a field path; `nil` if the field does not exist. A path leads through maps only, not into arrays.
  ///
  /// Setting a value creates missing maps along the path and replaces values there that are not maps. Setting `nil` removes the
  /// field and keeps the maps. An empty path reads as `nil`, and setting it has no effect.
  public subscript(path: FieldPath) -> Value? {
    get {
      guard let first = path.segments.first, let value = self[first] else { return nil }
      guard path.segments.count > 1 else { return value }
      guard case .map(let fields) = value else { return nil }
      return fields[FieldPath(Array(path.segments.dropFirst()))]
    }
    set {
      guard let first = path.segments.first else { return }
      guard path.segments.count > 1 else {
        self[first] = newValue
        return
      }
      var inner = Fields()
      if case .map(let fields) = self[first] {
        inner = fields
      } else if newValue == nil {
        return
      }
      inner[FieldPath(Array(path.segments.dropFirst()))] = newValue
      self[first] = .map(inner)
    }
  }
}

extension Fields: ExpressibleByDictionaryLiteral {
  /// Creates fields from a dictionary literal.
  public init(dictionaryLiteral elements: (String, Value)...) {
    self.init(unsorted: elements.map { Entry(name: $0.0, value: $0.1) })
  }
}
