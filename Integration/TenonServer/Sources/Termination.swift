import Dispatch

#if canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#elseif canImport(Darwin)
  import Darwin
#endif

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
    // Without a thread, the end of input can't be noticed, so it counts as having been reached.
    guard
      ServerThread.start({
        Self.readInput()
        continuation.yield()
      })
    else {
      continuation.yield()
      return
    }
  }

  /// Waits until signals are received. The system registers sources on a dedicated thread; earlier signals
  /// are lost.
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

  /// Reads standard input to its end.
  private static func readInput() {
    var buffer = [UInt8](repeating: 0, count: 4_096)
    while true {
      let count = read(STDIN_FILENO, &buffer, buffer.count)
      guard count > 0 || (count < 0 && errno == EINTR) else { return }
    }
  }

  private static let signals = [SIGINT, SIGTERM]
}
