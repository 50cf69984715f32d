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

/// Writes lines to standard error on behalf of one library. May be used on any thread; lines don't
/// interleave.
///
/// The environment variable `TENON_LOG` sets the lowest level that is written: `debug`, `info`, `notice` (the
/// default), `warning`, `error` or `off`. It is read when a logger is created.
public struct AppLogger: Sendable {
  /// The severity of a line.
  public enum Level: Int, Sendable, Comparable, CaseIterable {
    /// Information that helps to find a defect.
    case debug
    /// A normal event.
    case info
    /// An event that a user should know about.
    case notice
    /// An event that may lead to an error.
    case warning
    /// A failure.
    case error

    /// Returns whether a level is less severe than another.
    public static func < (left: Level, right: Level) -> Bool { left.rawValue < right.rawValue }
  }

  private let source: String
  /// The lowest level that is written; `nil` if none is.
  private let lowest: Level?
  /// Receives every message in place of standard error; `nil` for a logger that writes.
  private let sink: (@Sendable (Level, String, [String: String]) -> Void)?

  /// Creates a logger.
  ///
  /// - Parameter source: the name with which the lines begin, usually that of a library.
  public init(source: String) {
    self.source = source
    lowest = Self.lowestLevel(named: getenv("TENON_LOG").map { String(cString: $0) })
    sink = nil
  }

  /// Creates a logger that passes every message to a closure instead, for tests.
  ///
  /// - Parameters:
  ///   - source: the name of the library.
  ///   - sink: receives the level and the message.
  package init(source: String, sink: @escaping @Sendable (Level, String) -> Void) {
    self.init(source: source) { level, message, _ in sink(level, message) }
  }

  /// Creates a logger that passes every message and its fields to a closure instead.
  ///
  /// - Parameters:
  ///   - source: the name of the library.
  ///   - sink: receives the level, the message and the fields.
  package init(source: String, sink: @escaping @Sendable (Level, String, [String: String]) -> Void) {
    self.source = source
    lowest = .debug
    self.sink = sink
  }

  /// Returns the level with a name, ignoring case; `nil` for `off`, ``Level/notice`` for any other text and
  /// for none.
  static func lowestLevel(named name: String?) -> Level? {
    guard let name = name?.lowercased(), !name.isEmpty else { return .notice }
    if name == "off" { return nil }
    return Level.allCases.first { "\($0)" == name } ?? .notice
  }

  /// Writes a line if its level is enabled. The message is evaluated only in that case.
  ///
  /// The line consists of the level, the source and the message: `warning tenon-core: …`. It is written in
  /// one call, which may block; an error of the write is ignored.
  ///
  /// - Parameters:
  ///   - level: the severity.
  ///   - message: the text. A text with several lines is written as it is.
  ///   - fields: what the message is about, for a provider of observability; `error.type`, for example.
  ///     Standard error shows the message only. Nothing by default.
  @inline(never) public func log(
    _ level: Level, _ message: @autoclosure () -> String, fields: @autoclosure () -> [String: String] = [:]
  ) {
    guard let lowest, level >= lowest else { return }
    if let sink { return sink(level, message(), fields()) }
    let line = "\(level) \(source): \(message())\n"
    // One write per line, so that lines of several threads don't interleave.
    Array(line.utf8).withUnsafeBytes { _ = write(2, $0.baseAddress, numericCast($0.count)) }
  }

  /// Writes a line of the level ``Level/debug``.
  public func debug(
    _ message: @autoclosure () -> String, fields: @autoclosure () -> [String: String] = [:]
  ) { log(.debug, message(), fields: fields()) }
  /// Writes a line of the level ``Level/info``.
  public func info(
    _ message: @autoclosure () -> String, fields: @autoclosure () -> [String: String] = [:]
  ) { log(.info, message(), fields: fields()) }
  /// Writes a line of the level ``Level/notice``.
  public func notice(
    _ message: @autoclosure () -> String, fields: @autoclosure () -> [String: String] = [:]
  ) { log(.notice, message(), fields: fields()) }
  /// Writes a line of the level ``Level/warning``.
  public func warning(
    _ message: @autoclosure () -> String, fields: @autoclosure () -> [String: String] = [:]
  ) { log(.warning, message(), fields: fields()) }
  /// Writes a line of the level ``Level/error``.
  public func error(
    _ message: @autoclosure () -> String, fields: @autoclosure () -> [String: String] = [:]
  ) { log(.error, message(), fields: fields()) }
}
