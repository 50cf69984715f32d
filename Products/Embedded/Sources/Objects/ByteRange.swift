/// The bytes that a `Range` field asks for (RFC 9110, section 14), of one content.
enum ByteRange {
  /// - Returns: `nil` when the field asks for no single range of bytes, which means the whole.
  /// - Throws: ``Refusal`` with status 416 when nothing of the range is there.
  static func parse(_ field: String, size: Int64) throws -> Range<Int64>? {
    guard field.hasPrefix("bytes=") else { return nil }
    let parts = field.dropFirst(6).split(separator: "-", maxSplits: 1, omittingEmptySubsequences: false)
    guard parts.count == 2, !field.contains(",") else { return nil }
    let range: Range<Int64>
    switch (Int64(parts[0]), Int64(parts[1])) {
    case (let first?, let last?) where first <= last: range = first..<(min(last, size - 1) + 1)
    case (let first?, nil) where parts[1].isEmpty: range = min(first, size)..<size
    case (nil, let suffix?) where parts[0].isEmpty: range = max(0, size - suffix)..<size
    default: return nil
    }
    guard !range.isEmpty else {
      throw Refusal(
        416,
        "The range \(field) is outside of the object's \(size) bytes.",
        reason: "requestedRangeNotSatisfiable"
      )
    }
    return range
  }
}
