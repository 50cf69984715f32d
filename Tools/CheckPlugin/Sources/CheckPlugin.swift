import Foundation
import PackagePlugin

/// `swift package tenon-check`: builds a package's executables and validates what is linked into them,
/// without running their `main`.
///
/// The plugin has no dependencies, so a package that uses it fetches none. It starts a program with the
/// environment variable `TENON_INSPECT`, with which Core validates the linked libraries and ends the program
/// before `main`.
@main struct CheckPlugin: CommandPlugin {
  private static let help = """
    OVERVIEW: Checks the components that are linked into the executables of a package, without running them.

    USAGE: swift package tenon-check [--product <name>]... [--libraries <names>] [--configuration <name>] [--at-configure]
                                     [--strict] [--json | --sarif]

    OPTIONS:
      --product <name>        The executable to check; every executable that links TenonCore by default.
      --libraries <names>     The libraries that the app activates, separated by commas; all that are linked by default.
      --configuration <name>  debug (default) or release.
      --at-configure          Run each executable until its first App.configure, and check what it passes: options, libraries and
                              components. Always so on other systems than Linux.
      --strict                Exit with 1 if there are warnings.
      --json, --sarif         Print the problems as JSON or as SARIF 2.1.0.

    Exit codes: 0 everything is valid, 1 there are problems or an executable couldn't be checked.
    """

  func performCommand(context: PluginContext, arguments: [String]) async throws {
    var options = ArgumentExtractor(arguments)
    guard options.extractFlag(named: "help") == 0 else { return print(Self.help) }
    let names = options.extractOption(named: "product")
    let libraries = options.extractOption(named: "libraries").last
    let configuration = options.extractOption(named: "configuration").last ?? "debug"
    let isStrict = options.extractFlag(named: "strict") > 0
    let atConfigure = options.extractFlag(named: "at-configure") > 0 || Self.runsUntilConfigure
    let asJSON = options.extractFlag(named: "json") > 0
    let asSARIF = options.extractFlag(named: "sarif") > 0
    guard options.remainingArguments.isEmpty, ["debug", "release"].contains(configuration),
      !(asJSON && asSARIF)
    else { throw Failure("Wrong arguments: \(arguments.joined(separator: " ")).\n\(Self.help)") }

    let products = try Self.products(named: names, in: context.package)
    let executables = try build(products, configuration: configuration == "debug" ? .debug : .release)
    let sources = Sources(of: context.package)
    var findings: [Finding] = []
    for executable in executables {
      let file = context.pluginWorkDirectoryURL.appending(path: "inspection-\(UUID()).json")
      defer { try? FileManager.default.removeItem(at: file) }
      for finding in Self.inspect(
        executable, writing: file, libraries: libraries, atConfigure: atConfigure, sources)
      where !findings.contains(finding) {
        findings.append(finding)
      }
    }
    if asJSON || asSARIF {
      print(try Findings.encoded(asSARIF ? SARIF(findings) : findings as any Encodable))
    } else {
      for finding in findings { print(finding.description) }
    }
    let count = executables.count == 1 ? "1 executable" : "\(executables.count) executables"
    func counted(_ severity: String, _ noun: String) -> [String] {
      let count = findings.count { $0.severity == severity }
      return count == 0 ? [] : [count == 1 ? "1 \(noun)" : "\(count) \(noun)s"]
    }
    let (problems, warnings) = (counted("error", "problem"), counted("warning", "warning"))
    let all = problems + warnings
    let summary = "tenon-check: " + ([count] + (all.isEmpty ? ["no problems"] : all)).joined(separator: ", ")
    guard problems.isEmpty, !isStrict || warnings.isEmpty else { throw Failure(summary) }
    if !asJSON, !asSARIF { print(summary) }
  }

  /// Whether programs can only be inspected by their first `App.configure`.
  private static var runsUntilConfigure: Bool {
    #if os(Linux)
      false
    #else
      true
    #endif
  }

  /// Returns the executables to check.
  ///
  /// - Throws: if there is no executable of a name, or if one doesn't link Core: its `main` would run.
  private static func products(named names: [String], in package: Package) throws -> [ExecutableProduct] {
    let all = package.products(ofType: ExecutableProduct.self)
    guard !names.isEmpty else {
      let products = all.filter(linksCore)
      guard !products.isEmpty else { throw Failure("No executable of this package links TenonCore.") }
      return products
    }
    return try names.map { name in
      guard let product = all.first(where: { $0.name == name }) else {
        let known = all.map(\.name).sorted().joined(separator: ", ")
        throw Failure("There is no executable \(name); there are: \(known).")
      }
      guard linksCore(product) else {
        throw Failure("\(name) doesn't link TenonCore, so there is nothing to check.")
      }
      return product
    }
  }

