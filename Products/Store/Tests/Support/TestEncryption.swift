import Foundation
import TenonSQLite

@testable import TenonStore
@testable import TenonStoreEngine

/// With `TENON_STORE_ENCRYPTION=1`, the databases of all tests are encrypted.
enum TestEncryption {
  static let isOn = ProcessInfo.processInfo.environment["TENON_STORE_ENCRYPTION"] == "1"
  /// The key of the databases of tests; `nil` if they aren't encrypted.
  static let key = isOn ? DatabaseKey(100..<132) : nil

  /// Adds the key to settings without one.
  static func added(to settings: StoreSettings) -> StoreSettings {
    guard isOn, settings.encryption == nil else { return settings }
    var settings = settings
    settings.encryption = .key { try EncryptionKey(100..<132) }
    return settings
  }
}

/// Opens the database of a store as SQLite sees it; also one that no store has encrypted yet.
func openDatabase(_ path: String) throws(SQLiteError) -> Connection {
  do { return try Connection.open(path, disk: nil, key: TestEncryption.key) } catch {
    guard error.code == .notEncrypted else { throw error }
    return try Connection.open(path)
  }
}
