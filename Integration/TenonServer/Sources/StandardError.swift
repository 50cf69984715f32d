import Dispatch
import TenonFoundation

#if canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#elseif canImport(Darwin)
  import Darwin
#endif

/// Messages for developers, on standard error. Standard output contains only the server's announcement.
///
/// Lines are written on a separate queue, because writing to a pipe that nobody reads blocks. If the backlog grows
/// too large, further lines are dropped and counted.
enum StandardError {
  private struct Waiting {
    var text: [UInt8] = []
    var omitted = 0
    var isWriting = false
  }

  private static let waiting = Lock(Waiting())
  private static let queue = DispatchQueue(label: "tenon-server.standard-error")
  /// The greatest size of what waits, in bytes.
  private static let mostBytes = 1 << 20

  /// Writes a line, or several ones.
  static func print(_ text: String) {
    let begins = waiting.withLock { waiting in
      guard waiting.text.count < mostBytes else {
        waiting.omitted += 1
        return false
      }
      waiting.text += Array(text.utf8) + [UInt8(ascii: "\n")]
      defer { waiting.isWriting = true }
      return !waiting.isWriting
    }
    if begins { queue.async { writeAll() } }
  }

  /// Waits until everything has been written, for at most a time.
  static func flush(within time: Duration) async {
    _ = try? await TimeSource.system.value(by: ContinuousClock.now + time) {
      await withCheckedContinuation { continuation in queue.async { continuation.resume() } }
    }
  }

  private static func writeAll() {
    while true {
      let bytes = waiting.withLock { waiting in
        defer { (waiting.text, waiting.omitted) = ([], 0) }
        waiting.isWriting = !waiting.text.isEmpty
        guard waiting.omitted > 0 else { return waiting.text }
        return waiting.text + Array("\(waiting.omitted) messages were dropped.\n".utf8)
      }
      guard !bytes.isEmpty else { return }
      write(bytes)
    }
  }

  private static func write(_ bytes: [UInt8]) {
    var written = 0
    while written < bytes.count {
      let count = bytes[written...].withUnsafeBytes { buffer in
        #if canImport(Glibc)
          Glibc.write(STDERR_FILENO, buffer.baseAddress, buffer.count)
        #elseif canImport(Musl)
          Musl.write(STDERR_FILENO, buffer.baseAddress, buffer.count)
        #else
          Darwin.write(STDERR_FILENO, buffer.baseAddress, buffer.count)
        #endif
      }
      // The reader has closed the pipe.
      guard count > 0 || errno == EINTR else { return }
      written += max(count, 0)
    }
  }
}
