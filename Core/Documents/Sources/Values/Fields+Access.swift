public import TenonStoreInterop

extension Fields {
  /// Creates fields from a dictionary.
  public init(_ dictionary: [String: Value]) {
    self.init(unsorted: dictionary.map { Entry(name: $0.key, value: $0.value) })
  }

  /// Creates fields from entries in any order. If a name occurs more than once, its last value is used.
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

  /// The names, sorted by their UTF-8 bytes.
  public var names: [String] { entries.map(\.name) }

  /// The value of a field by its name; `nil` if there is no such field. Setting `nil` removes the field.
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

  /// The value of a field by its path, which leads through maps only; `nil` if there is no such field.
  ///
  /// Setting a value creates the maps on the path and replaces other values there. Setting `nil` removes the field and
  /// keeps the maps.
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
