import NIOCore
import TenonFoundation

#if canImport(Glibc)
  import Glibc
#endif

/// Gives memory back to the system after many connections or streams have ended together.
///
/// The system's allocator keeps what was released in the middle of its heaps: 2,000 listeners that have left would
/// take 50 MB as long as the server runs.
final class MemoryReturn: Sendable {
  private struct State {
    /// The greatest number since memory was given back.
    var most = 0
    var isScheduled = false
  }

  private let state = Lock(State())

  /// The number from which on it is worth the time, about a millisecond for 20 MB.
  private static let fewest = 100
  /// The delay in which the others end, too, and what belonged to them is released.
  private static let delay = TimeAmount.seconds(1)

  /// Takes note of a number of connections or streams, and gives memory back if it has fallen by half.
  ///
  /// - Parameter eventLoop: the event loop that waits for the others to end.
  func note(_ count: Int, _ eventLoop: any EventLoop) {
    let isDue = state.withLock { state in
      state.most = max(state.most, count)
      guard state.most >= Self.fewest, count <= state.most / 2, !state.isScheduled else { return false }
      state.isScheduled = true
      return true
    }
    guard isDue else { return }
    eventLoop.scheduleTask(in: Self.delay) { [self] in
      state.withLock { $0 = State() }
      // Not on the event loop, whose connections would wait.
      _ = ServerThread.start { Self.trim() }
    }
  }

  /// Makes the allocator of the GNU C library release its free pages. Other libraries do so themselves.
  private static func trim() {
    #if canImport(Glibc)
      // No module of the toolchain declares the function (malloc.h).
      guard let symbol = dlsym(dlopen(nil, RTLD_NOW), "malloc_trim") else { return }
      typealias Trim = @convention(c) (Int) -> CInt
      _ = unsafeBitCast(symbol, to: Trim.self)(0)
    #endif
  }
}
