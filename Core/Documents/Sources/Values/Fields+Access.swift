public import TenonStoreInterop

extension Fields {
  /// Fields from a dictionary. Names that Swift holds for equal count once.
  public init(_ dictionary: [String: Value]) {
    self.init(unsorted: dictionary.map { Entry(name: $0.key, value: $0.value) })
  }

  /// Fields from entries in any order; of several entries of one name the last counts.
  public init(unsorted entries: [Entry]) {
    // Their places are sorted: entries are large, and each move of one counts references.
    let order = entries.indices.sorted { left, right in
      let order = ByteOrder.compare(entries[left].name, entries[right].name)
      return order == 0 ? left < right : order < 0
    }
    var sorted: [Entry] = []
    sorted.reserveCapacity(entries.count)
    for place in order {
      if let last = sorted.last, ByteOrder.areEqual(last.name, entries[place].name) { sorted.removeLast() }
      sorted.append(entries[place])
    }
    self.init(sortedEntries: sorted)
  }

  /// Whether there are no fields.
  public var isEmpty: Bool { entries.isEmpty }

  /// The names, sorted by their UTF-8 bytes.
  public var names: [String] { entries.map(\.name) }

  /// A field's value by its name; `nil` when there is no such field. Setting `nil` removes it.
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

  /// A field's value by its path, which walks through maps only; `nil` when there is no such field.
  ///
  /// Setting a value makes the maps on the way, in place of whatever else stands there. Setting `nil` removes the field
  /// and leaves the maps on the way.
  public subscript(path: FieldPath) -> Value? {
    get {
      guard let first = path.segments.first, let value = self[first] else { return nil }
      guard path.segments.count > 1 else { return value }
      guard case .map(let fields) = value else { return nil }
      return fields[FieldPath(segments: Array(path.segments.dropFirst()))]
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
      inner[FieldPath(segments: Array(path.segments.dropFirst()))] = newValue
      self[first] = .map(inner)
    }
  }
}

extension Fields: ExpressibleByDictionaryLiteral {
  /// Fields as they are written in code.
  public init(dictionaryLiteral elements: (String, Value)...) {
    self.init(unsorted: elements.map { Entry(name: $0.0, value: $0.1) })
  }
}
