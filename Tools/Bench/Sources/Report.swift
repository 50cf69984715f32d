import Foundation

/// Prints measurements as a table, or as one JSON array.
enum Report {
  static func print(_ measurements: [Measurement], asJSON: Bool) throws {
    asJSON ? try printJSON(measurements) : printTable(measurements)
  }

  private static func printJSON(_ measurements: [Measurement]) throws {
    let encoder = JSONEncoder()
    encoder.outputFormatting = [.prettyPrinted, .sortedKeys]
    Swift.print(String(decoding: try encoder.encode(measurements), as: UTF8.self))
  }

  /// Prints a table with the ratios under the names of the contenders. Consecutive measurements with the same
  /// contenders share a heading. The instructions of an operation and their ratios are below its time, if
  /// they were counted.
  private static func printTable(_ measurements: [Measurement]) {
    let width = measurements.map(\.name.count).max() ?? 0
    var heading: [String]?
    for measurement in measurements {
      let contenders = measurement.ratios.keys.sorted()
      if contenders != heading {
        if heading != nil { Swift.print() }
        if !contenders.isEmpty { line("", width, "", contenders.map { ($0, $0) }) }
        heading = contenders
      }
      let ratios = measurement.ratios.mapValues { "\(rounded($0))x" }
      line(measurement.name, width, value(measurement), contenders.map { ($0, ratios[$0] ?? "") })
      for detail in measurement.details {
        let others = detail.others.mapValues { "\(rounded(detail.value / $0))x" }
        let value = "\(rounded(detail.value)) \(detail.unit)"
        line("  " + value, max(width, value.count + 2), "", contenders.map { ($0, others[$0] ?? "") })
      }
      guard let instructions = measurement.instructions else { continue }
      let counted = (measurement.instructionRatios ?? [:]).mapValues { "\(rounded($0))x" }
      line("", width, "\(rounded(instructions)) instr", contenders.map { ($0, counted[$0] ?? "") })
    }
    let missed = measurements.flatMap(missedTargets)
    if !missed.isEmpty { Swift.print("\nMissed targets:\n" + missed.joined(separator: "\n")) }
  }

  /// Returns the ratios of a measurement that exceed what the design allows.
  private static func missedTargets(_ measurement: Measurement) -> [String] {
    measurement.limits.sorted { $0.key < $1.key }.compactMap { contender, limit in
      guard let ratio = measurement.ratios[contender], ratio > limit else { return nil }
      return "\(measurement.name) / \(contender) \(rounded(ratio))x (at most \(rounded(limit))x)"
    }
  }

  /// Prints one line of the table. Each cell is as wide as the name of its contender.
  private static func line(
    _ name: String, _ width: Int, _ value: String, _ cells: [(contender: String, text: String)]
  ) {
    let left = name.padding(toLength: width, withPad: " ", startingAt: 0)
    let columns = cells.map { right($0.text, max($0.contender.count, 6) + 2) }
    Swift.print(left + right(value, 14) + columns.joined())
  }

  private static func right(_ text: String, _ width: Int) -> String {
    String(repeating: " ", count: max(0, width - text.count)) + text
  }

  private static func value(_ measurement: Measurement) -> String {
    if let bytes = measurement.bytes {
      "\(rounded(bytes)) bytes"
    } else if measurement.nanoseconds >= 100_000 {
      "\(rounded(measurement.nanoseconds / 1_000_000)) ms"
    } else {
      "\(rounded(measurement.nanoseconds)) ns"
    }
  }

  private static func rounded(_ value: Double) -> String {
    String(format: value < 100 ? "%.2f" : "%.0f", value)
  }
}
