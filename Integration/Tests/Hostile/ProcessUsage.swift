#if os(Linux)
  import CMalloc
  import Foundation

  /// The resources that this process uses.
  enum ProcessUsage {
    struct Unreadable: Error {}

    /// The number of open descriptors, without the one that is used for counting.
    static func descriptors() throws -> Int {
      try FileManager.default.contentsOfDirectory(atPath: "/proc/self/fd").count - 1
    }

    /// The number of bytes of the heap that are in use.
    ///
    /// Unlike the resident memory, it doesn't depend on how many threads ran concurrently, each with its own
    /// stack and part of the heap that the system keeps.
    static func allocated() -> Int { Int(heap_bytes_in_use() + heap_bytes_mapped()) }

    /// The number of bytes that are resident now, or (`VmHWM`) that were resident at any time.
    static func resident(_ name: String = "VmRSS") throws -> Int {
      let status = try String(contentsOf: URL(filePath: "/proc/self/status"), encoding: .utf8)
      let line = status.split(separator: "\n").first { $0.hasPrefix("\(name):") }
      guard let text = line?.split(whereSeparator: \.isWhitespace).dropFirst().first, let count = Int(text)
      else { throw Unreadable() }
      return count << 10
    }
  }
#endif
