import TenonJSON

/// The part of a content that the `Range` field of a request selects (RFC 9110, section 14.1.2).
///
/// Units other than bytes are treated as malformed, as RFC 9110 allows.
enum ByteRange: Sendable, Hashable {
  /// The whole content: there is no field, it is malformed, or it has several ranges, which a server may
  /// ignore.
  case whole
  /// A range that isn't empty and lies within the content.
  case part(Range<Int64>)
  /// The content has no byte of the range: status 416.
  case unsatisfiable

  /// Parses a field.
  ///
  /// - Parameters:
  ///   - field: the value of the field; `nil` if the request has none.
  ///   - size: the size of the content in bytes, at least 0.
  init(_ field: String?, size: Int64) {
    self = field.flatMap { Self.parse($0, size: size) } ?? .whole
  }

  /// Parses a field with a single range of bytes.
  ///
  /// - Returns: `nil` if the field is malformed or has several ranges.
  private static func parse(_ field: String, size: Int64) -> ByteRange? {
    let sides = field.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
    guard sides.count == 2, sides[0].lowercased() == "bytes" else { return nil }
    let range = sides[1].trimmingPrefix { $0 == " " || $0 == "\t" }
    guard let dash = range.firstIndex(of: "-") else { return nil }
    let (before, after) = (range[..<dash], range[range.index(after: dash)...])
    if before.isEmpty {
      guard let count = position(after) else { return nil }
      guard count > 0 else { return .unsatisfiable }
      // No byte range can describe the whole of an empty content.
      // Checked: the size is positive, and the count too.
      return size == 0 ? .whole : .part(max(0, size - count)..<size)
    }
    guard let first = position(before) else { return nil }
    var end = size
    if !after.isEmpty {
      guard let last = position(after), last >= first else { return nil }
      if last < size { end = last + 1 }
    }
    // Checked: the end is the size, or behind the first byte.
    return first < size ? .part(first..<end) : .unsatisfiable
  }

  /// Returns a position in decimal digits; `nil` for other text. Positions that exceed 64 bits are behind the
  /// end of every content.
  private static func position(_ digits: Substring) -> Int64? {
    guard !digits.isEmpty, digits.utf8.allSatisfy((UInt8(ascii: "0")...UInt8(ascii: "9")).contains) else {
      return nil
    }
    return Int64(decimal: digits) ?? .max
  }
}
