#if os(Linux)
  import Foundation

  /// One result for each contender, Tenon's first.
  struct TransportMeasurement: Encodable {
    /// The unit of a value. Less is better.
    enum Unit: String, Encodable {
      case nanoseconds, bytes
    }

    /// The result of one contender.
    struct Entry: Encodable {
      /// The name of the contender.
      let contender: String
      /// The median of the repetitions.
      let value: Double
      /// Tenon's value divided by this one.
      var ratio: Double?
    }

    /// The name of the measurement, for example `get-1-median`.
    let name: String
    let unit: Unit
    /// The number of operations in the time, for a rate; 1 for the time of one operation.
    var operations = 1
    private(set) var entries: [Entry]

    /// Creates a measurement.
    ///
    /// - Parameter values: the values of all repetitions of each contender. Contenders whose median is 0 are
    ///   left out.
    init(_ name: String, _ unit: Unit, operations: Int = 1, _ values: [(contender: String, values: [Double])])
    {
      self.name = name
      self.unit = unit
      self.operations = operations
      entries = values.map { Entry(contender: $0.contender, value: median($0.values)) }
        .filter { $0.value > 0 || unit == .bytes }
      guard let first = entries.first else { return }
      for index in entries.indices.dropFirst() {
        let value = entries[index].value
        if value > 0 { entries[index].ratio = first.value / value }
      }
    }

    /// Prints measurements as a table, or as one JSON array.
    static func print(_ measurements: [Self], asJSON: Bool) throws {
      guard !asJSON else {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.prettyPrinted, .sortedKeys]
        return Swift.print(String(decoding: try encoder.encode(measurements), as: UTF8.self))
      }
      for measurement in measurements {
        Swift.print(measurement.name)
        for entry in measurement.entries {
          let name = entry.contender.padding(toLength: 18, withPad: " ", startingAt: 0)
          let ratio = entry.ratio.map { String(format: "%8.2fx", $0) } ?? "         "
          Swift.print("  \(name)\(measurement.text(entry.value))\(ratio)")
        }
      }
    }

    private func text(_ value: Double) -> String {
      switch unit {
      case .bytes: String(format: "%12.1f MB", value / 1_000_000)
      case .nanoseconds where operations > 1:
        String(format: "%12.0f /s", Double(operations) / value * 1_000_000_000)
      case .nanoseconds where value < 1_000_000: String(format: "%12.1f µs", value / 1_000)
      case .nanoseconds: String(format: "%12.1f ms", value / 1_000_000)
      }
    }
  }
#endif
