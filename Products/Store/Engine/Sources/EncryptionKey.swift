import TenonFoundation
package import TenonSQLite

/// The key of an encrypted database: 32 bytes. Its description is `•••`, and mirrors show no content.
///
/// The key and the files are all that is needed to read the database, and nothing can be read without the
/// key. Keep it where the system keeps secrets, for example in a keychain, and keep a copy: a lost key can't
/// be recovered.
///
/// The memory isn't protected: the bytes are neither encrypted nor erased when the value is released.
public struct EncryptionKey: Sendable {
  package let key: DatabaseKey

  /// Creates a key from its bytes.
  ///
  /// The bytes must be random, as those of ``random()`` are. A password isn't a key; derive one from it with
  /// a function that is made for that purpose, such as Argon2 or PBKDF2.
  ///
  /// - Parameter bytes: 32 bytes.
  /// - Throws: ``StoreError`` with ``StoreError/Code/invalidArgument`` if there are more or fewer.
  public init(_ bytes: some Sequence<UInt8>) throws {
    guard let key = DatabaseKey(bytes) else {
      throw StoreError(
        .invalidArgument,
        "The key of an encrypted database has \(DatabaseKey.size) bytes. Create one with EncryptionKey.random()."
      )
    }
    self.key = key
  }

  private init(key: DatabaseKey) { self.key = key }

  /// The bytes, to save them where the system keeps secrets.
  public var bytes: [UInt8] { key.bytes }

  /// Returns a new key of random bytes, from the random number generator of the system.
  public static func random() -> EncryptionKey {
    var generator = SystemRandomNumberGenerator()
    var bytes: [UInt8] = []
    while bytes.count < DatabaseKey.size { bytes.append(generator.next()) }
    guard let key = DatabaseKey(bytes) else { preconditionFailure("A key has \(DatabaseKey.size) bytes.") }
    return EncryptionKey(key: key)
  }
}

extension EncryptionKey: CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
  /// Three bullets.
  public var description: String { "•••" }
  /// Three bullets.
  public var debugDescription: String { description }
  /// A mirror without content.
  public var customMirror: Mirror { Mirror(self, children: []) }
}
