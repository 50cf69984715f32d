import Foundation

/// The time that the processors have spent on this process, which other processes don't change.
enum CPUClock {
  /// The time since the start of the process.
  static var now: Duration {
    var time = timespec()
    guard clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &time) == 0 else { return .zero }
    return .seconds(time.tv_sec) + .nanoseconds(time.tv_nsec)
  }
}
