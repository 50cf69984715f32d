import Foundation
import Testing

/// A page of the documentation about an error of Core.
struct ErrorPage {
  static let folder = packageRoot.appending(path: "Core/Components/Sources/TenonCore.docc/Errors")

  let text: String
  /// The code of the page, and what it prints.
  let sample: (code: String, output: String)

  /// - Parameter number: the error's number, for example `TENON-102`.
  init(_ number: String) throws {
    text = try String(contentsOf: Self.folder.appending(path: "\(number).md"), encoding: .utf8)
    let match = try #require(
      text.firstMatch(of: /```swift\n((?s:.*?))\n```\n\n```\n((?s:.*?))\n```\n/), "\(number)")
    sample = (String(match.1), String(match.2))
  }

  /// Returns a text without what differs between machines and in the program of the test: the stack's limit,
  /// and the names of types that are declared in a function.
  static func comparable(_ text: String) -> String {
    text.replacing(/(at most) \d+/) { "\($0.1) N" }
      .replacing(/(\w+\.)?(\(unknown context at \$\w+\)\.)+/, with: "Main.")
  }

  // MARK: - Programs

  /// The object files of Core in this build.
  static var core: [String] {
    get throws {
      try ["TenonCore", "TenonBasics", "TenonJSONReader", "TenonLocks", "TenonThreads"].flatMap { module in
        let folder = Executable.buildDirectory.appending(path: "\(module).build")
        return try FileManager.default.contentsOfDirectory(atPath: folder.path).filter { $0.hasSuffix(".o") }
          .map { folder.appending(path: $0).path }
      }
    }
  }

  /// Compiles and links with the modules of this build.
  ///
  /// - Parameters:
  ///   - arguments: the arguments of `swiftc`.
  ///   - source: the only source file, whose statements may be outside of functions; `nil` to link only.
  ///   - directory: the folder to which paths are relative.
  static func build(_ arguments: [String], source: String? = nil, in directory: URL) async throws {
    var arguments = ["swiftc"] + arguments
    if let source {
      try Data(source.utf8).write(to: directory.appending(path: "main.swift"))
      arguments += ["main.swift"] + (try SwiftCompiler.options)
    }
    let result = try await Executable(path: "/usr/bin/env").run(arguments, in: directory)
    try #require(result.status == 0, "\(result.errors)")
  }
}
