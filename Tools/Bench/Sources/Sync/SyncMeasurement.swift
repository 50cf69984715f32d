#if os(Linux)
  import Foundation

  /// One line of the result: the values of Swift with both servers, and of Python with Google's emulator.
  struct SyncMeasurement: Encodable {
    /// The unit of a value. Less is better.
    enum Unit: String, Encodable {
      case nanoseconds, bytes
    }

    /// The name, for example `listen-10000`.
    let name: String
    let unit: Unit
    /// Whether ``values`` are times of one of many operations, which are printed as operations per second.
    let isRate: Bool
    /// The medians of the repetitions, by the name of the contender.
    private(set) var values: [String: Double] = [:]
    /// The value of Swift on Google's emulator divided by that of Python.
    var toPython: Double? { ratio(.swiftOnEmulator, .pythonOnEmulator) }
    /// The value of Swift on `tenon-server` divided by that of Swift on Google's emulator.
    var toEmulator: Double? { ratio(.swiftOnEmbedded, .swiftOnEmulator) }

    enum CodingKeys: String, CodingKey {
      case name, unit, values, toPython, toEmulator
    }

    func encode(to encoder: any Encoder) throws {
      var container = encoder.container(keyedBy: CodingKeys.self)
      try container.encode(name, forKey: .name)
      try container.encode(unit, forKey: .unit)
      try container.encode(values, forKey: .values)
      try container.encodeIfPresent(toPython, forKey: .toPython)
      try container.encodeIfPresent(toEmulator, forKey: .toEmulator)
    }

    /// Creates a measurement of the values of all repetitions. Contenders without values are left out.
    init(_ name: String, _ unit: Unit, isRate: Bool = false, _ values: [SyncContender: [Double]]) {
      (self.name, self.unit, self.isRate) = (name, unit, isRate)
      for (contender, values) in values where !values.isEmpty {
        self.values[contender.rawValue] = median(values)
      }
    }

    private func ratio(_ one: SyncContender, _ other: SyncContender) -> Double? {
      guard let one = values[one.rawValue], let other = values[other.rawValue], other > 0 else { return nil }
      return one / other
    }

    /// Prints measurements as a table, or as one JSON array.
    static func print(_ measurements: [Self], asJSON: Bool) throws {
      guard !asJSON else {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.prettyPrinted, .sortedKeys]
        return Swift.print(String(decoding: try encoder.encode(measurements), as: UTF8.self))
      }
      line("", SyncContender.allCases.map(\.client) + ["Swift", "tenon-server"])
      line("", SyncContender.allCases.map { "on \($0.serverName)" } + ["/ Python", "/ emulator"])
      for measurement in measurements {
        let cells = SyncContender.allCases.map {
          measurement.values[$0.rawValue].map(measurement.text) ?? "-"
        }
        let ratios = [measurement.toPython, measurement.toEmulator].map { ratio in
          ratio.map { String(format: "%.2fx", $0) } ?? "-"
        }
        line(measurement.name, cells + ratios)
      }
      let missed = measurements.flatMap(\.missedTargets)
      if !missed.isEmpty { Swift.print("\nMissed targets (at most 1x):\n" + missed.joined(separator: "\n")) }
    }

    /// The ratios above 1 with their names.
    private var missedTargets: [String] {
      [("Python", toPython), ("the emulator", toEmulator)].compactMap { name, ratio in
        guard let ratio, ratio > 1 else { return nil }
        return "\(self.name) / \(name) \(String(format: "%.2fx", ratio))"
      }
    }

    private static func line(_ name: String, _ cells: [String]) {
      let columns = cells.map { String(repeating: " ", count: max(1, 19 - $0.count)) + $0 }
      Swift.print(name.padding(toLength: 22, withPad: " ", startingAt: 0) + columns.joined())
    }

    private func text(_ value: Double) -> String {
      switch unit {
      case .bytes where value < 100_000: String(format: "%.0f bytes", value)
      case .bytes: String(format: "%.1f MB", value / 1_000_000)
      case .nanoseconds where isRate: String(format: "%.0f /s", 1_000_000_000 / max(value, 1))
      case .nanoseconds: String(format: "%.1f ms", value / 1_000_000)
      }
    }
  }
#endif
