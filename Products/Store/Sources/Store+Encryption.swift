public import TenonStoreEngine

extension Store {
  /// Replaces the key of an encrypted database.
  ///
  /// ```swift
  /// let key = EncryptionKey.random()
  /// try await keychain.set("notes-next", key.bytes)
  /// try await store.rotateEncryptionKey(to: key)
  /// try await keychain.set("notes", key.bytes)
  /// ```
  ///
  /// The documents are encrypted with a random key that the file contains, encrypted with the key of the
  /// user. Only that record is replaced, in one small transaction: the call doesn't depend on the size of the
  /// database, and other processes can go on using it. A process that is killed while it does so leaves a
  /// database with one of the two keys, so keep both until the call has returned. When it has, the former key
  /// opens neither the file nor its log. It still opens copies of the files that were made before, such as
  /// backups (see ``restore(from:key:onProgress:)``); if somebody may have such a copy and the former key,
  /// write the documents to a new database.
  ///
  /// The closure of ``StoreSettings/encryption`` must return the new key from now on. It is called when the
  /// database is next opened.
  ///
  /// - Parameter key: the new key.
  /// - Throws: ``StoreError`` with ``StoreError/Code/failedPrecondition`` if the database isn't encrypted;
  ///   with ``StoreError/Code/encryptionKey`` if it can't be opened with its key; with
  ///   ``StoreError/Code/unavailable`` if the disk failed, or if another process reads the database, in which
  ///   case the key was replaced, but the file without its log still has the former one until the call is
  ///   repeated;
  ///   `CancellationError`.
  public func rotateEncryptionKey(to key: EncryptionKey) async throws {
    try await engine.replaceKey(with: key)
  }
}
