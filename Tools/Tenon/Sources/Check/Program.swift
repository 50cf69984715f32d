import Foundation
import TenonProcesses

/// An executable file that can be inspected.
struct Program {
  let url: URL
  /// Whether the file, or a shared library that it needs, contains a Core that can inspect. Otherwise its
  /// `main` would run.
  let containsCore: Bool
  var name: String { url.lastPathComponent }

  /// Reads an executable file; `nil` for any other file.
  init?(url: URL) {
    guard Self.isExecutable(url) else { return nil }
    self.url = url
    containsCore = Self.containsCore(url) || Self.libraries(of: url).contains(where: Self.containsCore)
  }

  /// Returns the programs that an argument means.
  ///
  /// - Parameter path: the path of an executable, or of a folder: then every executable in it that contains
  ///   Core, sorted by name.
  /// - Throws: ``CommandError`` if there is no such file, if it isn't an executable, or if no executable in
  ///   the folder contains Core.
  static func all(at path: String) throws -> [Program] {
    let url = URL(filePath: path).resolvingSymlinksInPath()
    guard (try? url.resourceValues(forKeys: [.isDirectoryKey]).isDirectory) == true
    else { return [try executable(at: path)] }
    let names = try FileManager.default.contentsOfDirectory(atPath: url.path).sorted()
    // Executables have no extension. Shared libraries and bundles of tests have one.
    let programs = names.filter { !$0.contains(".") }
      .compactMap { Program(url: url.appending(path: $0)) }
      .filter(\.containsCore)
    guard !programs.isEmpty else {
      throw CommandError("No executable in \(path) links TenonCore. Build one first: swift build")
    }
    return programs
  }

  /// Returns the program at the path of an executable.
  ///
  /// - Throws: ``CommandError`` if there is no such file, or if it isn't an executable.
  static func executable(at path: String) throws -> Program {
    let url = URL(filePath: path).resolvingSymlinksInPath()
    guard FileManager.default.fileExists(atPath: url.path) else {
      throw CommandError("There is no file \(path). Build it first: swift build")
    }
    guard let program = Program(url: url) else { throw CommandError("\(path) isn't an executable.") }
    return program
  }

  /// Returns whether a file is a regular file that may be executed and that a system can load.
  private static func isExecutable(_ url: URL) -> Bool {
    guard FileManager.default.isExecutableFile(atPath: url.path),
      (try? url.resourceValues(forKeys: [.isRegularFileKey]).isRegularFile) == true,
      let file = try? FileHandle(forReadingFrom: url)
    else { return false }
    defer { try? file.close() }
    let start = (try? file.read(upToCount: 4)) ?? Data()
    // ELF, Mach-O (64 bits, either order; several architectures), PE.
    let magics: [[UInt8]] = [
      [0x7F, 0x45, 0x4C, 0x46], [0xCF, 0xFA, 0xED, 0xFE], [0xCA, 0xFE, 0xBA, 0xBE], [0x4D, 0x5A],
    ]
    return magics.contains { start.starts(with: $0) }
  }

  /// Returns whether a file contains the name of the variable that Core reads.
  private static func containsCore(_ file: URL) -> Bool {
    guard let content = try? Data(contentsOf: file, options: .alwaysMapped) else { return false }
    return content.range(of: Data("TENON_INSPECT".utf8)) != nil
  }

  /// Returns the shared libraries that the loader would load for an executable. It doesn't run the program
  /// for this.
  private static func libraries(of url: URL) -> [URL] {
    #if os(Linux)
      let lines = (try? output(of: ["ldd", url.path])) ?? ""
      return lines.split(separator: "\n").compactMap { line in
        guard let arrow = line.range(of: " => ") else { return nil }
        let path = line[arrow.upperBound...].prefix { $0 != " " }
        return path.hasPrefix("/") ? URL(filePath: String(path)) : nil
      }
    #else
      return []
    #endif
  }

  /// Returns what a command writes to standard output; empty if it fails.
  private static func output(of command: [String]) throws -> String {
    let process = Process()
    process.executableURL = URL(filePath: "/usr/bin/env")
    process.arguments = command
    let pipe = Pipe.exclusive
    process.standardOutput = pipe
    process.standardError = FileHandle.nullDevice
    try process.start()
    let data = pipe.fileHandleForReading.readDataToEndOfFile()
    process.waitUntilExit()
    return process.terminationStatus == 0 ? String(decoding: data, as: UTF8.self) : ""
  }
}
