import TenonJSON

/// The `Content-Range` field of a request that continues an upload of the JSON API
/// (https://cloud.google.com/storage/docs/performing-resumable-uploads#chunked-upload).
enum ContentRange: Sendable, Hashable {
  /// The request has the bytes from an offset to another one, inclusive. The size of the whole content
  /// follows if it is known.
  case part(first: Int64, last: Int64, total: Int64?)
  /// The request has no content: it asks how much was received, or completes an upload of the given size.
  case none(total: Int64?)

  /// Parses a field: `bytes 0-9/20`, `bytes 0-9/*`, `bytes */20` or `bytes */*`.
  ///
  /// - Returns: `nil` if the field is malformed, or if the range exceeds the total.
  init?(_ field: String) {
    let unit = field.split(separator: " ", maxSplits: 1)
    guard unit.count == 2, unit[0].lowercased() == "bytes" else { return nil }
    let sides = unit[1].split(separator: "/", omittingEmptySubsequences: false)
    guard sides.count == 2 else { return nil }
    var total: Int64?
    if sides[1] != "*" {
      guard let number = Self.number(sides[1]) else { return nil }
      total = number
    }
    guard sides[0] != "*" else {
      self = .none(total: total)
      return
    }
    let ends = sides[0].split(separator: "-", omittingEmptySubsequences: false)
    guard ends.count == 2, let first = Self.number(ends[0]), let last = Self.number(ends[1]), first <= last,
      last < total ?? .max
    else { return nil }
    self = .part(first: first, last: last, total: total)
  }

  /// Returns a number in decimal digits; `nil` for other text, and for numbers that exceed 64 bits.
  private static func number(_ text: Substring) -> Int64? {
    guard !text.isEmpty, text.utf8.allSatisfy((UInt8(ascii: "0")...UInt8(ascii: "9")).contains) else {
      return nil
    }
    return Int64(decimal: text)
  }
}
