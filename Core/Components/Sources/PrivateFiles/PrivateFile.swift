/// A small file that only its owner may read.
///
/// A change is written to a second file, flushed to the disk and renamed over the first, under a lock that
/// other processes respect. A reader sees either the old or the new content, whatever fails in between. Every
/// call may block.
package struct PrivateFile: Sendable {
  package let path: String
  private let directory: String

  /// - Parameters:
  ///   - directory: an existing private directory.
  ///   - name: the file's name in it.
  package init(directory: String, name: String) {
    self.directory = directory
    path = "\(directory)/\(name)"
  }

  /// Returns the content, or `nil` if there is no file.
  package func read() throws(SystemError) -> [UInt8]? { try Disk.content(of: path) }

  /// Changes the content. When this returns, the change is durable.
  ///
  /// - Parameter change: receives the current content, or the reason why it can't be read, and returns the
  ///   new content; `nil` removes the file.
  /// - Returns: the new content.
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

  /// Renames the file out of the way, to a name that contains the time in milliseconds since 1970.
  package func setAside() throws {
    try exclusively {
      try Disk.move(path, to: "\(path).unreadable-\(Disk.milliseconds)")
      try Disk.synchronize(directory: directory)
    }
  }

  /// Runs `body` while no other process and no other thread does, using a lock file beside the file.
  package func exclusively<Value>(_ body: () throws -> Value) throws -> Value {
    try Disk.locked("\(path).lock", body)
  }
}
