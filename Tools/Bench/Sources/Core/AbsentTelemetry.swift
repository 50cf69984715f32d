import TenonObservabilityInterop
import TenonTelemetry

/// Recording in an app without a provider of `ObservabilityInterop`, beside the same work without recording.
enum AbsentTelemetry {
  @inline(never) private static func worked(_ number: Int) -> Int { number &+ 1 }

  @inline(never) private static func recorded(_ number: Int, _ telemetry: Telemetry) -> Int {
    if telemetry.isRecording {
      telemetry.count("tenon.bench.numbers", ["tenon.bench.number": .int(number)])
    }
    return number &+ 1
  }

  /// The measurement with the contender to which it is compared.
  static func groups() -> [[Contender]] {
    let telemetry = Telemetry(source: "tenon-bench")
    let absent = Contender(name: "telemetry-absent") { count in
      (0..<count).reduce(0) { recorded($0 &+ $1, telemetry) }
    }
    let none = Contender(name: "telemetry-none") { count in
      (0..<count).reduce(0) { worked($0 &+ $1) }
    }
    return [[absent, none]]
  }

  static func measure(_ comparison: Comparison) -> [Measurement] {
    groups().map(comparison.callAsFunction)
  }
}
