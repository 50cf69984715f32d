import TenonFoundation

/// The description of a value is for messages, logs and tests. It isn't meant to be parsed: an integer and a
/// double with a fraction of 0 differ only in `1` and `1.0`, and the contents of bytes aren't included.
extension Value: CustomStringConvertible {
  /// The value on one line: text in quotes, a timestamp in RFC 3339 format, the number of bytes, an array in
  /// brackets, a map in braces. For debugging; the format may change.
  ///
  /// Examples are `null`, `5`, `2.5`, `"Tea"`, `2026-11-22T10:15:00.25Z`, `<16 bytes>`, `/rooms/den`,
  /// `(48.4, 10.0)`, `["hot", 3]`, `{title: "Tea"}` and `vector(0.5, 1.0)`. Line breaks and quotes in text
  /// are escaped as in a Swift literal.
  ///
  /// - Complexity: O(*n*) in the size of the value. Long texts and large maps aren't shortened.
  public var description: String {
    switch self {
    case .null: "null"
    case .boolean(let value): "\(value)"
    case .integer(let value): "\(value)"
    case .double(let value): "\(value)"
    case .timestamp(let value): value.description
    case .string(let value): value.debugDescription
    case .bytes(let value): "<\(value.count) byte\(value.count == 1 ? "" : "s")>"
    case .reference(let path): "/\(path)"
    case .geoPoint(let point): point.description
    case .array(let elements): "[" + elements.map(\.description).joined(separator: ", ") + "]"
    case .map(let fields): fields.description
    case .vector(let components): "vector(" + components.map { "\($0)" }.joined(separator: ", ") + ")"
    }
  }
}

extension Fields: CustomStringConvertible {
  /// The fields on one line, for example `{rating: 5, title: "Tea"}`, in the order of their names. A name is
  /// written as in a field path, so one with special characters is in backticks. Without fields, it is `{}`.
  public var description: String {
    "{"
      + entries.map { "\(FieldPath([$0.name])): \($0.value)" }.joined(separator: ", ")
      + "}"
  }
}

extension GeoPoint: CustomStringConvertible {
  /// Latitude and longitude in degrees, for example `(48.4, 10.0)`.
  public var description: String { "(\(latitude), \(longitude))" }
}

extension ResourcePath: CustomStringConvertible {
  /// The IDs, separated by slashes and without one at either end; empty for the root. Unlike other
  /// descriptions, this is the path's exact form in Firestore's protocol, below
  /// `projects/P/databases/D/documents/`, and it doesn't change.
  ///
  /// An ID must not contain a slash; otherwise, the text has more IDs than the path.
  public var description: String { segments.joined(separator: "/") }
}

extension FieldPath: CustomStringConvertible {
  /// The path as the server writes it: names separated by dots, and in backticks unless they consist of
  /// letters, digits and underscores and don't begin with a digit.
  ///
  /// This is the notation of `google.firestore.v1.StructuredQuery.FieldReference` and
  /// `google.firestore.v1.DocumentMask`, and it doesn't change. A path without names is empty, and an empty
  /// name is a pair of backticks.
  public var description: String {
    segments.map { Self.isPlain($0) ? $0 : Self.quoted($0) }.joined(separator: ".")
  }

  /// Returns a name in backticks, with a backslash before each backtick and backslash.
  ///
  /// The name is read by code points, because a backtick followed by a combining mark is a single
  /// `Character`.
  private static func quoted(_ name: String) -> String {
    var quoted = "`".unicodeScalars
    for scalar in name.unicodeScalars {
      if scalar == "`" || scalar == "\\" { quoted.append("\\") }
      quoted.append(scalar)
    }
    return String(quoted) + "`"
  }

  /// Whether a name needs no backticks: it matches `[a-zA-Z_][a-zA-Z_0-9]*`. Only ASCII counts as letters and
  /// digits.
  ///
  /// - Parameter name: one name of the path; an empty one isn't plain.
  private static func isPlain(_ name: String) -> Bool {
    func isLetter(_ byte: UInt8) -> Bool {
      (UInt8(ascii: "a")...UInt8(ascii: "z")).contains(byte | 0x20) || byte == UInt8(ascii: "_")
    }
    func isDigit(_ byte: UInt8) -> Bool { (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(byte) }
    return name.utf8.first.map(isLetter) ?? false && name.utf8.allSatisfy { isLetter($0) || isDigit($0) }
  }
}

extension DocumentWrite: CustomStringConvertible {
  /// The write on one line, for example `update notes/tea {title: "Tea"} [title]`: the operation, the
  /// document, the fields, and for an update its mask in brackets. Transforms follow in brackets, and a
  /// precondition after `if`, both only if there are any.
  public var description: String {
    let operation =
      switch operation {
      case .set(let fields): "set \(document) \(fields)"
      case .update(let fields, let mask): "update \(document) \(fields) \(mask)"
      case .delete: "delete \(document)"
      }
    let transforms = transforms.isEmpty ? "" : " \(transforms)"
    return operation + transforms + (precondition.map { " if \($0)" } ?? "")
  }
}

extension FieldTransform: CustomStringConvertible {
  /// The field and how its value is computed, for example `views: increment(1)` or
  /// `tags: arrayUnion(["hot"])`. The names of the functions are those of Firestore's client libraries.
  public var description: String {
    let kind =
      switch kind {
      case .serverTimestamp: "serverTimestamp"
      case .increment(let value): "increment(\(value))"
      case .minimum(let value): "minimum(\(value))"
      case .maximum(let value): "maximum(\(value))"
      case .union(let values): "arrayUnion(\(Value.array(values)))"
      case .remove(let values): "arrayRemove(\(Value.array(values)))"
      }
    return "\(field): \(kind)"
  }
}

extension WritePrecondition: CustomStringConvertible {
  /// The condition, for example `exists(true)` or `updated(2026-11-22T10:15:00Z)`.
  public var description: String {
    switch self {
    case .exists(let exists): "exists(\(exists))"
    case .updated(let time): "updated(\(time))"
    }
  }
}
