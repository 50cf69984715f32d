#if canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#elseif canImport(Android)
  import Android
#elseif canImport(Darwin)
  import Darwin
#endif

#if !os(Windows)
  /// The system calls that private files need.
  enum Disk {
    private static let ownerOnly: mode_t = 0o600

    /// The current time in milliseconds since 1970, for the names of files.
    static var milliseconds: Int {
      var time = timespec()
      clock_gettime(CLOCK_REALTIME, &time)
      return Int(time.tv_sec) * 1_000 + Int(time.tv_nsec) / 1_000_000
    }

    static func content(of path: String) throws(SystemError) -> [UInt8]? {
      let file: Descriptor
      do throws(SystemError) { file = try Descriptor.opening(path, O_RDONLY, ownerOnly) } catch {
        guard error.code == ENOENT else { throw error }
        return nil
      }
      return try file.content()
    }

    static func replace(_ path: String, with content: [UInt8]) throws(SystemError) {
      let draft = "\(path).draft"
      // A draft that a crash left behind may have any mode.
      unlink(draft)
      do throws(SystemError) {
        let file = try Descriptor.opening(draft, O_CREAT | O_EXCL | O_WRONLY, ownerOnly)
        try file.append(content)
        try file.synchronize()
        try move(draft, to: path)
      } catch {
        unlink(draft)
        throw error
      }
    }

    static func remove(_ path: String) throws(SystemError) {
      guard unlink(path) == 0 || errno == ENOENT else { throw SystemError("unlink", path) }
    }

    static func move(_ path: String, to other: String) throws(SystemError) {
      guard rename(path, other) == 0 else { throw SystemError("rename", path) }
    }

    /// Makes the entries of a directory durable.
    static func synchronize(directory: String) throws(SystemError) {
      try Descriptor.opening(directory, O_RDONLY, ownerOnly).synchronize()
    }

    /// Runs `body` while holding the lock of a file, which is created if necessary. The system releases the
    /// locks of a process that ends.
    static func locked<Value>(_ path: String, _ body: () throws -> Value) throws -> Value {
      let file = try Descriptor.opening(path, O_CREAT | O_RDWR, ownerOnly)
      try file.lock()
      return try body()
    }
  }

  /// An open file, closed with the value.
  private struct Descriptor: ~Copyable {
    private let number: Int32
    private let path: String

    private init(number: Int32, path: String) {
      self.number = number
      self.path = path
    }

    static func opening(_ path: String, _ flags: Int32, _ mode: mode_t) throws(SystemError) -> Descriptor {
      while true {
        let number = open(path, flags | O_CLOEXEC, mode)
        if number >= 0 { return Descriptor(number: number, path: path) }
        guard errno == EINTR else { throw SystemError("open", path) }
      }
    }

    deinit { _ = close(number) }

    func content() throws(SystemError) -> [UInt8] {
      var content: [UInt8] = []
      var buffer = [UInt8](repeating: 0, count: 1 << 14)
      while true {
        let count = buffer.withUnsafeMutableBytes { read(number, $0.baseAddress, $0.count) }
        if count == 0 { return content }
        if count > 0 {
          content += buffer[..<count]
        } else if errno != EINTR {
          throw SystemError("read", path)
        }
      }
    }

    func append(_ content: [UInt8]) throws(SystemError) {
      var rest = content[...]
      while !rest.isEmpty {
        let count = rest.withUnsafeBytes { write(number, $0.baseAddress, $0.count) }
        if count >= 0 {
          rest = rest.dropFirst(count)
        } else if errno != EINTR {
          throw SystemError("write", path)
        }
      }
    }

    func synchronize() throws(SystemError) {
      guard fsync(number) == 0 else { throw SystemError("fsync", path) }
    }

    func lock() throws(SystemError) {
      while flock(number, LOCK_EX) != 0 {
        guard errno == EINTR else { throw SystemError("flock", path) }
      }
    }
  }
#endif
