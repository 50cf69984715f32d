package import TenonStoreInterop

extension Timestamp {
  /// A moment by its distance from 1970-01-01T00:00:00Z.
  package init(microsecondsSince1970 microseconds: Int64) {
    let (seconds, rest) = microseconds.quotientAndRemainder(dividingBy: 1_000_000)
    self.init(
      seconds: rest < 0 ? seconds - 1 : seconds,
      nanoseconds: Int32(rest < 0 ? rest + 1_000_000 : rest) * 1000
    )
  }

  /// The distance from 1970-01-01T00:00:00Z; what is finer than a microsecond is cut.
  package var microsecondsSince1970: Int64 { seconds * 1_000_000 + Int64(nanoseconds / 1000) }
}
