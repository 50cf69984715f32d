internal import CSQLite
internal import TenonChecksums

/// Files that are deleted or moved while they are open, and those of other programs.
extension Connection {
  /// The time for which a read relies on the last check that the file is at its path.
  private static let checkInterval = Duration.milliseconds(100)

  /// Checks that the database, and its log if it is open, are still at the path.
  ///
  /// A deleted file exists until it is closed, so SQLite can still write to it, and a moved one is written
  /// where the next process doesn't look for it. If the file is put back, the connection can be used again.
  ///
  /// - Throws: ``SQLiteError`` with ``SQLiteError/Code/moved``.
  /// - Complexity: two calls of the system, a few microseconds. A commit to a disk takes milliseconds.
  package func checkPlace() throws(SQLiteError) {
    guard path != nil else { return }
    var hasMoved: CInt = 0
    // Disks that can't tell return another code.
    let result = sqlite3_file_control(handle, "main", CInt(TENON_FILES_HAVE_MOVED), &hasMoved)
    guard result == SQLITE_OK, hasMoved != 0 else { return }
    lastPlaceCheck = nil
    throw SQLiteError(
      code: .moved, message: "the file was deleted or moved while it was open", resultCode: 0, sql: nil,
      path: path)
  }

  /// Checks as ``checkPlace()`` does, unless that was done in the last 100 milliseconds. Reading the clock
  /// takes a fraction of the time of the check.
  ///
  /// - Throws: as ``checkPlace()``, at each call until the file is at its path again.
  func checkPlaceOccasionally() throws(SQLiteError) {
    guard path != nil else { return }
    let now = ContinuousClock.now
    if let lastPlaceCheck, now - lastPlaceCheck < Self.checkInterval { return }
    try checkPlace()
    lastPlaceCheck = now
  }

  /// Checks that a database is one of this program, or empty. Nothing is changed by that.
  ///
  /// - Parameter statements: statements of tables and indexes, of which a database of this program has at
  ///   least one, whatever its version.
  /// - Throws: ``SQLiteError`` with ``SQLiteError/Code/foreign``. A file that can't be read is accepted: the
  ///   next step of opening reports the reason.
  func checkOwner(_ statements: Set<String>) throws(SQLiteError) {
    guard let found = try? rows("SELECT coalesce(sql, name) FROM sqlite_schema", [], { $0.text(0) }),
      !found.isEmpty, !found.contains(where: statements.contains)
    else { return }
    throw SQLiteError(
      code: .foreign, message: "the file is an SQLite database of another program", resultCode: 0, sql: nil,
      path: path)
  }
}
