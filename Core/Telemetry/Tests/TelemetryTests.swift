import TenonCore
import TenonFoundation
import TenonObservabilityInterop
import TenonTestSupport
import TenonTesting
import Testing

@testable import TenonTelemetry

@Suite(.limited) struct TelemetryTests {
  private struct Refusal: TelemetryError {
    var telemetryCode: String { "refused" }
  }

  @Test func withoutAProviderNothingIsEvaluatedAndTheLogIsTheLoggers() async throws {
    let log = RecordedLog()
    let telemetry = Telemetry(source: "tests", logger: log.logger)
    func unexpected() -> TelemetryAttributes {
      Issue.record("evaluated")
      return [:]
    }
    #expect(!telemetry.isRecording)
    telemetry.count("count", unexpected())
    telemetry.gauge("gauge", 1, unexpected())
    telemetry.time("time", .zero, unexpected())
    let result = try await telemetry.measure(
      "time", span: "span", unexpected(), details: unexpected(),
      outcome: { (_: Int) in unexpected() }
    ) { 7 }
    #expect(result == 7)
    telemetry.logger.warning("a line", fields: ["field": "1"])
    telemetry.of("others").logger.error("another line")
    #expect(log.lines == ["a line", "another line"])
  }

  @Test func aProviderReceivesTheLogOfAllLevelsWithItsFields() {
    let observability = FakeObservability()
    let log = RecordedLog()
    let telemetry = Telemetry(source: "tests", observability: observability, logger: log.logger)
    for level in AppLogger.Level.allCases { telemetry.logger.log(level, "\(level)") }
    telemetry.of("others").logger.notice("a line", fields: ["error.type": "refused"])
    let lines = LogEntry.Level.allCases.map { LogEntry(level: $0, source: "tests", message: "\($0)") }
    let last = LogEntry(
      level: .notice, source: "others", message: "a line", fields: ["error.type": "refused"])
    #expect(observability.entries == lines + [last])
    #expect(log.lines == [])
  }

  @Test func spansOfATaskBelongToTheOneThatContainsThem() async throws {
    let observability = FakeObservability()
    let telemetry = Telemetry(source: "tests", observability: observability)
    try await telemetry.measure("outer", span: "outer", ["at": "start"], outcome: { ["result": .int($0)] }) {
      await #expect(throws: Refusal.self) {
        try await telemetry.measure("inner", span: "inner", kind: .client) { throw Refusal() }
      }
      return 3
    }
    let spans = observability.spans
    #expect(spans.map(\.name) == ["outer", "inner"] && spans.map(\.parent) == [nil, 0])
    #expect(spans.map(\.errorType) == [nil, "refused"] && spans.allSatisfy(\.isEnded))
    #expect(spans[0].attributes == ["at": "start", "result": 3])
    #expect(observability.durations.map(\.name) == ["inner", "outer"])
    #expect(observability.durations.map(\.attributes) == [["error.type": "refused"], spans[0].attributes])
  }

  @Test func aSpanOfATaskThatOutlivesTheOperationBelongsToNone() async throws {
    let observability = FakeObservability()
    let telemetry = Telemetry(source: "tests", observability: observability)
    let (ended, end) = AsyncStream.makeStream(of: Void.self)
    let task = try await telemetry.measure("outer", span: "outer") {
      Task {
        for await _ in ended {}
        try await telemetry.measure("later", span: "later") {}
      }
    }
    end.finish()
    try await task.value
    #expect(observability.spans.map(\.name) == ["outer", "later"])
    #expect(observability.spans.map(\.parent) == [nil, nil])
  }

  @Test func theCodeOfAnErrorIsShortAndHasNoData() {
    struct Other: Error { let secret = "secret" }
    #expect(Telemetry.errorType(Refusal()) == "refused")
    #expect(Telemetry.errorType(CancellationError()) == "cancelled")
    #expect(Telemetry.errorType(Other()) == "Other")
  }
}
