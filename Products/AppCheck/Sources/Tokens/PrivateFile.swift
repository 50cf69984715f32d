import Foundation

#if canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#elseif canImport(Android)
  import Android
#elseif canImport(Darwin)
  import Darwin
#endif

/// A small file that only its owner may read.
///
/// A change is written beside the file, forced to the disk and moved over it, under a lock that other processes
/// respect: readers see the old content or the new one, whatever breaks in between.
struct PrivateFile: Sendable {
  let path: String
  private let directory: String

  /// - Parameters:
  ///   - directory: an existing private directory.
  ///   - name: the file's name in it.
  init(directory: String, name: String) {
    self.directory = directory
    path = "\(directory)/\(name)"
  }

  /// The content; `nil` when there is no file.
  func read() throws -> Data? {
    do { return try Data(contentsOf: URL(fileURLWithPath: path)) } catch let error as CocoaError
      where error.code == .fileReadNoSuchFile || error.code == .fileNoSuchFile
    {
      return nil
    }
  }

  /// Changes the content to what `change` makes of it, which must be the same if there is nothing to change. When this
  /// returns, it is durable.
  @discardableResult
  func update(_ change: (Data?) throws -> Data) throws -> Data {
    try locked {
      let before = try? read()
      let after = try change(before)
      guard after != before else { return after }
      try write(after)
      try syncDirectory()
      return after
    }
  }

  /// Moves the file out of the way.
  func setAside() throws {
    try locked {
      let stamp = Int(Date.now.timeIntervalSince1970 * 1_000)
      try FileManager.default.moveItem(atPath: path, toPath: "\(path).unreadable-\(stamp)")
      try syncDirectory()
    }
  }
}

#if os(Windows)
  extension PrivateFile {
    private func locked<Result>(_ body: () throws -> Result) throws -> Result { try body() }
    private func syncDirectory() throws {}
    private func write(_ content: Data) throws {
      try content.write(to: URL(fileURLWithPath: path), options: .atomic)
    }
  }
#else
  extension PrivateFile {
    private func locked<Result>(_ body: () throws -> Result) throws -> Result {
      let file = try opened("\(path).lock", O_CREAT | O_RDWR)
      defer { try? file.close() }
      while flock(file.fileDescriptor, LOCK_EX) != 0 {
        guard errno == EINTR else { throw Self.systemError() }
      }
      return try body()
    }

    private func write(_ content: Data) throws {
      let draft = "\(path).draft"
      // A draft that a crash left behind may have any mode.
      unlink(draft)
      let file = try opened(draft, O_CREAT | O_EXCL | O_WRONLY)
      defer { try? file.close() }
      try file.write(contentsOf: content)
      try file.synchronize()
      guard rename(draft, path) == 0 else { throw Self.systemError() }
    }

    /// Makes the names in the directory durable.
    private func syncDirectory() throws {
      let file = try opened(directory, O_RDONLY)
      defer { try? file.close() }
      guard fsync(file.fileDescriptor) == 0 else { throw Self.systemError() }
    }

    private func opened(_ path: String, _ flags: Int32) throws -> FileHandle {
      let descriptor = open(path, flags | O_CLOEXEC, 0o600)
      guard descriptor >= 0 else { throw Self.systemError() }
      return FileHandle(fileDescriptor: descriptor, closeOnDealloc: true)
    }

    private static func systemError() -> POSIXError { POSIXError(POSIXErrorCode(rawValue: errno) ?? .EIO) }
  }
#endif
