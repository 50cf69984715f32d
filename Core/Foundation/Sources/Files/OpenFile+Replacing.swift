extension OpenFile {
  /// Moves a finished file to another path, atomically replacing a file there, and makes the change durable.
  /// May block.
  ///
  /// - Parameters:
  ///   - target: the new place. A symbolic link there is replaced, not followed.
  ///   - draft: the file, whose content must have been flushed to the disk, on the same file system.
  /// - Throws: ``SystemError``. If only the last step failed, the file was moved, but a power failure may
  ///   undo that.
  package static func replace(_ target: URL, with draft: URL) throws(SystemError) {
    try Disk.move(draft.path, to: target.path)
    try Disk.synchronize(directory: target.deletingLastPathComponent().path)
  }
}
