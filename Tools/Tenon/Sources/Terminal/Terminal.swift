import Foundation

/// Where a command writes: results to standard output, everything else to standard error.
enum Terminal {
  /// Writes a line to standard error.
  static func report(_ line: String) {
    FileHandle.standardError.write(Data((line + "\n").utf8))
  }

  /// Whether standard error is a terminal. Progress is shown only there.
  static var showsProgress: Bool { isatty(STDERR_FILENO) == 1 }
}
