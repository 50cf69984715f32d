import Foundation

/// Sizes and times as text.
enum Measure {
  /// Returns a size, for example `1.25 MB`.
  static func text(bytes: Int) -> String { decimal(Double(bytes) / 1_000_000, digits: 2) + " MB" }

  /// Returns a duration, for example `12.5 ms`.
  static func text(_ duration: Duration) -> String { decimal(duration / .milliseconds(1), digits: 1) + " ms" }

  /// Returns the number of a text that ends with a unit; `nil` if it has another form.
  static func number(_ text: String, unit: String) -> Double? {
    guard text.hasSuffix(" " + unit), let number = Double(text.dropLast(unit.count + 1)), number > 0 else {
      return nil
    }
    return number
  }

  private static func decimal(_ value: Double, digits: Int) -> String {
    value.formatted(
      .number.precision(.fractionLength(digits)).grouping(.never).locale(Locale(identifier: "en_US_POSIX")))
  }
}
