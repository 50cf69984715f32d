import TenonFoundation
import TenonJSON
import TenonSQLite

/// Keys with which requests of the XML API are signed.
extension EmbeddedDatabase {
  /// Returns a key; `nil` if there is none with the ID.
  func hmacKey(_ id: String) throws -> HMACKey? {
    try opened().first("SELECT record FROM hmac_keys WHERE id = ?", [.text(id)]) { row in
      try JSON.decode(HMACKey.self, from: row.blob(0))
    }
  }

  /// Returns all keys in the order of their IDs. Their number is limited.
  func hmacKeys() throws -> [HMACKey] {
    try opened().rows("SELECT record FROM hmac_keys ORDER BY id") { row in
      try JSON.decode(HMACKey.self, from: row.blob(0))
    }
  }

  /// Inserts a key, or replaces the one with the same ID.
  func save(_ key: HMACKey) throws {
    try opened().run(
      "INSERT INTO hmac_keys (id, record) VALUES (?, ?) ON CONFLICT (id) DO UPDATE SET record = excluded.record",
      [.text(key.id), .blob(JSONEncoder().encode(key))])
  }

  /// Removes keys.
  func removeHMACKeys(_ ids: [String]) throws {
    for id in ids { try opened().run("DELETE FROM hmac_keys WHERE id = ?", [.text(id)]) }
  }
}
