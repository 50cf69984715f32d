import TenonCore
import TenonFoundation
import TenonSQLite

/// Handles deleted and moved files, and full disks.
extension StoreEngine {
  /// Ends all listeners and the calls that wait for the remote if an error states that the database's file is
  /// no longer at its path; no effect for other errors.
  ///
  /// The database stays open. Each read and write checks the path again, so that the database can be used
  /// when the file was put back.
  func noteMove(_ error: any Error) {
    guard (error as? SQLiteError)?.code == .moved else { return }
    let error = StoreError.wrapping(error)
    if !listeners.isEmpty || !rejections.isEmpty {
      configuration.logger.error("Listening ends: \(error)")
      endListeners(throwing: error)
    }
    guard case .open(let running) = state else { return }
    answers.releaseTransactions()
    running.sync.stopWaiting(error)
  }

  /// Runs a write a second time on a full disk. It has the space of the log then, which was moved into the
  /// file, where deletions may have left space.
  ///
  /// - Parameter body: writes in one transaction, and has no effect if it throws.
  /// - Throws: what `body` throws the last time.
  func reusingLog<Result>(_ body: () throws -> Result) throws -> Result {
    do { return try body() } catch let error as SQLiteError where error.needsSpace { return try body() }
  }

  /// Runs a deletion in a way that succeeds on a full disk: the second time, it has the space of the log, and
  /// the third time also that of the reserve.
  ///
  /// - Parameter body: writes in one transaction, and has no effect if it throws.
  /// - Throws: what `body` throws the last time.
  func deleting<Result>(_ body: () throws -> Result) throws -> Result {
    do { return try reusingLog(body) } catch let error as SQLiteError where error.needsSpace {
      guard let reserve, reserve.release() else { throw error }
      return try body()
    }
  }
}

extension SQLiteError {
  /// The result code of a file that can't be extended for the index of the log (`SQLITE_IOERR_SHMSIZE`).
  private static let indexNeedsSpace: Int32 = 4874

  /// Whether the disk is full.
  var needsSpace: Bool { code == .full || resultCode == Self.indexNeedsSpace }
}
