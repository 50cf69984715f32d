import TenonFoundation
import TenonSQLite

/// The key of an encrypted database.
extension StoreEngine {
  /// Obtains the key from the closure of the settings, unless it is known, the database isn't encrypted, or
  /// it was closed permanently. Operations that need it at the same time wait for one call of the closure.
  ///
  /// - Throws: ``StoreError`` with ``StoreError/Code/encryptionKey`` if the closure throws;
  ///   `CancellationError`.
  func loadKey() async throws {
    guard let encryption = configuration.settings.encryption, key == nil, !isOver else { return }
    let request = keyRequest ?? SharedTask { try await encryption.key() }
    keyRequest = request
    defer { if keyRequest === request { keyRequest = nil } }
    do {
      let obtained = try await request.value()
      if !isOver { key = obtained }
    } catch {
      if error is CancellationError { throw error }
      throw StoreError(
        .encryptionKey, "The key of \(databaseName) can't be obtained: \(error)", underlying: error)
    }
  }

  /// The database in messages.
  private var databaseName: String { path.map { "the database \($0)" } ?? "the database in memory" }

  /// Returns the key, obtaining it if necessary; `nil` if the database isn't encrypted.
  ///
  /// - Throws: as ``loadKey()``.
  package func encryptionKey() async throws -> EncryptionKey? {
    try await loadKey()
    return key
  }

  /// Opens the file. A key that doesn't fit is forgotten, so that the next operation obtains another one.
  ///
  /// - Parameter limit: how long to wait for the locks of other processes.
  /// - Throws: as ``StoreFile/open()``; ``StoreError`` with ``StoreError/Code/encryptionKey`` if the key
  ///   isn't known, because an operation that ran at the same time has forgotten it.
  func openFile(waitingAtMost limit: Duration) throws -> Connection {
    guard configuration.settings.encryption == nil || key != nil else {
      throw StoreError(.encryptionKey, "The key of \(databaseName) doesn't fit or isn't known. Try again.")
    }
    do { return try file.open(waitingAtMost: limit) } catch let error as SQLiteError
      where error.code == .keyWrong
    {
      key = nil
      throw error
    }
  }

  /// Replaces the key; see ``Store/rotateEncryptionKey(to:)``.
  ///
  /// - Throws: ``StoreError``; `CancellationError`.
  package func replaceKey(with newKey: EncryptionKey) async throws {
    guard configuration.settings.encryption != nil else {
      throw StoreError(
        .failedPrecondition,
        "The key can't be replaced, because \(databaseName) isn't encrypted. "
          + "Open it with StoreSettings(encryption: .key { … }).")
    }
    try await useAsUser { running in
      guard let path else {
        key = newKey
        return
      }
      do { try running.connection.replaceKey(with: newKey.key) } catch let error as SQLiteError
        where error.code == .busy && running.connection.hasKey(newKey.key)
      {
        hasReplacedKey(newKey)
        throw StoreError(
          .unavailable,
          "The key of the database \(path) was replaced, but without its log, the file still has the former key "
            + "until no other process reads it. Replace the key again later.", underlying: error)
      }
      hasReplacedKey(newKey)
    }
  }

  private func hasReplacedKey(_ newKey: EncryptionKey) {
    key = newKey
    readers.replaceKey(with: newKey.key)
  }
}
