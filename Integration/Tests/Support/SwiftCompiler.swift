import Foundation
import Testing

/// The compiler, run on sources that use this build's modules as a program of a user would.
enum SwiftCompiler {
  /// An error or a warning.
  struct Diagnostic: Sendable, Equatable, CustomStringConvertible {
    /// The file's name, or that of a `#sourceLocation`.
    let file: String
    let line: Int
    /// `error` or `warning`.
    let severity: String
    let message: String

    var description: String { "\(file):\(line): \(severity): \(message)" }
  }

  /// Type-checks one file in Swift 6 mode.
  ///
  /// - Returns: the errors and warnings, in their order.
  /// - Throws: if the compiler fails without a diagnostic, for example because it crashed.
  static func diagnostics(of source: String) async throws -> [Diagnostic] {
    try await withTemporaryDirectory { directory in
      let file = directory.appending(path: "Source.swift")
      try Data(source.utf8).write(to: file)
      let result = try await Executable(path: "/usr/bin/env").run(
        ["swiftc", "-typecheck", "-parse-as-library", "-diagnostic-style", "llvm"] + Self.options + [
          file.path
        ],
        in: directory)
      let found = result.errors.split(separator: "\n").compactMap { Diagnostic($0) }
      if result.status != 0, !found.contains(where: { $0.severity == "error" }) {
        Issue.record("The compiler ended with \(result.status):\n\(result.errors)")
      }
      return found
    }
  }

  /// What a program needs to import the modules of this build: SwiftPM's maps of the C modules that the libraries contain, and that
  /// of SQLite.
  static var options: [String] {
    get throws {
      let build = Executable.buildDirectory
      let folders = try FileManager.default.contentsOfDirectory(atPath: build.path)
      let maps = folders.filter { $0.hasSuffix(".build") }.sorted().map {
        build.appending(path: "\($0)/module.modulemap")
      }
      .filter { FileManager.default.fileExists(atPath: $0.path) }
      let all = maps + [packageRoot.appending(path: "Core/SQLite/CSQLite/module.modulemap")]
      return ["-swift-version", "6", "-enable-upcoming-feature", "MemberImportVisibility"]
        + ["-I", build.appending(path: "Modules").path]
        + all.flatMap { ["-Xcc", "-fmodule-map-file=\($0.path)"] }
    }
  }
}

extension SwiftCompiler.Diagnostic {
  /// Reads `path:line:column: severity: message`.
  fileprivate init?(_ text: Substring) {
    guard
      let match = text.wholeMatch(
        of: /(?<file>.+):(?<line>\d+):\d+: (?<severity>error|warning): (?<message>.+)/)
    else { return nil }
    self.init(
      file: String(match.file.split(separator: "/").last ?? match.file), line: Int(match.line) ?? 0,
      severity: String(match.severity), message: String(match.message))
  }
}
