extension Fields {
  /// Creates fields from a dictionary.
  ///
  /// Keys of a Swift dictionary differ by canonical equivalence, so a dictionary can't contain both forms of
  /// "é". Names that differ in their UTF-8 bytes only are assigned by the
  /// subscript, or written as a literal.
  ///
  /// - Parameter dictionary: the values by name. A key is a name, not a path: a dot in it is an ordinary
  ///   character.
  /// - Complexity: O(*n* log *n*) comparisons of names in the number of entries.
  public init(_ dictionary: [String: Value]) {
    self.init(unsorted: dictionary.map { Entry(name: $0.key, value: $0.value) })
  }

  /// Creates fields from entries in any order.
  ///
  /// Names are compared by their UTF-8 bytes. They aren't checked until the document is written; see
  /// ``checkDocument(at:)``.
  ///
  /// - Parameter entries: the entries. If a name occurs more than once, the last of its entries is used.
  /// - Complexity: O(*n* log *n*) comparisons of names in the number of entries.
  package init(unsorted entries: [Entry]) {
    // Servers and databases usually return them sorted.
    let isSorted = zip(entries, entries.dropFirst()).allSatisfy { ByteOrder.compare($0.name, $1.name) < 0 }
    guard !isSorted else {
      self.init(sortedEntries: entries)
      return
    }
    guard entries.count > 16 else {
      // Inserting few of them one by one takes less time than sorting, which allocates memory.
      var sorted: [Entry] = []
      sorted.reserveCapacity(entries.count)
      for entry in entries {
        let (place, isFound) = ByteOrder.position(of: entry.name, in: sorted)
        if isFound { sorted[place] = entry } else { sorted.insert(entry, at: place) }
      }
      self.init(sortedEntries: sorted)
      return
    }
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

  /// Whether there are no fields. A document without fields exists; it differs from a document that doesn't
  /// exist.
  public var isEmpty: Bool { entries.isEmpty }

  /// The names of the fields, sorted by their UTF-8 bytes, each once. Those of nested maps aren't included.
  ///
  /// - Complexity: O(*n*) in the number of fields.
  public var names: [String] { entries.map(\.name) }

  /// The value of a top-level field; `nil` if the field doesn't exist. Setting `nil` removes the field.
  ///
  /// The name isn't a path: a dot in it is an ordinary character. To set a field to null, assign
  /// ``Value/null``. The value must be of type ``Value``, so that a literal `nil` and an explicit null can't
  /// be confused.
  ///
  /// ```swift
  /// var note: Fields = ["title": "Tea", "rating": 4]
  /// note["rating"] = 5
  /// note["title"] = nil
  /// note  // → ["rating": 5]
  /// ```
  ///
  /// - Parameter name: the name, compared by its UTF-8 bytes. It isn't checked until the document
  ///   is written.
  /// - Complexity: O(log *n*) comparisons of names for reading, and O(*n*) for inserting and removing, in the
  ///   number of fields.
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

  /// The value at a field path; `nil` if the field doesn't exist. A path leads through maps only, not into
  /// arrays.
  ///
  /// Setting a value creates missing maps along the path and replaces values there that aren't maps, as an
  /// update on the server does. Setting `nil` removes the field and keeps the maps, even if they become
  /// empty; if the path leads through a missing field or through a value that isn't a map, nothing changes.
  /// An empty path reads as `nil`, and setting it has no effect.
  ///
  /// ```swift
  /// var note: Fields = ["author": ["name": "Ada"]]
  /// note["author.city" as FieldPath] = "London"
  /// note["author.name" as FieldPath] = nil
  /// note  // → ["author": ["city": "London"]]
  /// ```
  ///
  /// - Parameter path: the path. The path `__name__` has no special meaning here.
  /// - Complexity: O(log *n*) comparisons of names per name of the path for reading. Setting copies the maps
  ///   along the path below the top level.
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
  /// Creates fields from a dictionary literal. If a name occurs more than once, its last value is used;
  /// unlike for a `Dictionary`, this isn't an error.
  ///
  /// - Parameter elements: names and values, in any order.
  public init(dictionaryLiteral elements: (String, Value)...) {
    self.init(unsorted: elements.map { Entry(name: $0.0, value: $0.1) })
  }
}
