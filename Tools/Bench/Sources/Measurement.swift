import Foundation

/// One result, and its comparison with others of the same run.
struct Measurement: Encodable {
  /// The name of the measurement, for example `warm-resolve`.
  let name: String
  /// The median time of one operation in nanoseconds.
  let nanoseconds: Double
  /// The ratio of `nanoseconds` to that of each contender, by the contender's name.
  let ratios: [String: Double]
  /// The memory in bytes, if memory was measured instead of time.
  var bytes: Double?
  /// The instructions of one operation; `nil` if they weren't counted.
  var instructions: Double?
  /// The ratio of `instructions` to that of each contender, by the contender's name.
  var instructionRatios: [String: Double]?

  /// What else was measured, for example the statements of one operation.
  var details: [Detail] = []

  /// The largest ratios that the design allows, by the contender's name.
  var limits: [String: Double] = [:]

  enum CodingKeys: String, CodingKey {
    case name, nanoseconds, ratios, bytes, instructions, instructionRatios, details
  }

  /// Another quantity of the same operations.
  struct Detail: Encodable {
    /// The unit, for example `statements`.
    let unit: String
    /// The quantity for one operation.
    let value: Double
    /// That of each contender, by the contender's name.
    let others: [String: Double]
  }
}

/// An operation to measure.
struct Contender {
  let name: String
  /// Runs the operation `count` times and returns a value that depends on all of the results.
  let run: @Sendable (_ count: Int) -> Int
}

/// An asynchronous operation to measure.
struct WaitingContender {
  let name: String
  /// Runs the operation `count` times.
  let run: (_ count: Int) async throws -> Void
}

/// Measures contenders in turn, so that changes of the machine's speed affect all of them.
struct Comparison {
  var repeats = 21
  /// Whether the time of the processors is measured, which other processes don't change.
  var measuresCPU = false
  /// The duration of one turn of a contender.
  var turn = Duration.milliseconds(4)

  /// Returns the median time of one operation of each contender, in nanoseconds.
  func medians(_ contenders: [Contender]) -> [Double] {
    let counts = contenders.map(calibrated)
    var times = contenders.map { _ in [Double]() }
    for _ in 0..<repeats {
      for (index, contender) in contenders.enumerated() {
        times[index].append(time(contender, counts[index]) / Double(counts[index]))
      }
    }
    return times.map(median)
  }

  /// Compares the first contender with all others.
  func callAsFunction(_ contenders: [Contender]) -> Measurement {
    let medians = medians(contenders)
    let ratios = zip(contenders, medians).dropFirst().map { ($0.name, medians[0] / $1) }
    return Measurement(
      name: contenders[0].name, nanoseconds: medians[0], ratios: Dictionary(uniqueKeysWithValues: ratios))
  }

  /// Compares the first contender with all others.
  ///
  /// - Parameters:
  ///   - name: the name of the measurement.
  ///   - size: the number of items that one operation processes; the time is that of one item.
  func callAsFunction(
    _ name: String, per size: Int = 1, _ contenders: [WaitingContender]
  ) async throws -> Measurement {
    var counts: [Int] = []
    for contender in contenders { counts.append(try await calibrated(contender)) }
    var times = contenders.map { _ in [Double]() }
    var loads = times
    for _ in 0..<repeats {
      for (index, contender) in contenders.enumerated() {
        let (count, start) = (Double(counts[index] * size), ProcessorTime.now)
        times[index].append(try await time(contender, counts[index]) / count)
        loads[index].append((ProcessorTime.now - start) / count)
      }
    }
    let (medians, processor) = (times.map(median), loads.map(median))
    let ratios = zip(contenders, medians).dropFirst().map { ($0.name, medians[0] / $1) }
    let others = zip(contenders, processor).dropFirst().map { ($0.name, $1) }
    return Measurement(
      name: name, nanoseconds: medians[0], ratios: Dictionary(uniqueKeysWithValues: ratios),
      details: [
        Measurement.Detail(
          unit: "ns of the processor", value: processor[0], others: Dictionary(uniqueKeysWithValues: others))
      ])
  }

  private func calibrated(_ contender: WaitingContender) async throws -> Int {
    var count = 1
    while try await time(contender, count) < turn / .nanoseconds(1) { count *= 2 }
    return count
  }

  private func time(_ contender: WaitingContender, _ count: Int) async throws -> Double {
    let start = now
    try await contender.run(count)
    return now - start
  }

  private func calibrated(_ contender: Contender) -> Int {
    var count = 1
    while true {
      let taken = time(contender, count)
      if taken >= turn / .nanoseconds(1) || count > 1 << 24 { return count }
      count *= 2
    }
  }

  private static let start = ContinuousClock.now
  /// The time in nanoseconds.
  private var now: Double {
    measuresCPU ? ProcessorTime.now : (ContinuousClock.now - Self.start) / .nanoseconds(1)
  }

  private func time(_ contender: Contender, _ count: Int) -> Double {
    let start = now
    let result = contender.run(count)
    let taken = now - start
    keep(result)
    return taken
  }
}

/// The time that all threads of the process have used a processor. Unlike that of a clock, it hardly depends on
/// what else the machine does.
enum ProcessorTime {
  /// The time in nanoseconds.
  static var now: Double {
    var time = timespec()
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &time)
    return Double(time.tv_sec) * 1e9 + Double(time.tv_nsec)
  }
}

/// Returns the median of an odd number of values.
func median(_ values: [Double]) -> Double { values.sorted()[values.count / 2] }

/// Keeps the optimizer from removing the computation of a value.
@inline(never)
func keep<Value>(_ value: Value) {
  withExtendedLifetime(value) {}
}
