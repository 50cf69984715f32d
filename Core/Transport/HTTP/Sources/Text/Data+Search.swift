package import TenonFoundation

#if canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#elseif canImport(Android)
  import Android
#elseif canImport(Darwin)
  import Darwin
#elseif canImport(ucrt)
  import ucrt
#endif

extension Data {
  /// Returns the indices of the first occurrence of some bytes.
  ///
  /// `Data.range(of:)` belongs to the full Foundation, and `firstRange(of:)` of the standard library examines
  /// each byte by a call.
  ///
  /// - Parameter pattern: the bytes to find.
  /// - Returns: the indices in this data, which need not begin at 0; `nil` if there is no occurrence or the
  ///   pattern is empty.
  /// - Complexity: O(*n* · *m*) if the pattern's first byte is frequent, and usually O(*n*).
  package func firstOccurrence(of pattern: Data) -> Range<Index>? {
    let place: Int? = withUnsafeBytes { bytes in
      pattern.withUnsafeBytes { pattern in
        guard let first = pattern.first, let wanted = pattern.baseAddress else { return nil }
        var rest = UnsafeRawBufferPointer(rebasing: bytes[...])
        while rest.count >= pattern.count, let start = rest.baseAddress,
          let hit = memchr(start, Int32(clamping: first), rest.count &- pattern.count &+ 1)
        {
          // Checked: both point into the data.
          let skipped = UnsafeRawPointer(hit) - start
          if memcmp(hit, wanted, pattern.count) == 0 { return bytes.count &- rest.count &+ skipped }
          // Checked: a byte was found there.
          rest = UnsafeRawBufferPointer(rebasing: rest[(skipped &+ 1)...])
        }
        return nil
      }
    }
    // Checked: the place is within the data.
    return place.map { startIndex + $0..<startIndex + $0 + pattern.count }
  }
}
