/// Writes values as compact JSON text (RFC 8259): members sorted by name, slashes not escaped.
///
/// Numbers are written as `JSONEncoder` writes them: doubles with as few digits as identify them, and without
/// a fraction of zero.
struct JSONWriter {
  /// The text so far, in UTF-8.
  private(set) var bytes: [UInt8] = []

  /// Appends a value.
  ///
  /// - Throws: `EncodingError` for a `double` that isn't finite, with its path.
  /// - Complexity: O(*n*), apart from sorting the names. The depth of the recursion is that of the value.
  mutating func write(_ value: JSON, at path: JSONPath = .root) throws(EncodingError) {
    switch value {
    case .null: append("null")
    case .bool(let value): append(value ? "true" : "false")
    case .int(let value): append("\(value)")
    case .unsigned(let value): append("\(value)")
    case .double(let value):
      guard value.isFinite else {
        throw .invalidValue(
          value, .init(codingPath: path.keys, debugDescription: "JSON can't represent infinities or NaN."))
      }
      let text = value.description
      append(text.hasSuffix(".0") ? text.dropLast(2) : text[...])
    case .string(let text): bytes.appendJSON(text)
    case .array(let elements):
      bytes.append(UInt8(ascii: "["))
      for (index, element) in elements.enumerated() {
        if index > 0 { bytes.append(UInt8(ascii: ",")) }
        try write(element, at: .key(JSONKey(index: index), in: path))
      }
      bytes.append(UInt8(ascii: "]"))
    case .object(let members):
      bytes.append(UInt8(ascii: "{"))
      var isFirst = true
      for (name, member) in members.sorted(by: { $0.key < $1.key }) {
        if !isFirst { bytes.append(UInt8(ascii: ",")) }
        isFirst = false
        bytes.appendJSON(name)
        bytes.append(UInt8(ascii: ":"))
        try write(member, at: .key(JSONKey(stringValue: name), in: path))
      }
      bytes.append(UInt8(ascii: "}"))
    }
  }

  /// Appends text that needs no escapes.
  private mutating func append(_ text: some StringProtocol) { bytes.append(contentsOf: text.utf8) }
}
