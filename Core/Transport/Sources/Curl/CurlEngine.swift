import TenonFoundation

#if os(Linux)
  import CTransport
  import FoundationEssentials
  import TenonCore
  import TenonTransportInterop

  /// The thread on which libcurl runs, and the queue of what it has to do.
  ///
  /// A multi handle of libcurl and its transfers belong to one thread
  /// (https://curl.se/libcurl/c/threadsafe.html; see `CurlLoop`), which this class starts with the first
  /// exchange. Other threads only append to the queue and end the thread's waiting, which libcurl allows from
  /// any thread (https://curl.se/libcurl/c/curl_multi_wakeup.html). The thread ends after the last exchange
  /// when the engine is closed.
  ///
  /// The thread retains the engine. It is started again if an exchange begins after it has ended. Exchanges
  /// retain the engine as well, so that the body of a response can still be read when its transport has been
  /// released.
  final class CurlEngine: Sendable {
    /// Work for the thread.
    enum Command {
      /// Begins an exchange.
      case start(CurlExchange)
      /// Ends an exchange that has been stopped, and closes its connection unless it can carry others.
      case remove(CurlExchange)
      /// Continues receiving, after the reader has emptied the buffer.
      case receive(CurlExchange)
      /// Continues sending, after the caller has provided more of the request's body.
      case send(CurlExchange)
    }

    /// The state, which is accessed by any thread under the lock.
    private struct State {
      /// The queue.
      var commands: [Command] = []
      /// The address of the multi handle, for ending the thread's waiting; `nil` unless the thread is
      /// running.
      var multi: UInt?
      /// Whether the thread has been started and hasn't ended.
      var hasThread = false
      /// Whether the thread ends after its last exchange.
      var isClosed = false
      /// Whether the thread waits for events, or is about to, and hasn't been woken.
      var isWaiting = false
      /// The number of exchanges that the thread is executing.
      var open = 0

      /// Whether the thread has to end.
      var isFinished: Bool { isClosed && open == 0 && commands.isEmpty }

      /// Ends the thread's waiting. It must be called under the lock, under which the thread withdraws the
      /// handle. A thread that isn't waiting needs no wake-up: it looks for commands before it waits. Waking
      /// it would only hold this lock during a system call.
      mutating func wake() {
        guard isWaiting, let multi else { return }
        isWaiting = false
        tenon_curl_wake(UnsafeMutableRawPointer(bitPattern: multi))
      }
    }

    /// How to connect to servers. The thread reads it for each transfer.
    let configuration: TransportConfiguration
    /// Whether libcurl may be asked to call back before a request.
    let hasRequestCallback: Bool
    /// The queue and the state of the thread.
    private let state = Lock(State())

    /// Creates an engine without a thread. See ``submit(_:)``.
    ///
    /// - Parameters:
    ///   - configuration: how to connect to servers.
    ///   - hasRequestCallback: whether libcurl may be asked to call back before a request. Versions before
    ///     7.80 can't; then, and with `false`, requests other than idempotent ones don't use connections that
    ///     were kept open.
    init(_ configuration: TransportConfiguration, hasRequestCallback: Bool) {
      self.configuration = configuration
      self.hasRequestCallback = hasRequestCallback
    }

    /// The number of exchanges that have begun and whose connections haven't been released. The thread
    /// updates its part once in each round, so a change is visible after a moment. Complexity: O(*n*) in the
    /// length of the queue.
    var openExchanges: Int {
      state.withLock { state in
        state.open + state.commands.count { if case .start = $0 { true } else { false } }
      }
    }

    /// Appends to the queue, and starts the thread if there is none. Thread-safe; it doesn't wait for the
    /// command to be executed. If the system can't start the thread, the exchanges in the queue end with
    /// `unreachable`.
    ///
    /// The thread is woken only if it waits, and only once: it takes all commands together. A wake-up just
    /// before the thread begins to wait isn't lost, because libcurl then ends the next wait immediately.
    ///
    /// - Parameter command: the work. Commands are executed in the order in which they were submitted. One
    ///   that continues or ends an exchange has no effect if the thread isn't executing that exchange.
    func submit(_ command: Command) {
      let startsThread = state.withLock { state in
        state.commands.append(command)
        state.wake()
        defer { state.hasThread = true }
        return !state.hasThread
      }
      guard startsThread, !startThread() else { return }
      // Without the thread, nothing would end these exchanges, not even their deadlines. The next command
      // tries again.
      let commands = state.withLock { state in
        state.hasThread = false
        defer { state.commands = [] }
        return state.commands
      }
      for case .start(let exchange) in commands {
        exchange.end(
          .failure(
            TransportError(
              .unreachable,
              "The request to \(exchange.origin.host) can't be sent, because the system can't start another thread. Try again "
                + "when the process has fewer threads or the machine more memory."
            )))
      }
    }

    /// Ends the thread after its last exchange. Thread-safe. Further calls have no effect.
    func close() {
      state.withLock { state in
        state.isClosed = true
        state.wake()
      }
    }

    // MARK: - For the thread

    /// Makes the thread's multi handle known, so that the thread can be woken.
    ///
    /// - Parameter multi: the handle, which must exist until ``takeCommands()`` has returned `nil`. It is
    ///   stored as a number, because pointers aren't `Sendable`; ``State/wake()`` is its only use on other
    ///   threads.
    func setMulti(_ multi: UnsafeMutableRawPointer) {
      let address = UInt(bitPattern: multi)
      state.withLock { $0.multi = address }
    }

    /// Returns the queue and empties it.
    ///
    /// If the thread has to end, its handle is withdrawn under the same lock: no other thread can then wake a
    /// handle that is being freed, and the next command starts another thread.
    ///
    /// - Returns: the commands, in the order of their submission; `nil` if the thread has to end, which it
    ///   must then do.
    func takeCommands() -> [Command]? {
      state.withLock { state -> [Command]? in
        if state.isFinished {
          state.multi = nil
          state.hasThread = false
          return nil
        }
        state.isWaiting = false
        defer { state.commands = [] }
        return state.commands
      }
    }

    /// Records the number of open exchanges, and returns whether the thread may wait for events. If it may,
    /// it has to wait: from now on, commands wake it.
    ///
    /// - Parameter open: the number of exchanges that the thread is executing.
    /// - Returns: `false` if there are commands, or if the engine is closed and nothing is left to do.
    func mayWait(open: Int) -> Bool {
      state.withLock { state in
        state.open = open
        state.isWaiting = state.commands.isEmpty && !state.isFinished
        return state.isWaiting
      }
    }
  }
#endif
