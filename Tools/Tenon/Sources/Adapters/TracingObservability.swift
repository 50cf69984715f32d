// The spans of Tenon's products in swift-distributed-tracing. Written by `tenon new adapter`; change it as you
// like. LoggingObservability.swift shows how adapters form a chain. Without a log, entries go to standard error.

internal import TenonCore
package import TenonObservabilityInterop
package import Tracing

/// Records what Tenon's products do. Spans without a parent of Tenon belong to the app's span in the same task.
package struct TracingObservability: ObservabilityInterop {
  private let tracer: any Tracer
  private let next: (any ObservabilityInterop)?

  /// - Parameters:
  ///   - tracer: what records the spans; the one that the app bootstrapped by default.
  ///   - next: what receives entries and metrics; entries go to standard error by default.
  package init(
    _ tracer: any Tracer = InstrumentationSystem.tracer, next: (any ObservabilityInterop)? = nil
  ) {
    self.tracer = tracer
    self.next = next
  }

  package func beginSpan(
    _ name: String, kind: ObservabilitySpanKind, parent: (any ObservabilitySpan)?,
    attributes: [String: ObservabilityValue]
  ) -> any ObservabilitySpan {
    let span = tracer.startAnySpan(
      name, context: (parent as? Traced)?.span.context ?? .current ?? .topLevel,
      ofKind: kind == .client ? .client : .internal)
    span.updateAttributes { $0.add(attributes) }
    return Traced(span: span)
  }

  private struct Traced: ObservabilitySpan {
    let span: any Span

    func end(errorType: String?, attributes: [String: ObservabilityValue]) {
      span.updateAttributes {
        $0.add(attributes)
        if let errorType { $0["error.type"] = errorType }
      }
      if errorType != nil { span.setStatus(SpanStatus(code: .error)) }
      span.end()
    }
  }

  package func log(_ entry: LogEntry) {
    guard let next else {
      return AppLogger(source: entry.source).log(
        .init(rawValue: entry.level.rawValue) ?? .notice, entry.message)
    }
    next.log(entry)
  }

  package func count(_ name: String, by increment: Int, attributes: [String: ObservabilityValue]) {
    next?.count(name, by: increment, attributes: attributes)
  }

  package func gauge(_ name: String, _ value: Double, attributes: [String: ObservabilityValue]) {
    next?.gauge(name, value, attributes: attributes)
  }

  package func time(_ name: String, _ duration: Duration, attributes: [String: ObservabilityValue]) {
    next?.time(name, duration, attributes: attributes)
  }
}

extension SpanAttributes {
  fileprivate mutating func add(_ attributes: [String: ObservabilityValue]) {
    for (name, value) in attributes {
      switch value {
      case .string(let value): self[name] = value
      case .int(let value): self[name] = value
      case .double(let value): self[name] = value
      case .bool(let value): self[name] = value
      }
    }
  }
}
