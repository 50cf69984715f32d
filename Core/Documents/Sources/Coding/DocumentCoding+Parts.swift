package import TenonValues

/// Encoding fields in parts, without a value that contains all of them.
///
/// What is appended must follow the format: a count of fields is followed by as many names, each with its
/// value, in the order of the names, and a count of elements by as many values.
extension DocumentCoding {
  /// Begins the fields of a document.
  package static func append(countOfFields count: Int, to bytes: inout [UInt8]) {
    append(count: count, to: &bytes)
  }

  /// Begins a value that is a map.
  package static func append(countOfMap count: Int, to bytes: inout [UInt8]) {
    bytes.append(Tag.map.rawValue)
    append(count: count, to: &bytes)
  }

  /// Begins a value that is an array.
  package static func append(countOfArray count: Int, to bytes: inout [UInt8]) {
    bytes.append(Tag.array.rawValue)
    append(count: count, to: &bytes)
  }

  /// Appends the name of a field. Its value must follow.
  package static func append(name: String, to bytes: inout [UInt8]) { append(name, to: &bytes) }

  /// Appends a value that is a map.
  ///
  /// - Returns: the range of the bytes that are equal to ``bytes(of:)`` for the fields.
  package static func append(map fields: Fields, to bytes: inout [UInt8]) -> Range<Int> {
    bytes.append(Tag.map.rawValue)
    let start = bytes.count
    append(fields, to: &bytes)
    // Checked: bytes were appended since.
    return start..<bytes.count
  }
}
