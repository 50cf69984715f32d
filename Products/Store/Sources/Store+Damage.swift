/// What came out of a database's file that was set aside.
public struct RecoveredDocuments: Sendable, Hashable {
  /// How many documents were written into the present database.
  public let saved: Int
  /// Whether everything in the file could be read. Otherwise documents may be missing, and nobody can tell how many.
  public let isComplete: Bool
}

extension Store {
  /// Moves the database's damaged file to another name in the same directory, so that the store begins anew, empty.
  ///
  /// A damaged file is never touched otherwise: everything that needs it throws ``StoreError/Code/dataLoss`` until the file
  /// has been set aside or replaced by a copy. Nothing is deleted here either.
  ///
  /// ```swift
  /// do { try await open() } catch let error as StoreError where error.code == .dataLoss {
  ///   let file = try await store.setAsideDamagedFile()
  ///   let recovered = try await store.recoverDocuments(from: file)
  ///   print("\(recovered.saved) documents were saved; the damaged file is kept as \(file)")
  /// }
  /// ```
  ///
  /// Listeners end with an error. The whole file is checked first, which takes its time.
  ///
  /// - Returns: where the file is now. Its write-ahead log, if there is one, lies beside it in files whose names begin with the
  ///   file's and `-wal`.
  /// - Throws: ``StoreError`` with ``StoreError/Code/failedPrecondition`` when the file is sound, which stays where it is
  ///   then; with ``StoreError/Code/unavailable`` when another process has it open: end that one first.
  @discardableResult
  public func setAsideDamagedFile() async throws -> String { try await engine.setAsideDamagedFile() }

  /// Writes the documents that can still be read in a file that was set aside into this database. Documents that are there
  /// already stay as they are; the others count as created now. The file isn't changed.
  ///
  /// Only documents on pages whose checksums match are recovered. In a file that was written before databases had checksums, a
  /// document whose bytes were changed without breaking its form is taken as it is.
  ///
  /// - Parameter file: what ``setAsideDamagedFile()`` returned.
  /// - Throws: ``StoreError`` with ``StoreError/Code/notFound`` when the file isn't there, with
  ///   ``StoreError/Code/dataLoss`` when nothing of it can be read.
  public func recoverDocuments(from file: String) async throws -> RecoveredDocuments {
    try await engine.recoverDocuments(from: file)
  }
}
