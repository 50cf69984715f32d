import Foundation
import TenonTestSupport
import TenonTesting
import Testing

/// No public type has the name of a type of Foundation, Swift Testing or the packages that most servers
/// import, because a program that imports both could name neither without its module.
@Suite(.limited(of: .processes)) struct TypeNameTests {
  /// A module of this package.
  private struct Module {
    let name: String
    /// The names of its public types that aren't nested in others.
    let types: [String]
  }

  /// The public types of other packages, without nested ones. Those of Foundation are what Linux lacks.
  private static let others: [String: Set<String>] = [
    // Logging and InMemoryLogging (https://github.com/apple/swift-log, Sources).
    "swift-log": [
      "InMemoryLogHandler", "LogEvent", "LogHandler", "Logger", "LoggingSystem", "MultiplexLogHandler",
      "StreamLogHandler", "SwiftLogNoOpLogHandler",
    ],
    // CoreMetrics, Metrics and MetricsTestKit (https://github.com/apple/swift-metrics, Sources).
    "swift-metrics": [
      "Counter", "CounterHandler", "FloatingPointCounter", "FloatingPointCounterHandler", "Gauge",
      "LoggingMetricsFactory", "MappingMetricsFactory", "Meter", "MeterHandler", "MetricDescriptor",
      "MetricsFactory", "MetricsSystem", "MultiplexMetricsHandler", "NOOPMetricsHandler", "Recorder",
      "RecorderHandler", "StreamMetricsFactory", "TestCounter", "TestMeter", "TestMetric", "TestMetrics",
      "TestMetricsError", "TestRecorder", "TestTimer", "TimeUnit", "Timer", "TimerHandler",
    ],
    // HTTPTypes (https://github.com/apple/swift-http-types, Sources).
    "swift-http-types": [
      "HTTP2ErrorCode", "HTTP3ErrorCode", "HTTPField", "HTTPFields", "HTTPRequest", "HTTPResponse",
    ],
    // https://developer.apple.com/documentation/foundation
    "Foundation": [
      "DistributedNotificationCenter", "FileWrapper", "InflectionConcept", "InflectionRule", "ListFormatter",
      "LocalizedStringResource", "MachPort", "MessagePort", "Morphology", "NetService", "NetServiceBrowser",
      "PersonNameComponentsFormatter", "RelativeDateTimeFormatter", "TermOfAddress", "UndoManager",
    ],
  ]

  @Test func noTypeHasANameOfTheUsualPackages() throws {
    let types = try Self.modules().flatMap(\.types)
    #expect(types.count > 200)
    for (package, names) in Self.others {
      #expect(names.intersection(types).sorted() == [], "\(package) has types with these names.")
    }
  }

  @Test func everyTypeCanBeNamedBesideFoundationAndTesting() async throws {
    // StoreCombine is empty without the trait OpenCombine.
    let modules = try Self.modules().filter { $0.name != "TenonStoreCombine" }
    let system = ["Foundation", "FoundationNetworking", "FoundationXML", "Testing"]
    var source = ""
    for module in system {
      source += "#if canImport(\(module))\nimport \(module)\n#endif\n"
    }
    for module in modules { source += "import \(module.name)\n" }
    for (number, type) in modules.flatMap(\.types).enumerated() {
      source += "typealias Alias\(number) = \(type)\n"
    }
    let diagnostics = try await SwiftCompiler.diagnostics(of: source)
    // A name of Firebase for something that Tenon doesn't have can be found, but not used.
    #expect(
      diagnostics.filter {
        !$0.message.contains("is unavailable") && !$0.message.contains("has been renamed to")
      } == [])
  }

  @Test func declarationsAreFoundInConditionalCode() {
    let source = """
      @_exported public import struct Elsewhere.Other
      public struct Outer: Sendable {
        public enum Inner {}
      }
      #if os(Linux)
        public typealias Here = Outer
        struct Hidden {
          public struct Inner {}
        }
      #else
        @MainActor public final class There {}
      #endif
      package struct Shared {}
      @available(*, unavailable) public protocol Absent {}
      """
    #expect(Self.types(in: source) == ["Outer", "Here", "There", "Absent"])
  }

  /// The modules of libraries with their public types, also those of modules that a library exports.
  private static func modules() throws -> [Module] {
    try ["Core", "Interop", "Products"].flatMap { area in
      let folder = packageRoot.appending(path: area)
      return try FileManager.default.contentsOfDirectory(atPath: folder.path).sorted().map { name in
        let suffix = area == "Interop" ? "Interop" : ""
        return Module(
          name: name == "Components" ? "TenonCore" : "Tenon\(name)\(suffix)",
          types: try types(below: folder.appending(path: name)))
      }
    }
  }

  /// Returns the public types in the sources below a folder, other than tests and what exists only on other
  /// platforms.
  private static func types(below folder: URL) throws -> [String] {
    let files = try FileManager.default.subpathsOfDirectory(atPath: folder.path).sorted()
    let sources = files.filter { file in
      let parts = file.split(separator: "/")
      return file.hasSuffix(".swift") && parts.contains("Sources") && !parts.contains("URLSession")
    }
    return try sources.flatMap { file in
      types(in: try String(contentsOf: folder.appending(path: file), encoding: .utf8))
    }
  }

  /// Returns the public types that a source declares at its top level, where code in `#if` is indented.
  private static func types(in source: String) -> [String] {
    let declaration =
      /(?:@\S+(?:\(.*?\))? )*public (?!import )(?:\w+ )*?(?:actor|class|enum|protocol|struct|typealias) (\w+).*/
    var conditions = 0
    var types: [String] = []
    for line in source.split(separator: "\n") {
      let code = line.drop { $0 == " " }
      if code.hasPrefix("#if") { conditions += 1 }
      if code.hasPrefix("#endif") { conditions -= 1 }
      guard line.distance(from: line.startIndex, to: code.startIndex) == 2 * conditions else { continue }
      if let match = code.wholeMatch(of: declaration) { types.append(String(match.1)) }
    }
    return types
  }
}
