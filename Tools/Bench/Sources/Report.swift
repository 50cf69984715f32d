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

  private static func printTable(_ measurements: [Measurement]) {
    let width = measurements.map(\.name.count).max() ?? 0
    for measurement in measurements {
      let name = measurement.name.padding(toLength: width + 2, withPad: " ", startingAt: 0)
      let ratios = measurement.ratios.sorted { $0.key < $1.key }.map { "\(rounded($0.value))x \($0.key)" }
      Swift.print(name + [value(measurement)].joined() + ratios.map { "   " + $0 }.joined())
    }
  }

  private static func value(_ measurement: Measurement) -> String {
    let text =
      if let bytes = measurement.bytes {
        "\(rounded(bytes)) bytes"
      } else if measurement.nanoseconds >= 100_000 {
        "\(rounded(measurement.nanoseconds / 1_000_000)) ms"
      } else {
        "\(rounded(measurement.nanoseconds)) ns"
      }
    return text.padding(toLength: 14, withPad: " ", startingAt: 0)
  }

  private static func rounded(_ value: Double) -> String {
    String(format: value < 100 ? "%.2f" : "%.0f", value)
  }
}
