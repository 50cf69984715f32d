import TenonFoundation

/// Space on the disk that is kept for deletions, so that a full disk isn't a dead end: a file of 256 KiB
/// beside the database, whose name ends in `-reserve`.
///
/// Also a deletion needs space: changed pages are written to the write-ahead log first. Usually that of the
/// log suffices, which is written from its beginning again (`Connection.makeSpaceInLog()`); but the log of a
/// database that was closed is deleted, and opening a database needs a file for the index of the log.
/// It holds no resources, and every process that has the database open may use it.
struct DiskReserve {
  /// The path of the file.
  let path: String

  /// - Parameter database: the path of the database file.
  init(database: String) { path = "\(database)-reserve" }

  /// The size in bytes: the index of the log, and some 50 pages of the log.
  private static let size = 256 << 10

  /// Creates the file if it is missing. It isn't created if the disk has no space for it.
  func fill() {
    guard !FileManager.default.fileExists(atPath: path) else { return }
    if !FileManager.default.createFile(atPath: path, contents: Self.content) { release() }
  }

  /// Deletes the file.
  ///
  /// - Returns: whether there was one.
  @discardableResult func release() -> Bool {
    (try? FileManager.default.removeItem(atPath: path)) != nil
  }

  /// Bytes that a file system can't store in less space.
  private static var content: Data {
    var state: UInt64 = 0x9E37_79B9_7F4A_7C15
    // Checked: a constant.
    let words = (0..<size / 8).map { _ in
      // Marsaglia's xorshift.
      state ^= state << 13
      state ^= state >> 7
      state ^= state << 17
      return state
    }
    return words.withUnsafeBytes { Data($0) }
  }
}
