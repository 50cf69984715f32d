/// One figure and how it compares to others of the same run.
struct Measurement: Encodable {
  /// What was measured, for example `warm-resolve`.
  let name: String
  /// The median over the repeats, of one operation.
  let nanoseconds: Double
  /// `nanoseconds` divided by those of a contender, by the contender's name.
  let ratios: [String: Double]
  /// Bytes, where memory was measured instead of time.
  var bytes: Double?
  /// Instructions of one operation; `nil` where they weren't counted.
  var instructions: Double?
  /// `instructions` divided by those of a contender, by the contender's name.
  var instructionRatios: [String: Double]?

  enum CodingKeys: String, CodingKey {
    case name, nanoseconds, ratios, bytes, instructions, instructionRatios
  }
}

/// Something whose time is taken.
struct Contender {
  let name: String
  /// Runs the operation `count` times and returns something that depends on every one of them.
  let run: @Sendable (_ count: Int) -> Int
}

/// Something whose time is taken and that waits now and then.
struct WaitingContender {
  let name: String
  /// Runs the operation `count` times.
  let run: (_ count: Int) async throws -> Void
}

/// Takes the times of contenders in turns, so that a change of the machine's speed meets all of them.
struct Comparison {
  var repeats = 21
  /// How long one turn of one contender should take.
  var turn = Duration.milliseconds(4)

  /// The median time of one operation of each contender, in nanoseconds.
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

  /// Measures the first contender against all others.
  func callAsFunction(_ contenders: [Contender]) -> Measurement {
    let medians = medians(contenders)
    let ratios = zip(contenders, medians).dropFirst().map { ($0.name, medians[0] / $1) }
    return Measurement(
      name: contenders[0].name, nanoseconds: medians[0], ratios: Dictionary(uniqueKeysWithValues: ratios))
  }

  /// Measures the first contender against all others.
  ///
  /// - Parameters:
  ///   - name: what is measured.
  ///   - size: how many things one operation is about; the time is that of one of them.
  func callAsFunction(
    _ name: String, per size: Int = 1, _ contenders: [WaitingContender]
  ) async throws -> Measurement {
    var counts: [Int] = []
    for contender in contenders { counts.append(try await calibrated(contender)) }
    var times = contenders.map { _ in [Double]() }
    for _ in 0..<repeats {
      for (index, contender) in contenders.enumerated() {
        times[index].append(try await time(contender, counts[index]) / Double(counts[index] * size))
      }
    }
    let medians = times.map(median)
    let ratios = zip(contenders, medians).dropFirst().map { ($0.name, medians[0] / $1) }
    return Measurement(
      name: name, nanoseconds: medians[0], ratios: Dictionary(uniqueKeysWithValues: ratios))
  }

  private func calibrated(_ contender: WaitingContender) async throws -> Int {
    var count = 1
    while try await time(contender, count) < turn / .nanoseconds(1) { count *= 2 }
    return count
  }

  private func time(_ contender: WaitingContender, _ count: Int) async throws -> Double {
    let start = ContinuousClock.now
    try await contender.run(count)
    return (ContinuousClock.now - start) / .nanoseconds(1)
  }

  private func calibrated(_ contender: Contender) -> Int {
    var count = 1
    while true {
      let taken = time(contender, count)
      if taken >= turn / .nanoseconds(1) || count > 1 << 24 { return count }
      count *= 2
    }
  }

  private func time(_ contender: Contender, _ count: Int) -> Double {
    let start = ContinuousClock.now
    let result = contender.run(count)
    let taken = ContinuousClock.now - start
    keep(result)
    return taken / .nanoseconds(1)
  }
}

/// The middle of an odd number of values.
func median(_ values: [Double]) -> Double { values.sorted()[values.count / 2] }

/// Keeps the optimizer from leaving out what computes a value.
@inline(never)
func keep<Value>(_ value: Value) {
  withExtendedLifetime(value) {}
}
