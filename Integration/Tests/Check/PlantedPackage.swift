import Foundation
import Testing

/// A package of a user with errors in the libraries of several packages, and programs that link them. Built
/// once for the tests of a suite.
struct PlantedPackage: Sendable {
  /// What a check must find, with the path and the lines of the declarations.
  struct Expectation: Sendable {
    let number: String
    let path: String
    let lines: Set<Int>
    let text: String
  }

  @TaskLocal static var built: PlantedPackage?
  static var current: PlantedPackage {
    get throws { try #require(built, "The suite lacks its trait.") }
  }

  /// The folder of the package.
  let directory: URL
  /// What is wrong with the program `Everything`.
  private(set) var expected: [Expectation] = []
  /// A file that the `main` of each program creates.
  let mark: URL

  /// The names of the packages with errors, which are those of their libraries, too.
  private static let packages = ["north", "south", "east", "west", "centre"]
  private static let programs = [
    "Everything": packages, "Sound": ["sound"], "Twins": ["sound"], "Crashing": ["sound"],
    "Hanging": ["sound"],
    "Leaving": ["sound"], "Plain": [], "Unmeant": ["sound"], "Configuring": ["sound"],
  ]

  fileprivate init(in directory: URL) async throws {
    self.directory = directory
    mark = directory.appending(path: "main-ran")
    for package in Self.packages { try addPackage(package) }
    try writePackage("sound", PlantedError.nothingWrong("sound"))
    for (name, libraries) in Self.programs {
      try write("Sources/\(name)/main.swift", Self.main(of: name, importing: libraries))
    }
    try write("Package.swift", Self.manifest)
    let result = try await swift("build", "--jobs", "2")
    try #require(result.status == 0, "\(result.output)\n\(result.errors)")
  }

  // MARK: - Writing

  /// Adds a package with three errors of each kind.
  private mutating func addPackage(_ name: String) throws {
    var declarations = PlantedError.nothingWrong(name)
    for round in 1...3 {
      for error in PlantedError.ofEveryKind("\(name)-\(round)") {
        let line = Self.firstLine + declarations.count
        expected.append(
          Expectation(
            number: error.number, path: "\(name)/Sources/\(name)/Library.swift",
            lines: Set(error.places.map { $0 + line }), text: error.text))
        declarations += error.code
      }
    }
    try writePackage(name, declarations)
  }

  /// The line of a library's first declaration.
  private static let firstLine = 7

  private func writePackage(_ name: String, _ declarations: [String]) throws {
    try write(
      "\(name)/Package.swift",
      """
      // swift-tools-version: 6.2
      import PackageDescription
      let package = Package(
        name: "\(name)", platforms: [.macOS(.v15)], products: [.library(name: "\(name)", targets: ["\(name)"])],
        dependencies: [.package(name: "tenon", path: "\(packageRoot.path)")],
        targets: [.target(name: "\(name)", dependencies: [.product(name: "TenonCore", package: "tenon")])])
      """)
    try write(
      "\(name)/Sources/\(name)/Library.swift",
      """
      import TenonCore
      final class Part: Sendable {}
      public enum TheLibrary: Library {
        public static let name = "\(name)"
        public static let version = SemanticVersion(1, 0, 0)
        @ComponentBuilder public static var components: [AnyComponent] {
      \(declarations.map { "    " + $0 }.joined(separator: "\n"))
        }
        @section(".init_array")
        @used static let register: @convention(c) () -> Void = { LibraryRegistry.register(TheLibrary.self) }
      }
      """)
  }

  private static var manifest: String {
    let all = (packages + ["sound"]).map { ".package(path: \"\($0)\")" }
    let targets = programs.sorted { $0.key < $1.key }.map { name, libraries in
      let products = libraries.map { ".product(name: \"\($0)\", package: \"\($0)\")" }
      // Only the program Plain doesn't link Core.
      let core = libraries.isEmpty ? [] : [".product(name: \"TenonCore\", package: \"tenon\")"]
      return
        ".executableTarget(name: \"\(name)\", dependencies: [\((products + core).joined(separator: ", "))])"
    }
    return """
      // swift-tools-version: 6.2
      import PackageDescription
      let package = Package(
        name: "planted", platforms: [.macOS(.v15)],
        dependencies: [
          .package(name: "tenon", path: "\(packageRoot.path)"),
          \(all.joined(separator: ",\n    ")),
        ],
        targets: [
          \(targets.joined(separator: ",\n    ")),
        ])
      """
  }

  /// Returns the source of a program. Its `main` creates a file, and the name decides what happens before.
  private static func main(of name: String, importing libraries: [String]) -> String {
    let start = """
      import Glibc
      fclose(fopen(getenv("MAIN_RAN"), "w"))

      """
    func library(_ type: String, name: String, _ components: String, _ further: String = "") -> String {
      """
      enum \(type): Library {
        static let name = "\(name)"
        static let version = SemanticVersion(1, 0, 0)
        @ComponentBuilder static var components: [AnyComponent] { \(components) }
        \(further)
        @section(".init_array")
        @used static let register: @convention(c) () -> Void = { LibraryRegistry.register(\(type).self) }
      }

      """
    }
    switch name {
    case "Unmeant":
      return start + "import TenonCore\n" + """
        protocol ForecastInterop: Sendable {}
        protocol ForcastInterop: Sendable {}
        struct Forecast: ForecastInterop {}
        enum Forgotten: Library {
          static let name = "forgotten"
          static let version = SemanticVersion(1, 0, 0)
          static var components: [AnyComponent] { [] }
        }

        """
        + library(
          "Weather", name: "weather",
          """
          Component((any ForecastInterop).self) { _ in Forecast() }
            Component(Int.self, needs: .optional((any ForcastInterop).self)) { _, _ in 0 }
          """, "static func requiredOptions(with options: AppOptions) -> [AppOption] { [.apiKey] }")
    case "Configuring":
      return """
        import TenonCore
        enum Keyed: Library {
          static let name = "keyed"
          static let version = SemanticVersion(1, 0, 0)
          static var components: [AnyComponent] { [] }
          static func requiredOptions(with options: AppOptions) -> [AppOption] { [.apiKey] }
        }
        try App.configure(options: AppOptions(projectID: "p"), libraries: [Keyed.self]) {
          Component(Int.self, needs: .required(Double.self)) { _, _ in fatalError() }.timing(.eager)
        }
        fatalError()

        """
    case "Twins":
      return start + "import TenonCore\n" + library("First", name: "twin", "")
        + library("Second", name: "twin", "") + library("Bad", name: "a bad name", "")
        + library(
          "Deep", name: "deep",
          """
          for index in 0...20_000 {
              Component(Int.self, needs: .optional(Int.self, named: "i\\(index + 1)")) { _, _ in 0 }
                .named("i\\(index)").scope(.unique)
            }
          """)
    case "Crashing":
      return start + "import TenonCore\n"
        + library("Crash", name: "crash", "let _: Int = [][getpid() == 0 ? 1 : 0]")
    case "Hanging": return start + "import TenonCore\n" + library("Hang", name: "hang", "let _ = pause()")
    case "Leaving":
      return start + "import TenonCore\n"
        + library("Leave", name: "leave", "if getpid() > 0 { let _ = exit(0) }")
    default: return start
    }
  }

  private func write(_ path: String, _ text: String) throws {
    let file = directory.appending(path: path)
    try FileManager.default.createDirectory(
      at: file.deletingLastPathComponent(), withIntermediateDirectories: true)
    try Data(text.utf8).write(to: file)
  }

  // MARK: - Running

  /// Runs SwiftPM in the package, with the settings of a user: a consumer doesn't build this package with the
  /// settings of its tests.
  func swift(_ arguments: String...) async throws -> Executable.Result {
    try await Executable(path: "/usr/bin/env").run(
      ["swift"] + arguments, environment: ["TENON_STRICT": "", "MAIN_RAN": mark.path], in: directory)
  }

  /// Runs `tenon check` on a program of the package.
  func check(_ program: String, _ options: String...) async throws -> Executable.Result {
    try await Executable("tenon").run(
      ["check", directory.appending(path: ".build/debug/\(program)").path] + options,
      environment: ["MAIN_RAN": mark.path], in: directory)
  }

  /// Whether the `main` of a program has run.
  var hasMainRun: Bool { FileManager.default.fileExists(atPath: mark.path) }
}

/// Builds ``PlantedPackage`` before the first test of a suite, and removes it after the last one.
struct BuiltPlantedPackage: SuiteTrait, TestScoping {
  func provideScope(
    for test: Test, testCase: Test.Case?, performing function: @concurrent @Sendable () async throws -> Void
  ) async throws {
    try await withTemporaryDirectory { directory in
      let package = try await PlantedPackage(in: directory.resolvingSymlinksInPath())
      try await PlantedPackage.$built.withValue(package) { try await function() }
    }
  }
}

extension Trait where Self == BuiltPlantedPackage {
  static var builtPlantedPackage: Self { Self() }
}
