import Foundation
import Testing

/// `Integration/LateLoading`, built once for the tests of a suite: hosts, and plugins that they load by their
/// paths.
struct LateLoadingPackage: Sendable {
  /// A library that a host loads.
  enum Plugin: String {
    case payments = "Payments"
    /// Depends on an interface of ``payments``.
    case refunds = "Refunds"
    /// Provides an interface that the host provides.
    case colliding = "Colliding"
    /// Two libraries that depend on each other.
    case pair = "Pair"
    /// Creates a component on the main actor when it is adopted.
    case screens = "Screens"
    /// Contains a copy of Core.
    case vendor = "Vendor"
    /// Core as a shared library, which all others except ``vendor`` use.
    case core = "SharedCore"
  }

  /// A program that loads libraries.
  enum Host: String {
    /// Shares ``Plugin/core`` with its plugins.
    case shared = "SharedHost"
    /// Contains a copy of Core.
    case whole = "WholeHost"
  }

  @TaskLocal static var built: LateLoadingPackage?

  /// The package that the suite's trait has built.
  static var current: LateLoadingPackage {
    get throws { try #require(built, "The suite lacks its trait.") }
  }

  private let directory: URL

  fileprivate init(builtIn scratch: URL) async throws {
    let package = packageRoot.appending(path: "Integration/LateLoading").path
    try await PackageBuild.build(["--package-path", package, "--scratch-path", scratch.path])
    // The dynamic loader reports paths without symbolic links.
    directory = scratch.appending(path: "debug").resolvingSymlinksInPath()
  }

  /// Returns the path of a plugin.
  func path(_ plugin: Plugin) -> String {
    #if os(macOS)
      directory.appending(path: "lib\(plugin.rawValue).dylib").path
    #else
      directory.appending(path: "lib\(plugin.rawValue).so").path
    #endif
  }

  /// Returns the path of a host.
  func path(_ host: Host) -> String { directory.appending(path: host.rawValue).path }

  /// Runs a host with steps in their order.
  func run(_ host: Host = .shared, _ steps: Step...) async throws -> Executable.Result {
    let result = try await Executable(path: path(host)).run(
      steps.map { $0.text(self) }, environment: ["TENON_LOG": "error"])
    #expect(result.status == 0, "\(result.output)\n\(result.errors)")
    return result
  }

  /// Starts a host whose last step is ``Step/end``.
  func start(_ host: Host = .shared, _ steps: Step...) throws -> RunningExecutable {
    try Executable(path: path(host)).start(
      steps.map { $0.text(self) } + ["end"], environment: ["TENON_LOG": "error"])
  }

  /// An action of a host.
  struct Step: ExpressibleByStringLiteral, Sendable {
    let text: @Sendable (LateLoadingPackage) -> String

    /// A step in the host's syntax, for example `graph=app`.
    init(stringLiteral value: String) { text = { _ in value } }

    private init(_ text: @escaping @Sendable (LateLoadingPackage) -> String) { self.text = text }

    static func load(_ plugin: Plugin) -> Step { Step { "load=\($0.path(plugin))" } }
    static let vendorReport = Step { "vendor-report=\($0.path(.vendor))" }
    static let vendorConfigure = Step { "vendor-configure=\($0.path(.vendor))" }
  }
}

/// Builds ``LateLoadingPackage`` before the first test of a suite, and removes the products after the last
/// one.
struct BuiltLateLoading: SuiteTrait, TestScoping {
  func provideScope(
    for test: Test, testCase: Test.Case?, performing function: @concurrent @Sendable () async throws -> Void
  ) async throws {
    try await withTemporaryDirectory { directory in
      let package = try await LateLoadingPackage(builtIn: directory)
      try await LateLoadingPackage.$built.withValue(package) { try await function() }
    }
  }
}

extension Trait where Self == BuiltLateLoading {
  static var builtLateLoading: Self { Self() }
}
