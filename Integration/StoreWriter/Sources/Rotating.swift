import TenonStore

/// Two keys, of which a database has one.
private actor Keys {
  private var (used, other): (Range<UInt8>, Range<UInt8>) = (2..<34, 1..<33)

  /// Returns the other key than before. A database asks again if a key doesn't fit.
  func next() throws -> EncryptionKey {
    (used, other) = (other, used)
    return try EncryptionKey(used)
  }
}

/// Replaces the key of a database without end, by the first one and the second one in turn, and counts in a
/// document. Prints a line when the new key is that of the database.
func rotate(_ path: String) async throws {
  let keys = Keys()
  let store = try openStore(path, hasRemote: false, encryption: .key { try await keys.next() })
  let document = store.document("counters/rotated")
  do { _ = try await document.getDocument() } catch let error as StoreError where error.code == .encryptionKey
  {}
  var count = try await document.getDocument().fields?["count"]?.int64Value ?? 0
  try say("ready")
  while true {
    try await store.rotateEncryptionKey(to: keys.next())
    count += 1
    try await document.setData(["count": count])
    try say("done \(count)")
  }
}
