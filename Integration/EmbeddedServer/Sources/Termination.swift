import Dispatch
import Foundation

/// The signals that ask the process to end.
struct Termination {
  private let requests: AsyncStream<Void>
  private let sources: [any DispatchSourceSignal]

  init() {
    let (requests, continuation) = AsyncStream<Void>.makeStream()
    self.requests = requests
    sources = [SIGINT, SIGTERM].map { number in
      // The default action would end the process before the source hears of it.
      signal(number, SIG_IGN)
      let source = DispatchSource.makeSignalSource(signal: number)
      source.setEventHandler { continuation.yield() }
      source.activate()
      return source
    }
  }

  /// Waits for the first of them.
  func wait() async {
    for await _ in requests { break }
    for source in sources { source.cancel() }
  }
}
