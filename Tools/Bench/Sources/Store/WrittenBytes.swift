import Foundation

/// The bytes that the process has passed to the operating system for writing.
enum WrittenBytes {
  /// Returns their number since the process started.
  ///
  /// - Throws: an error if the system doesn't count them. Linux does
  ///   (https://man7.org/linux/man-pages/man5/proc_pid_io.5.html).
  static func total() throws -> Double {
    let text = try String(contentsOfFile: "/proc/self/io", encoding: .utf8)
    guard
      let line = text.split(separator: "\n").first(where: { $0.hasPrefix("wchar: ") }),
      let bytes = Double(line.dropFirst("wchar: ".count))
    else { throw Unexpected(description: "no bytes in /proc/self/io") }
    return bytes
  }
}
