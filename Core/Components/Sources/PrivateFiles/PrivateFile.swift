/// A small file that only its owner may read.
///
/// A change is written beside the file, forced to the disk and moved over it, under a lock that other processes
/// respect: readers see the old content or the new one, whatever breaks in between. Every call may block.
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

  /// The content; `nil` when there is no file.
  package func read() throws(SystemError) -> [UInt8]? { try Disk.content(of: path) }

  /// Changes the content to what `change` makes of it; `nil` removes the file. When this returns, it is durable.
  ///
  /// - Parameter change: gets the present content, or why it can't be read.
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

  /// Moves the file out of the way, under a name that tells when that was.
  package func setAside() throws {
    try exclusively {
      try Disk.move(path, to: "\(path).unreadable-\(Disk.milliseconds)")
      try Disk.synchronize(directory: directory)
    }
  }

  /// Runs something while no other process and no other thread does, through a lock beside the file.
  package func exclusively<Value>(_ body: () throws -> Value) throws -> Value {
    try Disk.locked("\(path).lock", body)
  }
}
