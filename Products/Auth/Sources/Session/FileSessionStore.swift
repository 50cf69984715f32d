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

/// Keeps a session in a file that only its owner may read.
///
/// A change is written beside the file, forced to the disk and moved over it, under a lock that other processes
/// respect: readers see the old session or the new one, whatever breaks in between.
struct FileSessionStore: SessionStore {
  private let directory: String
  private var path: String { "\(directory)/session.json" }

  /// - Parameter directory: an existing private directory.
  init(directory: String) { self.directory = directory }

  func load() throws -> StoredSession? {
    let content: Data
    do { content = try Data(contentsOf: URL(fileURLWithPath: path)) } catch let error as CocoaError
      where error.code == .fileReadNoSuchFile || error.code == .fileNoSuchFile
    {
      return nil
    } catch {
      throw unreadable(error)
    }
    do {
      let session = try JSONDecoder().decode(StoredSession.self, from: content)
      guard session.version == 1 else { throw CocoaError(.fileReadCorruptFile) }
      return session
    } catch {
      // The decoder's error may quote what it read, which is secret.
      throw unreadable(nil)
    }
  }

  func update(_ change: (StoredSession?) -> StoredSession?) throws {
    try changing {
      let kept = try load()
      let changed = change(kept)
      guard changed != kept else { return }
      if let changed { try write(changed) } else { try FileManager.default.removeItem(atPath: path) }
      try syncDirectory()
    }
  }

  func setAside() throws {
    try changing {
      let stamp = Int(Date.now.timeIntervalSince1970 * 1_000)
      try FileManager.default.moveItem(atPath: path, toPath: "\(path).unreadable-\(stamp)")
      try syncDirectory()
    }
  }

  /// Runs a change while no other process makes one.
  private func changing(_ change: () throws -> Void) throws {
    do { try locked(change) } catch let error as AuthError { throw error } catch {
      throw AuthError(
        .sessionUnwritable,
        "The session can't be kept in \(directory). Check that the directory is writable and has room.",
        underlying: error
      )
    }
  }

  private func unreadable(_ error: (any Error)?) -> AuthError {
    AuthError(
      .sessionUnreadable,
      "The session in \(path) can't be read. Make the file readable, or call signOut() to set it aside.",
      underlying: error
    )
  }
}

#if os(Windows)
  extension FileSessionStore {
    private func locked(_ body: () throws -> Void) throws { try body() }
    private func syncDirectory() throws {}

    private func write(_ session: StoredSession) throws {
      try JSONEncoder().encode(session).write(to: URL(fileURLWithPath: path), options: .atomic)
    }
  }
#else
  extension FileSessionStore {
    private func locked(_ body: () throws -> Void) throws {
      let file = try opened("\(directory)/session.lock", O_CREAT | O_RDWR)
      defer { try? file.close() }
      while flock(file.fileDescriptor, LOCK_EX) != 0 {
        guard errno == EINTR else { throw Self.systemError() }
      }
      try body()
    }

    private func write(_ session: StoredSession) throws {
      let draft = "\(path).draft"
      // A draft that a crash left behind may have any mode.
      unlink(draft)
      let file = try opened(draft, O_CREAT | O_EXCL | O_WRONLY)
      defer { try? file.close() }
      try file.write(contentsOf: JSONEncoder().encode(session))
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
