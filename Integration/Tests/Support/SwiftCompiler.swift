import Foundation
import Testing

/// The compiler, run on sources that use this build's modules as a program of a user would.
enum SwiftCompiler {
  /// An error or a warning.
  struct Diagnostic: Sendable, Equatable, CustomStringConvertible {
    /// The path of the file, or that of a `#sourceLocation`.
    let file: String
    let line: Int
    /// `error` or `warning`.
    let severity: String
    let message: String

    var description: String { "\(file):\(line): \(severity): \(message)" }
  }

  /// Type-checks one file in Swift 6 mode.
  ///
  /// - Parameters:
  ///   - source: the text of the file.
  ///   - isOfThisPackage: whether it may use what only this package can use.
  ///   - program: where to link a program that it makes up with the libraries of this build; `nil` for none.
  /// - Returns: the errors and warnings, in their order.
  /// - Throws: if the compiler fails without a diagnostic, for example because it crashed.
  static func diagnostics(
    of source: String, isOfThisPackage: Bool = false, program: URL? = nil
  ) async throws -> [Diagnostic] {
    try await withTemporaryDirectory { directory in
      let file = directory.appending(path: "Source.swift")
      try Data(source.utf8).write(to: file)
      let package = isOfThisPackage ? ["-package-name", Self.packageName] : []
      let product = try program.map { ["-o", $0.path, "-lsqlite3"] + (try Self.objects) } ?? ["-typecheck"]
      return try await diagnostics(of: [file], options: package + product, in: directory)
    }
  }

  /// Type-checks the files of one module in Swift 6 mode.
  ///
  /// - Parameter files: the files.
  /// - Returns: the errors and warnings of each file, in their order.
  /// - Throws: if the compiler fails without a diagnostic, for example because it crashed.
  static func diagnostics(of files: [URL]) async throws -> [Diagnostic] {
    try await withTemporaryDirectory { directory in
      // As a whole module: otherwise, the compiler stops after the first file with an error.
      try await diagnostics(
        of: files, options: ["-typecheck", "-wmo", "-module-name", "Files"], in: directory)
    }
  }

  /// Compiles files with the modules of this build.
  private static func diagnostics(
    of files: [URL], options: [String], in directory: URL
  ) async throws -> [Diagnostic] {
    let result = try await Executable(path: "/usr/bin/env").run(
      ["swiftc", "-parse-as-library", "-diagnostic-style", "llvm"] + files.map(\.path) + Self.options
        + options, in: directory)
    let found = result.errors.split(separator: "\n").compactMap { Diagnostic($0) }
    if result.status != 0, !found.contains(where: { $0.severity == "error" }) {
      Issue.record("The compiler ended with \(result.status):\n\(result.errors)")
    }
    return found
  }

  /// What a program needs to import the modules of this build: SwiftPM's maps of the C modules that the
  /// libraries contain, and those of system libraries.
  static var options: [String] {
    get throws {
      let build = Executable.buildDirectory
      let folders = try FileManager.default.contentsOfDirectory(atPath: build.path)
      let maps = folders.filter { $0.hasSuffix(".build") }.sorted().map {
        build.appending(path: "\($0)/module.modulemap")
      }
      .filter { FileManager.default.fileExists(atPath: $0.path) }
      let system = ["Core/SQLite/CSQLite", "Products/Embedded/CCrypt"].map {
        packageRoot.appending(path: "\($0)/module.modulemap")
      }
      let all = maps + system
      return ["-swift-version", "6", "-enable-upcoming-feature", "MemberImportVisibility"]
        + ["-I", build.appending(path: "Modules").path]
        + all.flatMap { ["-Xcc", "-fmodule-map-file=\($0.path)"] }
    }
  }

  /// The argument of the compiler's option `-package-name`, which SwiftPM derives from the name of the
  /// package's folder.
  private static var packageName: String {
    packageRoot.lastPathComponent.lowercased().replacing(/\W|^\d/, with: "_")
  }

  /// The objects of the libraries of this build, other than those for tests, and of Core's C modules.
  private static var objects: [String] {
    get throws {
      let files = FileManager.default
      let build = Executable.buildDirectory
      let core = packageRoot.appending(path: "Core")
      let areas = try files.contentsOfDirectory(atPath: core.path)
      let folders = try files.contentsOfDirectory(atPath: build.path).filter { folder in
        guard let name = folder.wholeMatch(of: /(C[A-Z]\w*)\.build/)?.1 else {
          return folder.contains(/^Tenon(?!Test|.*Tests).*\.build$/)
        }
        return areas.contains { files.fileExists(atPath: core.appending(path: "\($0)/\(name)").path) }
      }
      return try folders.sorted().flatMap { folder in
        let names = try files.contentsOfDirectory(atPath: build.appending(path: folder).path)
        // An object of C beside those of Swift is left from a time when the module was one of C.
        let suffix = names.contains { $0.hasSuffix(".swift.o") } ? ".swift.o" : ".o"
        return names.filter { $0.hasSuffix(suffix) }.sorted().map {
          build.appending(path: "\(folder)/\($0)").path
        }
      }
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
      file: String(match.file), line: Int(match.line) ?? 0, severity: String(match.severity),
      message: String(match.message))
  }
}
