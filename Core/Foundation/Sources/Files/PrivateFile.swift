/// A small file that only its owner may read.
///
/// A change is written to a second file, flushed to the disk and renamed over the first, under a lock that
/// other processes respect. A reader sees either the old or the new content, whatever fails in between. Every
/// call may block.
///
/// On Windows, there is no lock between processes.
package struct PrivateFile: Sendable {
  /// The path of the file.
  package let path: String
  private let directory: String
  /// The greatest size of the content that is read, in bytes: nothing private and small is larger.
  package static let largestContent = 1 << 20

  /// Refers to a file, which need not exist.
  ///
  /// - Parameters:
  ///   - directory: an existing private directory.
  ///   - name: the file's name in it.
  package init(directory: String, name: String) {
    self.directory = directory
    path = "\(directory)/\(name)"
  }

  /// Returns the content, or `nil` if there is no file. Takes no lock, because a change replaces the file as
  /// a whole. If others than the owner may access the file, this takes their access away.
  ///
  /// - Throws: ``SystemError`` if there is a file that can't be read, or that stays accessible to others; with
  ///   the code `EFBIG` if it has more than ``largestContent`` bytes, which aren't read.
  package func read() throws(SystemError) -> [UInt8]? {
    try Disk.content(of: path, upTo: Self.largestContent)
  }

  /// Whether the file was removed with the given note by ``update(_:)``. `false` if it exists, if another note
  /// was written since, if the whole directory is gone, or if this can't be determined.
  ///
  /// - Parameter note: the note of ``note(_:)``.
  /// - Complexity: one system call while the file exists.
  package func isRemoved(with note: String) -> Bool {
    guard Disk.exists(path) == false else { return false }
    return (try? Disk.content(of: lock, upTo: 1_024)).map { $0 == Array(note.utf8) } ?? false
  }

  /// Writes a note about the next removal into the lock file, for other processes. Nothing depends on it, so
  /// it isn't flushed to the disk, and an error is ignored. The caller must hold the lock.
  ///
  /// - Parameter note: a short text.
  package func note(_ note: String) { Disk.overwrite(lock, with: Array(note.utf8.prefix(1_024))) }

  /// The path of the lock file.
  private var lock: String { "\(path).lock" }

  /// Changes the content. When this returns, the change is durable. Unchanged content isn't written.
  ///
  /// - Parameter change: receives the current content, or the reason why it can't be read, and returns the
  ///   new content; `nil` removes the file. It is called with the lock held, so it must not access the same
  ///   file through another call that locks.
  /// - Returns: the new content.
  /// - Throws: ``SystemError``; what `change` throws, in which case the file is unchanged.
  @discardableResult
  package func update(
    _ change: (_ present: Result<[UInt8]?, SystemError>) throws -> [UInt8]?
  ) throws -> [UInt8]? {
    try exclusively {
      let present = Result { () throws(SystemError) in try read() }
      let changed = try change(present)
      if case .success(changed) = present { return changed }
      if let changed { try Disk.replace(path, with: changed) } else { try Disk.remove(path) }
      try Disk.synchronize(directory: directory)
      return changed
    }
  }

  /// Renames the file to a name that contains the time in milliseconds since 1970, so that a new one can be
  /// written and the unreadable one examined.
  ///
  /// - Parameter condition: receives the content, or the reason why it can't be read, with the lock held, and
  ///   returns whether to rename the file. Otherwise, this does nothing.
  /// - Throws: ``SystemError``, also if there is no file.
  package func setAside(
    if condition: (_ present: Result<[UInt8]?, SystemError>) -> Bool = { _ in true }
  ) throws {
    try exclusively {
      guard condition(Result { () throws(SystemError) in try read() }) else { return }
      try Disk.move(path, to: "\(path).unreadable-\(Disk.milliseconds)")
      try Disk.synchronize(directory: directory)
    }
  }

  /// Calls `body` while no other process and no other thread does, using a lock file beside the file. Not
  /// recursive.
  ///
  /// - Parameter body: runs with the lock held.
  /// - Returns: what `body` returns.
  /// - Throws: ``SystemError`` if the lock file can't be opened or locked; what `body` throws.
  package func exclusively<Value>(_ body: () throws -> Value) throws -> Value {
    try Disk.locked(lock, body)
  }
}
