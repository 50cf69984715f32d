#if os(Linux)
  import Foundation

  /// The resident memory of this process.
  enum ResidentMemory {
    /// Forgets the largest value so far, and returns the present one in bytes.
    ///
    /// Where the system doesn't permit it, the largest value remains that since the start of the program.
    static func reset() -> Int {
      let file = open("/proc/self/clear_refs", O_WRONLY | O_CLOEXEC)
      if file >= 0 {
        // 5 resets VmHWM (proc(5)).
        _ = write(file, "5", 1)
        close(file)
      }
      return value(of: "VmRSS:")
    }

    /// The largest value since ``reset()`` in bytes.
    static var peak: Int { value(of: "VmHWM:") }

    private static func value(of field: String) -> Int {
      let status = (try? Data(contentsOf: URL(filePath: "/proc/self/status"))) ?? Data()
      let line = String(decoding: status, as: UTF8.self).split(separator: "\n").first { $0.hasPrefix(field) }
      return (line?.split(whereSeparator: \.isWhitespace).dropFirst().first.flatMap { Int($0) } ?? 0) << 10
    }
  }
#endif
