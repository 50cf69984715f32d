import TenonStoreInterop

/// A document as the database has it.
struct StoredDocument: Sendable {
  let path: ResourcePath
  let fields: Fields
  let createTime: Timestamp
  let updateTime: Timestamp
}

extension Timestamp {
  /// Microseconds since 1970, as the database keeps moments.
  var microseconds: Int64 { seconds * 1_000_000 + Int64(nanoseconds) / 1000 }

  init(microseconds: Int64) {
    let (seconds, rest) = microseconds.quotientAndRemainder(dividingBy: 1_000_000)
    let isBefore = rest < 0
    self.init(
      seconds: isBefore ? seconds - 1 : seconds,
      nanoseconds: Int32(isBefore ? rest + 1_000_000 : rest) * 1000
    )
  }
}
