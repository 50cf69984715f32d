package import TenonCore
import TenonFoundation
package import TenonObservabilityInterop

/// The attributes of a measurement, a span or an entry of the log.
package typealias TelemetryAttributes = [String: ObservabilityValue]

/// The log of one library in one app, and the app's provider of `ObservabilityInterop`, if it has one.
///
/// Without a provider, log lines go to standard error as `TENON_LOG` says, and every other function tests
/// one flag: attributes aren't evaluated, no clock is read, and nothing is allocated. With a
/// provider, it receives everything.
///
/// Attributes contain no secrets, no contents and no paths of documents or objects. Every name that is used
/// is in the table of the article "Read the log", which a test compares with what the products record.
package final class Telemetry: Sendable {
  /// The operation that the current task performs, for a provider.
  @TaskLocal private static var operation: MeasuredOperation?

  /// The log. It passes lines to the provider if there is one.
  package let logger: AppLogger
  /// The name of the library.
  package let source: String
  /// The provider; `nil` if the app has none.
  package let observability: (any ObservabilityInterop)?
  /// Whether there is a provider. Callers that must prepare what they record ask first.
  ///
  /// Stored, because looking into an existential copies it. Hot paths ask before each call: a comparison and a
  /// branch, because the compiler inlines no functions of `package` into other modules.
  package let isRecording: Bool
  /// The logger that takes the place of standard error; `nil` if none was given.
  private let given: AppLogger?

  /// Creates the telemetry of a library.
  ///
  /// - Parameters:
  ///   - source: the name of the library, for example `tenon-storage`.
  ///   - observability: the provider of the app's container; none by default.
  ///   - logger: the log without a provider; one that writes to standard error by default.
  package init(
    source: String, observability: (any ObservabilityInterop)? = nil, logger: AppLogger? = nil
  ) {
    self.source = source
    self.observability = observability
    isRecording = observability != nil
    given = logger
    if let observability {
      self.logger = AppLogger(source: source) { level, message, fields in
        observability.log(
          LogEntry(
            level: LogEntry.Level(level), source: source, message: message,
            fields: fields.mapValues { .string($0) }))
      }
    } else {
      self.logger = logger ?? AppLogger(source: source)
    }
  }

  /// Telemetry that records nothing and writes nothing.
  package static let silent = Telemetry(source: "none", logger: AppLogger(source: "none") { _, _ in })

  /// Returns the telemetry of another part of the same app.
  package func of(_ source: String) -> Telemetry {
    Telemetry(source: source, observability: observability, logger: given)
  }

  /// Adds to a counter.
  package func count(
    _ name: String, by increment: Int = 1, _ attributes: @autoclosure () -> TelemetryAttributes = [:]
  ) {
    guard isRecording else { return }
    observability?.count(name, by: increment, attributes: attributes())
  }

  /// Sets a gauge.
  package func gauge(
    _ name: String, _ value: @autoclosure () -> Double,
    _ attributes: @autoclosure () -> TelemetryAttributes = [:]
  ) {
    guard isRecording else { return }
    observability?.gauge(name, value(), attributes: attributes())
  }

  /// Adds a duration to a histogram.
  package func time(
    _ name: String, _ duration: @autoclosure () -> Duration,
    _ attributes: @autoclosure () -> TelemetryAttributes = [:]
  ) {
    guard isRecording else { return }
    observability?.time(name, duration(), attributes: attributes())
  }
}

extension Telemetry {
  /// Performs an operation and records a span and a duration of it, with the same attributes. Spans of
  /// operations that it performs in the same task belong to its span.
  ///
  /// - Parameters:
  ///   - histogram: the name of the duration.
  ///   - span: the name of the span.
  ///   - kind: the kind of the span; `internal` by default.
  ///   - attributes: what is known when the operation begins.
  ///   - details: further attributes, of the span only.
  ///   - outcome: returns what the result adds, `error.type` if it is one of a failure; nothing by default.
  ///   - operation: the operation.
  @discardableResult
  package nonisolated(nonsending) func measure<Result>(
    _ histogram: String, span: @autoclosure () -> String, kind: ObservabilitySpanKind = .internal,
    _ attributes: @autoclosure () -> TelemetryAttributes = [:],
    details: @autoclosure () -> TelemetryAttributes = [:],
    outcome: (Result) -> TelemetryAttributes = { _ in [:] },
    _ operation: nonisolated(nonsending) () async throws -> Result
  ) async throws -> Result {
    guard let observability else { return try await operation() }
    let attributes = attributes()
    let span = observability.beginSpan(
      span(), kind: kind, parent: Self.operation?.span,
      attributes: attributes.merging(details()) { first, _ in first })
    let measured = MeasuredOperation(span)
    let start = ContinuousClock.now
    func end(_ added: TelemetryAttributes) {
      observability.time(
        histogram, ContinuousClock.now - start, attributes: attributes.merging(added) { _, last in last })
      measured.end()
      span.end(errorType: added["error.type"]?.description, attributes: added)
    }
    do {
      let result = try await Self.$operation.withValue(measured) { try await operation() }
      end(outcome(result))
      return result
    } catch {
      end(["error.type": .string(Self.errorType(error))])
      throw error
    }
  }

  /// Returns the code of an error, as `error.type` has it: that of a ``TelemetryError``, `cancelled` for a
  /// cancellation, and otherwise the name of the type.
  package static func errorType(_ error: any Error) -> String {
    switch error {
    case let error as any TelemetryError: error.telemetryCode
    case is CancellationError: "cancelled"
    default: "\(type(of: error))"
    }
  }
}

/// An operation that is being measured. Tasks that it has started may last longer than it.
private final class MeasuredOperation: Sendable {
  private let open: Lock<(any ObservabilitySpan)?>

  init(_ span: any ObservabilitySpan) { open = Lock(span) }

  /// The span; `nil` once the operation has ended.
  var span: (any ObservabilitySpan)? { open.withLock { $0 } }

  func end() { open.withLock { $0 = nil } }
}

/// An error whose code telemetry records. Codes have few values and contain no data.
package protocol TelemetryError: Error {
  /// The code.
  var telemetryCode: String { get }
}

extension LogEntry.Level {
  /// Creates the level of a provider's entry from that of a line.
  init(_ level: AppLogger.Level) {
    switch level {
    case .debug: self = .debug
    case .info: self = .info
    case .notice: self = .notice
    case .warning: self = .warning
    case .error: self = .error
    }
  }
}
