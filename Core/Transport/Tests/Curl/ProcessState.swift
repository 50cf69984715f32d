#if os(Linux)
  import Foundation

  /// What the system knows about this process.
  enum ProcessState {
    struct Unreadable: Error {}

    /// Returns the largest number of bytes that were resident at any time.
    ///
    /// - Parameter reset: whether to begin with the current number.
    static func residentPeak(reset: Bool = false) throws -> Int {
      if reset { try Data("5".utf8).write(to: URL(filePath: "/proc/self/clear_refs")) }
      let status = try String(contentsOf: URL(filePath: "/proc/self/status"), encoding: .utf8)
      let line = status.split(separator: "\n").first { $0.hasPrefix("VmHWM:") }
      guard let text = line?.split(whereSeparator: \.isWhitespace).dropFirst().first, let count = Int(text)
      else {
        throw Unreadable()
      }
      return count << 10
    }

    /// Returns the number of open descriptors that are sockets.
    static func sockets() throws -> Int {
      try FileManager.default.contentsOfDirectory(atPath: "/proc/self/fd").count { name in
        let target = try? FileManager.default.destinationOfSymbolicLink(atPath: "/proc/self/fd/\(name)")
        return target?.hasPrefix("socket:") == true
      }
    }

    /// Returns the number of threads with a name.
    static func threads(named name: String) throws -> Int {
      try FileManager.default.contentsOfDirectory(atPath: "/proc/self/task").count { task in
        let text = try? String(contentsOf: URL(filePath: "/proc/self/task/\(task)/comm"), encoding: .utf8)
        return text?.trimmingCharacters(in: .newlines) == name
      }
    }
  }
#endif
