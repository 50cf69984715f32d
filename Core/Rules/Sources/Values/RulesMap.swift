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
    case fields(Stored)
  }

  /// Fields of a document. In an object, because values should be small.
  private final class Stored: Sendable {
    let fields: Fields
    let database: String

    init(_ fields: Fields, _ database: String) {
      self.fields = fields
      self.database = database
    }
  }

  private let content: Content
  /// Why there may be further keys.
  package enum Gap: Sendable {
    /// A query describes the map, so that what it doesn't prove can't be used.
    case unproved
    /// This device doesn't know the other keys.
    case unknown
  }

  /// Why there may be further keys; `nil` if there are none.
  private let gap: Gap?
  /// Whether there may be further keys.
  package var isPartial: Bool { gap != nil }
  /// The failure of an expression that depends on further keys.
  var gapReason: EvaluationError.Reason { if case .unknown = gap { .unknownValue } else { .unprovable } }

  /// Creates a map from entries; of equal keys, the last one counts.
  package init(_ entries: [Entry]) { self.init(entries, gap: nil) }

  /// Creates a map from entries that are already sorted by the bytes of their unique names.
  package init(sorted entries: [Entry]) {
    gap = nil
    content = .entries(entries)
  }

  /// Creates a map that may have further keys.
  package init(partial entries: [Entry]) { self.init(entries, gap: .unproved) }

  private init(_ entries: [Entry], gap: Gap?) {
    self.gap = gap
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
    content = .entries(sorted)
  }

  /// Creates a map from the fields of a document.
  ///
  /// - Parameters:
  ///   - fields: the fields.
  ///   - database: the ID of the database, for references.
  ///   - isComplete: whether these are all fields; otherwise nothing is known of others.
  package init(_ fields: Fields, database: String, isComplete: Bool = true) {
    gap = isComplete ? nil : .unknown
    content = .fields(Stored(fields, database))
  }

  /// Whether this device doesn't know all of it: of this map or of one inside.
  var lacksKnowledge: Bool {
    if case .unknown = gap { return true }
    // The fields of a document are known as a whole, or not.
    guard case .entries(let entries) = content else { return false }
    return entries.contains { if case .map(let map) = $0.value { map.lacksKnowledge } else { false } }
  }

  /// The number of keys.
  package var count: Int {
    switch content {
    case .entries(let entries): entries.count
    case .fields(let stored): stored.fields.entries.count
    }
  }

  /// The keys, sorted.
  package var names: [String] {
    switch content {
    case .entries(let entries): entries.map(\.name)
    case .fields(let stored): stored.fields.entries.map(\.name)
    }
  }

  /// The keys and values, sorted by the keys.
  package var entries: [Entry] {
    switch content {
    case .entries(let entries): entries
    case .fields(let stored):
      stored.fields.entries.map { Entry($0.name, RulesValue($0.value, database: stored.database)) }
    }
  }

  /// The value of a key, or `nil` if there is none.
  package subscript(name: String) -> RulesValue? {
    switch content {
    case .entries(let entries): Self.find(name, entries.count) { entries[$0].name }.map { entries[$0].value }
    case .fields(let stored):
      Self.find(name, stored.fields.entries.count) { stored.fields.entries[$0].name }.map {
        RulesValue(stored.fields.entries[$0].value, database: stored.database)
      }
    }
  }

  /// Returns the index of a name among sorted ones. Few are compared one by one, which is faster.
  @inline(__always) private static func find(_ name: String, _ count: Int, _ nameAt: (Int) -> String) -> Int?
  {
    if count <= 8 {
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
