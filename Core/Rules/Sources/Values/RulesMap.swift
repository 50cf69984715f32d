package import TenonValues

/// A map of the rules language, whose keys are texts.
///
/// The fields of a document are converted when they are used, so looking up one field of a large document
/// costs little.
package struct RulesMap: Sendable {
  /// A key and its value.
  package struct Entry: Sendable {
    /// The key.
    package var name: String
    /// The value.
    package var value: RulesValue

    /// Creates an entry.
    package init(_ name: String, _ value: RulesValue) {
      self.name = name
      self.value = value
    }
  }

  private enum Content: Sendable {
    /// Sorted by the bytes of their unique names.
    case entries([Entry])
    /// Sorted; there may be further keys, because a query describes the map.
    case partial([Entry])
    case fields(Fields, RulesDatabase)
    /// There may be further fields, which this device doesn't know.
    case knownFields(Fields, RulesDatabase)
  }

  private let content: Content

  /// Whether there may be further keys.
  package var isPartial: Bool {
    switch content {
    case .partial, .knownFields: true
    case .entries, .fields: false
    }
  }
  /// The failure of an expression that depends on further keys.
  var gapReason: EvaluationError.Reason {
    if case .knownFields = content { .unknownValue } else { .unprovable }
  }
  /// Whether this device doesn't know all of it: of this map or of one inside.
  var lacksKnowledge: Bool {
    switch content {
    case .knownFields: true
    // The fields of a document are known as a whole, or not.
    case .fields: false
    case .entries(let entries), .partial(let entries):
      entries.contains { if case .map(let map) = $0.value { map.lacksKnowledge } else { false } }
    }
  }

  /// Creates a map from entries; of equal keys, the last one counts.
  package init(_ entries: [Entry]) { self.init(entries, isPartial: false) }

  /// Creates a map from entries that are already sorted by the bytes of their unique names.
  package init(sorted entries: [Entry]) { content = .entries(entries) }

  /// Creates a map that may have further keys.
  package init(partial entries: [Entry]) { self.init(entries, isPartial: true) }

  private init(_ entries: [Entry], isPartial: Bool) {
    var sorted: [Entry] = []
    sorted.reserveCapacity(entries.count)
    let order = entries.enumerated().sorted { left, right in
      let order = ByteOrder.compare(left.element.name, right.element.name)
      return order == 0 ? left.offset < right.offset : order < 0
    }
    for (_, entry) in order {
      if let last = sorted.last, UTF8Text.areEqual(last.name, entry.name) { sorted.removeLast() }
      sorted.append(entry)
    }
    content = isPartial ? .partial(sorted) : .entries(sorted)
  }

  /// Creates a map from the fields of a document.
  ///
  /// - Parameters:
  ///   - fields: the fields.
  ///   - database: the database, for references.
  ///   - isComplete: whether these are all fields; otherwise nothing is known of others.
  package init(_ fields: Fields, database: RulesDatabase, isComplete: Bool = true) {
    content = isComplete ? .fields(fields, database) : .knownFields(fields, database)
  }

  /// The number of keys.
  package var count: Int {
    switch content {
    case .entries(let entries), .partial(let entries): entries.count
    case .fields(let fields, _), .knownFields(let fields, _): fields.entries.count
    }
  }

  /// The keys, sorted.
  package var names: [String] {
    switch content {
    case .entries(let entries), .partial(let entries): entries.map(\.name)
    case .fields(let fields, _), .knownFields(let fields, _): fields.entries.map(\.name)
    }
  }

  /// The keys and values, sorted by the keys.
  package var entries: [Entry] {
    switch content {
    case .entries(let entries), .partial(let entries): entries
    case .fields(let fields, let database), .knownFields(let fields, let database):
      fields.entries.map { Entry($0.name, RulesValue($0.value, database: database)) }
    }
  }

  /// The value of a key, or `nil` if there is none.
  package subscript(name: String) -> RulesValue? {
    switch content {
    case .entries(let entries), .partial(let entries):
      Self.find(name, entries.count) { entries[$0].name }.map { entries[$0].value }
    case .fields(let fields, let database), .knownFields(let fields, let database):
      Self.find(name, fields.entries.count) { fields.entries[$0].name }.map {
        RulesValue(fields.entries[$0].value, database: database)
      }
    }
  }

  /// The number of values inside and the map itself, or something more than `most`. A document counts only
  /// its fields: its size is limited.
  func weight(most: Int, _ weight: (RulesValue, Int) -> Int) -> Int {
    switch content {
    case .fields(let fields, _), .knownFields(let fields, _): return 1 &+ fields.entries.count
    case .entries(let entries), .partial(let entries):
      var sum = 1
      for entry in entries {
        sum &+= weight(entry.value, most &- sum)
        if sum > most { break }
      }
      return sum
    }
  }

  /// Returns the index of a name among sorted ones. Few are compared one by one, which is faster.
  @inline(__always) private static func find(_ name: String, _ count: Int, _ nameAt: (Int) -> String) -> Int?
  {
    if count <= 8 {
      // Checked: the number of entries.
      for index in 0..<count where UTF8Text.areEqual(nameAt(index), name) { return index }
      return nil
    }
    var (low, high) = (0, count)
    while low < high {
      let middle = (low + high) / 2
      let order = ByteOrder.compare(nameAt(middle), name)
      if order == 0 { return middle }
      if order < 0 { low = middle + 1 } else { high = middle }
    }
    return nil
  }
}

/// The ID of a database, which the paths of its references contain. An object, so that values are small.
package final class RulesDatabase: Sendable {
  /// The ID.
  package let id: String

  private init(_ id: String) { self.id = id }

  private static let standard = RulesDatabase("(default)")

  /// Returns a database.
  package static func named(_ id: String) -> RulesDatabase {
    id == standard.id ? standard : RulesDatabase(id)
  }
}
