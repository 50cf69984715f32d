import Foundation

/// Where a command writes: results to standard output, everything else to standard error.
enum Terminal {
  /// Writes a line to standard error.
  static func report(_ line: String) {
    FileHandle.standardError.write(Data((line + "\n").utf8))
  }

  /// Whether standard error is a terminal. Progress is shown only there.
  static var showsProgress: Bool { isatty(STDERR_FILENO) == 1 }

  /// Whether standard output may contain colours: it is a terminal, and `NO_COLOR` (no-color.org) is unset or empty.
  static var usesColour: Bool {
    isatty(STDOUT_FILENO) == 1 && (ProcessInfo.processInfo.environment["NO_COLOR"] ?? "").isEmpty
  }
}
