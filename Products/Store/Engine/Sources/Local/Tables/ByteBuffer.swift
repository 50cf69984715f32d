/// A buffer for the bytes of several columns, which are referred to by their ranges.
extension [UInt8] {
  /// Appends bytes, and returns their range.
  mutating func appendRange(contentsOf content: some Sequence<UInt8>) -> Range<Int> {
    let start = count
    append(contentsOf: content)
    // Checked: bytes were appended since.
    return start..<count
  }
}
