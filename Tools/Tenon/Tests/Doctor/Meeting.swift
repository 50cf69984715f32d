import Dispatch
import TenonFoundation

/// Requests that wait for each other.
final class Meeting: Sendable {
  private let size: Int
  private let missing: Lock<Int>
  private let isComplete = DispatchSemaphore(value: 0)

  /// - Parameter size: the number of requests.
  init(of size: Int) {
    self.size = size
    missing = Lock(size)
  }

  /// Waits until all have arrived. If one never does, the client has long given up when this returns.
  func wait() {
    let isLast = missing.withLock { missing in
      missing -= 1
      return missing == 0
    }
    if isLast { for _ in 0..<size { isComplete.signal() } }
    _ = isComplete.wait(timeout: .now() + 120)
  }
}
