package import TenonFoundation
package import TenonValues

/// A value of the rules language.
package enum RulesValue: Sendable {
  case null
  case boolean(Bool)
  case integer(Int64)
  case float(Double)
  case string(String)
  case bytes(Data)
  case timestamp(Timestamp)
  case duration(RulesDuration)
  case latlng(GeoPoint)
  case path(RulesPath)
  case list([RulesValue])
  case map(RulesMap)
  case set(RulesSet)
  case mapDiff(RulesMapDiff)
  case vector([Double])
  /// What a query says of a field: its value is one of those that satisfy the constraint.
  case constraint(FieldConstraint)
}

extension RulesValue {
  /// The name of its type, as in messages and after `is`.
  package var typeName: String {
    switch self {
    case .null: "null"
    case .boolean: "bool"
    case .integer: "int"
    case .float: "float"
    case .string: "string"
    case .bytes: "bytes"
    case .timestamp: "timestamp"
    case .duration: "duration"
    case .latlng: "latlng"
    case .path: "path"
    case .list: "list"
    case .map: "map"
    case .set: "set"
    case .mapDiff: "map_diff"
    case .vector: "vector"
    case .constraint: "constraint"
    }
  }

  /// Creates the value of a document's field. Maps aren't copied: their fields are converted when they are
  /// used.
  ///
  /// - Parameters:
  ///   - value: the field's value.
  ///   - database: the database of the document.
  package init(_ value: Value, database: RulesDatabase) {
    self =
      switch value {
      case .null: .null
      case .boolean(let value): .boolean(value)
      case .integer(let value): .integer(value)
      case .double(let value): .float(value)
      case .timestamp(let value): .timestamp(value)
      case .string(let value): .string(value)
      case .bytes(let value): .bytes(value)
      case .reference(let path): .path(RulesPath(document: path.segments, database: database.id))
      case .geoPoint(let value): .latlng(value)
      case .array(let elements): .list(elements.map { RulesValue($0, database: database) })
      case .map(let fields): .map(RulesMap(fields, database: database))
      case .vector(let values): .vector(values)
      }
  }
}

/// A span of time, from -10,000 to 10,000 years.
package struct RulesDuration: Sendable, Hashable {
  /// Seconds, rounded toward zero.
  package let seconds: Int64
  /// The nanoseconds beyond, with the sign of the seconds.
  package let nanoseconds: Int32

  /// The most seconds that a duration has.
  static let limit: Int64 = 315_576_000_000

  /// Creates a duration, or `nil` if it is out of range.
  package init?(seconds: Int64, nanoseconds: Int64 = 0) {
    let (sum, overflow) = seconds.addingReportingOverflow(nanoseconds / 1_000_000_000)
    guard !overflow else { return nil }
    var (whole, rest) = (sum, nanoseconds % 1_000_000_000)
    if whole > 0, rest < 0 {
      whole -= 1
      rest += 1_000_000_000
    } else if whole < 0, rest > 0 {
      whole += 1
      rest -= 1_000_000_000
    }
    guard whole >= -Self.limit, whole <= Self.limit else { return nil }
    self.seconds = whole
    self.nanoseconds = Int32(truncatingIfNeeded: rest)
  }
}

/// A path of segments, some of which may be variables to which nothing is bound yet.
///
/// Paths are equal if their texts are. A path with a variable to which nothing is bound equals no path.
package struct RulesPath: Sendable, Hashable {
  /// The segments.
  package var segments: [Segment]

  /// A segment.
  package enum Segment: Sendable {
    /// Text.
    case text(String)
    /// `{name}` and what `bind` has bound to it, or `{name=**}`, to which nothing is bound.
    case variable(String, bound: String?, isRecursive: Bool = false)

    /// The text, or `nil` for a variable to which nothing is bound.
    package var text: String? {
      switch self {
      case .text(let text): text
      case .variable(_, let bound, _): bound
      }
    }
  }

  /// Creates a path.
  package init(segments: [Segment]) { self.segments = segments }

  /// Creates a path from texts.
  package init(_ texts: some Sequence<String>) { segments = texts.map { .text($0) } }

  /// Creates the path of a document in a database.
  package init(document: [String], database: String) {
    segments = []
    segments.reserveCapacity(document.count + 4)
    segments.append(.text("databases"))
    segments.append(.text(database))
    segments.append(.text("documents"))
    for segment in document { segments.append(.text(segment)) }
  }

  /// The texts of all segments, or `nil` if one is a variable to which nothing is bound.
  package var texts: [String]? {
    var texts: [String] = []
    texts.reserveCapacity(segments.count)
    for segment in segments {
      guard let text = segment.text else { return nil }
      texts.append(text)
    }
    return texts
  }

  /// The path as text, in which variables without values are empty.
  package var text: String { "/" + segments.map { $0.text ?? "" }.joined(separator: "/") }

  package static func == (left: RulesPath, right: RulesPath) -> Bool {
    left.segments.count == right.segments.count
      && zip(left.segments, right.segments).allSatisfy { left, right in
        guard let left = left.text, let right = right.text else { return false }
        return UTF8Text.areEqual(left, right)
      }
  }

  package func hash(into hasher: inout Hasher) {
    hasher.combine(segments.count)
    for segment in segments { hasher.combine(UTF8Text(segment.text ?? "")) }
  }
}

/// The statuses of the keys of two maps, as `diff` finds them.
package struct RulesMapDiff: Sendable {
  /// The keys of either map with their statuses, sorted.
  package let keys: [(name: String, status: Status)]

  /// What has become of a key.
  package enum Status: String, Sendable {
    case added = "ADDED"
    case removed = "REMOVED"
    case changed = "CHANGED"
    case unchanged = "UNCHANGED"
  }

  /// Compares a map with an earlier one.
  init(_ new: RulesMap, from old: RulesMap) {
    var keys: [(name: String, status: Status)] = []
    for entry in new.entries {
      guard let other = old[entry.name] else {
        keys.append((entry.name, .added))
        continue
      }
      keys.append((entry.name, entry.value.isNumericallyEqual(to: other) ? .unchanged : .changed))
    }
    for name in old.names where new[name] == nil { keys.append((name, .removed)) }
    keys.sort { ByteOrder.compare($0.name, $1.name) < 0 }
    self.keys = keys
  }

  /// The keys with one of the statuses, as a set.
  func names(_ statuses: Status...) -> RulesValue {
    .set(RulesSet(unique: keys.filter { statuses.contains($0.status) }.map { .string($0.name) }))
  }
}
