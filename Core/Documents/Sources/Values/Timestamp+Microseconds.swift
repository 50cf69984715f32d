package import TenonStoreInterop

extension Timestamp {
  /// Creates a timestamp from microseconds since 1970-01-01T00:00:00Z, negative for earlier times.
  package init(microsecondsSince1970 microseconds: Int64) {
    let (seconds, rest) = microseconds.quotientAndRemainder(dividingBy: 1_000_000)
    self.init(
      seconds: rest < 0 ? seconds - 1 : seconds,
      nanoseconds: Int32(rest < 0 ? rest + 1_000_000 : rest) * 1000
    )
  }

  /// Microseconds since 1970-01-01T00:00:00Z; finer fractions are truncated. Traps if the result exceeds the range of `Int64`,
  /// which valid timestamps (years 1 to 9999) do not.
  package var microsecondsSince1970: Int64 { seconds * 1_000_000 + Int64(nanoseconds / 1000) }
}
