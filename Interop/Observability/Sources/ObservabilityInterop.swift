/// Receives what Tenon's products log, measure and trace.
///
/// An app without a provider logs to standard error, as `TENON_LOG` says, and collects neither metrics nor
/// spans. With a provider, all products of the app send it everything, of all levels. Names and attributes
/// follow OpenTelemetry's semantic conventions where these have a name; those of Tenon begin with `tenon.`.
/// The article "Read the log" lists all of them.
///
/// Products never pass secrets or contents of documents and objects. Metrics and spans name collections,
/// buckets, functions and servers; only the messages of a log name single documents or objects.
///
/// Requirements for implementations: every function returns without blocking and may be called from any
/// thread, concurrently.
public protocol ObservabilityInterop: Sendable {
  /// Records an entry of the log. Every product writes entries.
  func log(_ entry: LogEntry)

  /// Adds to a counter, such as `tenon.http.client.retries` of every product or
  /// `tenon.store.writes.rejected` of Store.
  ///
  /// - Parameters:
  ///   - name: the counter's name.
  ///   - increment: the number to add, which isn't negative.
  ///   - attributes: the dimensions of the measurement.
  func count(_ name: String, by increment: Int, attributes: [String: ObservabilityValue])

  /// Sets a gauge, whose value can rise and fall. Store has gauges, such as `tenon.store.queue.depth`.
  ///
  /// - Parameters:
  ///   - name: the gauge's name.
  ///   - value: the present value.
  ///   - attributes: the dimensions of the measurement. Each combination of them has a value.
  func gauge(_ name: String, _ value: Double, attributes: [String: ObservabilityValue])

  /// Adds a duration to a histogram, such as `http.client.request.duration` of every product. Conventions of
  /// OpenTelemetry count durations in seconds.
  ///
  /// - Parameters:
  ///   - name: the histogram's name.
  ///   - duration: the duration.
  ///   - attributes: the dimensions of the measurement. A failed operation has `error.type`.
  func time(_ name: String, _ duration: Duration, attributes: [String: ObservabilityValue])

  /// Begins a span of a trace and returns it. The product ends it once.
  ///
  /// Every product has the spans of its requests; Auth and App Check also those of refreshing tokens,
  /// Functions of calls, and Storage of operations.
  ///
  /// - Parameters:
  ///   - name: the name of the operation.
  ///   - kind: the role of this process in the operation.
  ///   - parent: the span of the operation to which this one belongs; `nil` if it is the first one of
  ///     Tenon. It then belongs to what the app traces in the same task.
  ///   - attributes: what is known when the operation begins.
  func beginSpan(
    _ name: String, kind: ObservabilitySpanKind, parent: (any ObservabilitySpan)?,
    attributes: [String: ObservabilityValue]
  ) -> any ObservabilitySpan
}

/// An operation that is being traced.
public protocol ObservabilitySpan: Sendable {
  /// Ends the span.
  ///
  /// - Parameters:
  ///   - errorType: the code of the error with which the operation failed, `error.type` in OpenTelemetry's
  ///     conventions: the status of a response, or the code of an error of Tenon; `nil` if it succeeded.
  ///   - attributes: what became known during the operation.
  func end(errorType: String?, attributes: [String: ObservabilityValue])
}

/// The role of a process in a traced operation.
public enum ObservabilitySpanKind: Sendable, Hashable {
  /// An operation within the process.
  case `internal`
  /// A request to a server.
  case client
}

/// The value of an attribute.
public enum ObservabilityValue: Sendable, Hashable, CustomStringConvertible {
  /// A text.
  case string(String)
  /// A whole number.
  case int(Int)
  /// A number.
  case double(Double)
  /// `true` or `false`.
  case bool(Bool)

  /// The value as text, for systems whose attributes are texts.
  public var description: String {
    switch self {
    case .string(let value): value
    case .int(let value): "\(value)"
    case .double(let value): "\(value)"
    case .bool(let value): "\(value)"
    }
  }
}

extension ObservabilityValue: ExpressibleByStringLiteral, ExpressibleByIntegerLiteral,
  ExpressibleByFloatLiteral, ExpressibleByBooleanLiteral
{
  /// Creates a text.
  public init(stringLiteral value: String) { self = .string(value) }
  /// Creates a whole number.
  public init(integerLiteral value: Int) { self = .int(value) }
  /// Creates a number.
  public init(floatLiteral value: Double) { self = .double(value) }
  /// Creates `true` or `false`.
  public init(booleanLiteral value: Bool) { self = .bool(value) }
}

/// One entry of a log.
public struct LogEntry: Sendable, Hashable {
  /// The severity of an entry. Each is also a level of swift-log, whose name it has.
  public enum Level: Int, Sendable, Hashable, Comparable, CaseIterable {
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

  /// The severity.
  public var level: Level
  /// The name of the library that writes the entry, for example `tenon-auth`.
  public var source: String
  /// The message, one sentence. It may name documents and objects, like a line on standard error.
  public var message: String
  /// What the message is about, for programs that search a log.
  public var fields: [String: ObservabilityValue]

  /// Creates an entry.
  ///
  /// - Parameters:
  ///   - level: the severity.
  ///   - source: the name of the library that writes the entry.
  ///   - message: one sentence.
  ///   - fields: what the message is about; nothing by default.
  public init(
    level: Level, source: String, message: String, fields: [String: ObservabilityValue] = [:]
  ) {
    self.level = level
    self.source = source
    self.message = message
    self.fields = fields
  }
}
