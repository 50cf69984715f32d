import Dispatch
import Foundation

/// The events that end the process: signals, and the end of standard input.
struct Termination {
  private let requests: AsyncStream<Void>
  private let registrations: AsyncStream<Void>
  private let sources: [any DispatchSourceSignal]

  init(watchesInput: Bool) {
    let (requests, continuation) = AsyncStream<Void>.makeStream()
    self.requests = requests
    let (registrations, registered) = AsyncStream<Void>.makeStream()
    self.registrations = registrations
    sources = Self.signals.map { number in
      // The default action would end the process before the source receives the signal.
      signal(number, SIG_IGN)
      let source = DispatchSource.makeSignalSource(signal: number)
      source.setEventHandler { continuation.yield() }
      source.setRegistrationHandler { registered.yield() }
      source.activate()
      return source
    }
    guard watchesInput else { return }
    Thread {
      while !FileHandle.standardInput.availableData.isEmpty {}
      continuation.yield()
    }.start()
  }

  /// Waits until signals are received. The system registers sources on a thread of its own; earlier signals are lost.
  func begin() async {
    var count = 0
    for await _ in registrations {
      count += 1
      if count == sources.count { return }
    }
  }

  /// Waits for the first event. Another signal then ends the process immediately.
  func wait() async {
    for await _ in requests { break }
    for source in sources { source.cancel() }
    for number in Self.signals { signal(number, SIG_DFL) }
  }

  private static let signals = [SIGINT, SIGTERM]
}
