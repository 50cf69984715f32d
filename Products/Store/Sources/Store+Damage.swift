import TenonStoreEngine

extension Store {
  /// Moves the database's damaged file to another name in the same directory. The database is then empty.
  ///
  /// A damaged file is never modified otherwise: operations that need it throw ``StoreError/Code/dataLoss``
  /// until the file has been set aside or replaced by a copy. This method deletes nothing either.
  ///
  /// ```swift
  /// do { _ = try await page.getDocument() } catch let error as StoreError where error.code == .dataLoss {
  ///   let file = try await store.setAsideDamagedFile()
  ///   let recovered = try await store.recoverDocuments(from: file)
  ///   print("\(recovered.saved) documents were saved; the damaged file is kept as \(file)")
  /// }
  /// ```
  ///
  /// Listeners end with an error. The whole file is checked first, which takes time proportional to its size.
  ///
  /// - Returns: the new path of the file. Its write-ahead log, if there is one, is in the same directory, in
  ///   files whose names begin with the name of the file and `-wal`.
  /// - Throws: ``StoreError`` with ``StoreError/Code/failedPrecondition`` if the file is intact or an SQLite
  ///   database of another program, in which case it isn't moved; with ``StoreError/Code/unavailable`` if
  ///   another process has it open. Terminate that process first.
  @discardableResult
  public func setAsideDamagedFile() async throws -> String { try await engine.setAsideDamagedFile() }

  /// Copies the documents that can still be read from a file that was set aside into this database. Existing
  /// documents aren't overwritten; recovered ones count as created now. The file isn't modified.
  ///
  /// Only documents on pages with valid checksums are recovered. In a file written before databases had
  /// checksums, a document whose bytes were altered but still have a valid format is recovered as it is.
  ///
  /// - Parameter file: the path that ``setAsideDamagedFile()`` returned.
  /// - Returns: the number of recovered documents, and whether the whole file was readable.
  /// - Throws: ``StoreError`` with ``StoreError/Code/notFound`` if the file doesn't exist, and with
  ///   ``StoreError/Code/dataLoss`` if nothing in it can be read.
  public func recoverDocuments(from file: String) async throws -> RecoveredDocuments {
    try await engine.recoverDocuments(from: file)
  }
}
