import Foundation
import Testing

/// `Integration/StaticArchives`, and archives of this package's modules, with one member per object of this
/// build. A debug build has one object per source file.
struct StaticArchives: Sendable {
  @TaskLocal static var built: StaticArchives?

  /// The archives that the suite's trait has built.
  static var current: StaticArchives {
    get throws { try #require(built, "The suite lacks its trait.") }
  }

  /// The modules that the programs use, each before those that it depends on.
  private static let modules = [
    "TenonAuth", "TenonFunctions", "TenonCallable", "TenonTransport", "TenonHTTP", "CTransport",
    "TenonTelemetry", "TenonAdminInterop", "TenonAuthInterop", "TenonAppCheckInterop",
    "TenonObservabilityInterop", "TenonTransportInterop", "TenonCore",
    "TenonJSON",
    "TenonJSONReader", "TenonHashes", "TenonFoundation", "TenonBasics", "TenonLocks", "TenonThreads",
  ]

  private let directory: URL
  private var sources: URL { packageRoot.appending(path: "Integration/StaticArchives") }

  fileprivate init(in directory: URL) async throws {
    self.directory = directory
    var objects: [String] = []
    for module in Self.modules {
      let built = try Self.objects(in: Executable.buildDirectory.appending(path: "\(module).build"))
      try await archive(built, as: module)
      objects += built
    }
    for module in ["ShopInterop", "Shop"] {
      let folder = directory.appending(path: "\(module).build")
      try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
      let files = try FileManager.default.contentsOfDirectory(atPath: sources.appending(path: module).path)
      try await Self.tool(
        ["swiftc", "-c", "-parse-as-library", "-no-whole-module-optimization", "-module-name", module]
          + ["-emit-module", "-emit-module-path", directory.appending(path: "\(module).swiftmodule").path]
          + imports + files.map { sources.appending(path: "\(module)/\($0)").path }, in: folder)
      try await archive(Self.objects(in: folder), as: module)
    }
    // The options that the objects request of the linker. The compiler reads them from objects, but not from
    // archives.
    try await Self.tool(["swift-autolink-extract", "-o", autolink] + objects, in: directory)
  }

  private var autolink: String { directory.appending(path: "all.autolink").path }

  private var imports: [String] {
    let build = Executable.buildDirectory
    return [
      "-swift-version", "6", "-I", build.appending(path: "Modules").path, "-I", directory.path,
      "-enable-upcoming-feature", "InternalImportsByDefault",
    ]
      + ["TenonLocks", "TenonThreads", "CTransport"].flatMap {
        ["-Xcc", "-fmodule-map-file=\(build.appending(path: "\($0).build/module.modulemap").path)"]
      }
  }

  private static func objects(in folder: URL) throws -> [String] {
    let files = try FileManager.default.contentsOfDirectory(atPath: folder.path).filter { $0.hasSuffix(".o") }
    try #require(!files.isEmpty, "There are no objects in \(folder.path).")
    return files.sorted().map { folder.appending(path: $0).path }
  }

  private func archive(_ objects: [String], as module: String) async throws {
    try await Self.tool(
      ["ar", "rcs", directory.appending(path: "lib\(module).a").path] + objects, in: directory)
  }

  @discardableResult
  private static func tool(_ command: [String], in directory: URL) async throws -> Executable.Result {
    let result = try await Executable(path: "/usr/bin/env").run(command, in: directory)
    try #require(result.status == 0, "\(command.prefix(3))\n\(result.output)\n\(result.errors)")
    return result
  }

  /// Links a program.
  ///
  /// - Parameters:
  ///   - archives: the modules that it uses, besides their dependencies.
  ///   - whole: the modules of whose archives all objects are linked.
  private func link(_ program: String, with archives: [String], whole: [String]) async throws -> Executable {
    let path = directory.appending(path: "\(program)-\(archives.joined())-\(whole.joined())-\(UUID())").path
    let rest = Self.modules.filter { !archives.contains($0) && !whole.contains($0) } + ["ShopInterop"]
    try await Self.tool(
      ["swiftc", "-parse-as-library", "-module-name", program, "-o", path] + imports
        + [sources.appending(path: "Programs/\(program).swift").path]
        + linked(archives + rest, whole: whole) + ["@\(autolink)"], in: directory)
    return Executable(path: path)
  }

  /// Returns the linker's options for archives. The compiler preserves the order only of options of this
  /// form.
  private func linked(_ archives: [String], whole: [String]) -> [String] {
    func files(_ modules: [String]) -> [String] {
      modules.map { directory.appending(path: "lib\($0).a").path }
    }
    let kept = whole.isEmpty ? [] : ["--whole-archive"] + files(whole) + ["--no-whole-archive"]
    return (kept + files(archives)).flatMap { ["-Xlinker", $0] }
  }

  /// Links and runs a program.
  func run(
    _ program: String, with archives: [String], whole: [String] = [], _ arguments: [String] = []
  ) async throws -> Executable.Result {
    let result = try await link(program, with: archives, whole: whole).run(arguments)
    #expect(result.status == 0, "\(result.output)\n\(result.errors)")
    return result
  }

  /// Links a program and runs `tenon check` on it.
  func check(_ program: String, with archives: [String]) async throws -> Executable.Result {
    try await Executable("tenon").run(["check", link(program, with: archives, whole: []).url.path])
  }

  /// Links and starts a program.
  ///
  /// - Parameter input: its standard input.
  func start(
    _ program: String, with archives: [String], _ arguments: [String], input: Pipe
  ) async throws -> RunningExecutable {
    try await link(program, with: archives, whole: []).start(arguments, input: input)
  }
}

/// Builds ``StaticArchives`` before the first test of a suite, and removes the products after the last one.
struct BuiltStaticArchives: SuiteTrait, TestScoping {
  func provideScope(
    for test: Test, testCase: Test.Case?, performing function: @concurrent @Sendable () async throws -> Void
  ) async throws {
    try await withTemporaryDirectory { directory in
      let archives = try await StaticArchives(in: directory)
      try await StaticArchives.$built.withValue(archives) { try await function() }
    }
  }
}

extension Trait where Self == BuiltStaticArchives {
  static var builtStaticArchives: Self { Self() }
}
