extension Duration {
  /// The longest wait that ``wait(seconds:)`` gives: a year.
  package static let longestWait = Duration.seconds(365 * 24 * 3_600)

  /// A wait of some seconds, at least none and at most ``longestWait``.
  ///
  /// For numbers from outside, which may be of any size or none at all: `Duration.seconds(_:)` traps on those that it
  /// can't hold.
  package static func wait(seconds: Double) -> Duration {
    guard seconds > 0 else { return .zero }
    guard seconds < longestWait / .seconds(1) else { return longestWait }
    return .seconds(seconds)
  }

  /// The time itself, but not less than nothing and not more than the longest wait: `Task.sleep` ends the process where
  /// a clock's time no longer fits its 64 bits.
  package var limited: Duration { min(max(self, .zero), .longestWait) }
}
