extension Duration {
  /// The longest delay that Tenon waits for: 365 days.
  package static let longestWait = Duration.seconds(365 * 24 * 3_600)

  /// Returns a number of seconds as a duration between zero and ``longestWait``. Not-a-number is zero.
  ///
  /// Use this for numbers from outside: `Duration.seconds(_:)` traps for numbers that it can't represent.
  package static func wait(seconds: Double) -> Duration {
    guard seconds > 0 else { return .zero }
    guard seconds < longestWait / .seconds(1) else { return longestWait }
    // Checked: from 0 to a year.
    return .seconds(seconds)
  }

  /// The duration, clamped to the range from zero to ``longestWait``.
  ///
  /// Adding an unlimited duration to an instant can overflow the clock's 64 bits, which ends the process.
  package var limited: Duration { min(max(self, .zero), .longestWait) }
}