  private static func linksCore(_ product: ExecutableProduct) -> Bool {
    product.mainTarget.recursiveTargetDependencies.contains {
      ($0 as? any SourceModuleTarget)?.moduleName == "TenonCore"
    }
  }

  /// Builds products and returns their files.
  private func build(
    _ products: [ExecutableProduct], configuration: PackageManager.BuildConfiguration
  ) throws -> [URL] {
    try products.map { product in
      let result = try packageManager.build(
        .product(product.name), parameters: .init(configuration: configuration))
      guard result.succeeded else { throw Failure("\(product.name) can't be built:\n\(result.logText)") }
      guard
        let file = result.builtArtifacts.first(where: {
          $0.kind == .executable && $0.url.deletingPathExtension().lastPathComponent == product.name
        })
      else { throw Failure("The build made no executable \(product.name).") }
      return file.url
    }
  }

  /// Starts a program so that it is inspected.
  ///
  /// - Parameters:
  ///   - executable: the program.
  ///   - file: the file that Core writes.
  ///   - libraries: the names of the libraries to activate, separated by commas; `nil` for all.
  ///   - atConfigure: whether the program runs until its first `App.configure`.
  ///   - sources: finds the files of declarations.
  private static func inspect(
    _ executable: URL, writing file: URL, libraries: String?, atConfigure: Bool, _ sources: Sources
  ) -> [Finding] {
    let place = atConfigure ? "App.configure" : "its main"
    let name = executable.lastPathComponent
    let process = Process()
    process.executableURL = executable
    process.standardInput = FileHandle.nullDevice
    process.standardOutput = FileHandle.nullDevice
    var environment = ProcessInfo.processInfo.environment
    environment["TENON_INSPECT"] = file.path
    environment["TENON_INSPECT_LIBRARIES"] = libraries
    environment["TENON_INSPECT_AT"] = atConfigure ? "configure" : nil
    process.environment = environment
    let ended = DispatchSemaphore(value: 0)
    process.terminationHandler = { _ in ended.signal() }
    do {
      try process.run()
    } catch {
      return [.failure("\(name) can't be started: \(error.localizedDescription).")]
    }
    guard ended.wait(timeout: .now() + 30) == .success else {
      kill(process.processIdentifier, SIGKILL)
      return [.failure("\(name) didn't reach \(place) within 30 s and was killed.")]
    }
    guard process.terminationReason == .exit else {
      return [.failure("\(name) crashed before \(place) (signal \(process.terminationStatus)).")]
    }
    guard process.terminationStatus != 70 else {
      return [.failure("\(name) can't be inspected; it has written the reason to standard error.")]
    }
    guard let content = try? Data(contentsOf: file),
      let inspection = try? JSONDecoder().decode(Inspection.self, from: content),
      process.terminationStatus == (inspection.problems.isEmpty ? 0 : 1)
    else { return [.failure("\(name) ended with \(process.terminationStatus) and wrote no inspection.")] }
    func finding(_ problem: Inspection.Problem, _ severity: String) -> Finding {
      Finding(
        rule: problem.number, severity: severity, message: problem.message, repairs: problem.repairs,
        location: problem.file.map { sources.location(of: $0, line: problem.line) }
          ?? problem.type.flatMap { sources.declaration(of: $0) })
    }
    let isEmpty = inspection.problems.isEmpty && inspection.graph.components.isEmpty
    return inspection.problems.map { finding($0, "error") }
      + (inspection.warnings ?? []).map { finding($0, "warning") }
      + (inspection.requirements ?? []).map { .required($0.options, by: $0.library) }
      + (isEmpty ? [.nothingChecked] : [])
  }
}

/// The end of the command with an error, which SwiftPM prints.
struct Failure: Error, CustomStringConvertible {
  let description: String
  init(_ description: String) { self.description = description }
}

/// What Core writes, as far as the plugin reads it.
private struct Inspection: Decodable {
  struct Problem: Decodable {
    let number, message: String
    let repairs: [String]
    let file: String?
    let line: Int?
    let type: String?
  }
  struct Requirement: Decodable {
    let library: String
    let options: [String]
  }
  struct Graph: Decodable {
    struct Component: Decodable {}
    let components: [Component]
  }
  let problems: [Problem]
  // An earlier version of Core doesn't write these.
  let warnings: [Problem]?
  let requirements: [Requirement]?
  let graph: Graph
}
