#if canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#elseif canImport(Darwin)
  import Darwin
#elseif canImport(WinSDK)
  import WinSDK
  import ucrt
#endif

/// Writes lines to standard error in the name of one library.
///
/// The environment variable `TENON_LOG` sets the lowest level that is written: `debug`, `info`, `notice` (the
/// default), `warning`, `error` or `off`.
public struct Logger: Sendable {
  /// How important a line is.
  public enum Level: Int, Sendable, Comparable, CaseIterable {
    /// What helps to find a defect.
    case debug
    /// What happens.
    case info
    /// What a user should know.
    case notice
    /// What may lead to an error.
    case warning
    /// What failed.
    case error

    /// Compares by importance.
    public static func < (left: Level, right: Level) -> Bool { left.rawValue < right.rawValue }
  }

  private let source: String
  private let lowest: Level?
  private let sink: (@Sendable (Level, String) -> Void)?

  /// A logger whose lines begin with `source`.
  public init(source: String) {
    self.source = source
    lowest = Self.lowestLevel(named: getenv("TENON_LOG").map { String(cString: $0) })
    sink = nil
  }

  /// A logger that hands every message to a closure instead, for tests.
  package init(source: String, sink: @escaping @Sendable (Level, String) -> Void) {
    self.source = source
    lowest = .debug
    self.sink = sink
  }

  static func lowestLevel(named name: String?) -> Level? {
    guard let name = name?.lowercased(), !name.isEmpty else { return .notice }
    if name == "off" { return nil }
    return Level.allCases.first { "\($0)" == name } ?? .notice
  }

  /// Writes a line, if its level is wanted.
  public func log(_ level: Level, _ message: @autoclosure () -> String) {
    guard let lowest, level >= lowest else { return }
    if let sink { return sink(level, message()) }
    let line = "\(level) \(source): \(message())\n"
    // One write per line, so that lines of several threads don't mix.
    Array(line.utf8).withUnsafeBytes { _ = write(2, $0.baseAddress, numericCast($0.count)) }
  }

  /// Writes what helps to find a defect.
  public func debug(_ message: @autoclosure () -> String) { log(.debug, message()) }
  /// Writes what happens.
  public func info(_ message: @autoclosure () -> String) { log(.info, message()) }
  /// Writes what a user should know.
  public func notice(_ message: @autoclosure () -> String) { log(.notice, message()) }
  /// Writes what may lead to an error.
  public func warning(_ message: @autoclosure () -> String) { log(.warning, message()) }
  /// Writes what failed.
  public func error(_ message: @autoclosure () -> String) { log(.error, message()) }
}
