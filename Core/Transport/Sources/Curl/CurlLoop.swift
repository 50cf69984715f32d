import TenonFoundation

#if os(Linux)
  import CTransport
  import TenonCore
  import TenonHTTP
  import TenonTransportInterop

  /// The work of an engine's thread: it executes commands, lets libcurl send and receive, and ends exchanges
  /// that are complete or too late. It is used on that thread only.
  ///
  /// The thread creates the loop, which owns the multi handle and all easy handles and frees them when it is
  /// released. A transfer is in `transfers` exactly as long as its easy handle belongs to the multi handle,
  /// because libcurl has a pointer to it during that time.
  final class CurlLoop {
    /// The engine, whose queue is executed.
    private let engine: CurlEngine
    /// The multi handle; `nil` if libcurl can't be used.
    private let multi: UnsafeMutableRawPointer?
    /// The reason why libcurl can't be used, for the message of an error; unused if it can be.
    private let failure: String
    /// The exchanges in progress, by the identities of their ``CurlExchange``.
    private var transfers: [ObjectIdentifier: CurlTransfer] = [:]
    /// An easy handle for the next exchange, which was created while the thread had nothing else to do; `nil`
    /// if there is none.
    private var spare: UnsafeMutableRawPointer?
    /// The origins of transfers over TLS that have been aborted since the last call of ``sendResets()``.
    private var resetOrigins: Set<Origin> = []
    /// When the exchanges have to be searched for passed deadlines again; `nil` if none has a deadline.
    private var nextCheck: ContinuousClock.Instant?

    /// The number of connections, to all hosts, that are kept open for further requests.
    private static let maxIdleConnections = 64
    /// The longest wait in milliseconds. Waits end at commands, so it can be any.
    private static let longestWait: Int32 = 3_600_000

    /// Prepares the current thread, loads libcurl and creates the multi handle.
    ///
    /// If libcurl can't be loaded, the loop is still created, and each exchange ends with the reason.
    ///
    /// - Parameter engine: the engine, with the maximum number of connections per host; a number below 1
    ///   counts as 1.
    init(_ engine: CurlEngine) {
      self.engine = engine
      tenon_curl_prepare_thread("tenon.curl")
      let reason = tenon_curl_load()
      multi = reason == nil ? tenon_curl_multi_new() : nil
      failure = reason.map { String(cString: $0) } ?? "out of memory"
      guard let multi else { return }
      tenon_curl_multi_set_number(multi, Int32(TENON_CURL_MULTI_PIPELINING), Int(TENON_CURL_PIPE_MULTIPLEX))
      tenon_curl_multi_set_number(multi, Int32(TENON_CURL_MULTI_MAXCONNECTS), Self.maxIdleConnections)
      tenon_curl_multi_set_number(
        multi, Int32(TENON_CURL_MULTI_MAX_HOST_CONNECTIONS),
        max(1, engine.configuration.maxConnectionsPerHost))
    }

    deinit {
      if let spare { tenon_curl_easy_free(spare) }
      if let multi { tenon_curl_multi_free(multi) }
    }

    /// Runs until the engine is closed and its last exchange has ended.
    ///
    /// Each round takes the commands, lets libcurl send and receive what it can without blocking, ends
    /// exchanges, and then waits: for an event on a connection, a timer of libcurl, a command, or the next
    /// deadline. If a command is submitted during a round, the next round follows without a wait.
    func run() {
      if let multi { engine.setMulti(multi) }
      while let commands = engine.takeCommands() {
        commands.forEach(execute)
        guard let multi else {
          // Without libcurl, every exchange has failed by now. The thread ends; the next exchange starts
          // another.
          engine.close()
          continue
        }
        tenon_curl_multi_perform(multi)
        let hasBytes = transfers.values.count { $0.deliver() } > 0
        endCompleted(multi)
        endLate(multi)
        sendResets()
        if engine.mayWait(open: transfers.count) { tenon_curl_multi_poll(multi, hasBytes ? 0 : waitingTime) }
      }
    }

    /// Executes a command. If its exchange has ended in the meantime, it has no effect.
    ///
    /// - Parameter command: the command, which was submitted by any thread.
    private func execute(_ command: CurlEngine.Command) {
      switch command {
      case .start(let exchange): start(exchange)
      case .remove(let exchange):
        if let transfer = transfers[ObjectIdentifier(exchange)] { abort(transfer) }
      case .receive(let exchange): transfers[ObjectIdentifier(exchange)]?.continueReceiving()
      case .send(let exchange): transfers[ObjectIdentifier(exchange)]?.continueSending()
      }
    }

    /// Begins an exchange, unless it has been stopped.
    ///
    /// If it can't begin, it ends with `invalidRequest`: because libcurl can't be used or accepts no further
    /// transfer, or because the file that is its body can't be read. Nothing is sent here; libcurl begins in
    /// the same round.
    ///
    /// - Parameter exchange: the exchange, which must not have been started before.
    private func start(_ exchange: CurlExchange) {
      guard !exchange.hasEnded else { return }
      // Handles aren't used again: before version 8.1.1, a handle keeps a pointer to the last header field of
      // its previous response, which is freed, and appends a continuation line to it that follows a status
      // line (https://github.com/curl/curl/issues/11101).
      guard let multi, let easy = spare.take() ?? tenon_curl_easy_new() else {
        exchange.end(
          .failure(
            TransportError(
              .invalidRequest,
              "libcurl, which sends requests, can't be used: \(failure). Install the package that contains libcurl.so.4 "
                + "(libcurl4 on Debian and Ubuntu)."
            )))
        return
      }
      let transfer = CurlTransfer(exchange, easy)
      do throws(TransportError) {
        try transfer.prepare(engine.configuration, hasRequestCallback: engine.hasRequestCallback)
      } catch {
        tenon_curl_easy_free(easy)
        exchange.end(.failure(error))
        return
      }
      guard tenon_curl_multi_add(multi, easy) == 0 else {
        tenon_curl_easy_free(easy)
        exchange.end(.failure(TransportError(.invalidRequest, "libcurl can't begin another request.")))
        return
      }
      transfers[ObjectIdentifier(exchange)] = transfer
      checkDeadlines(by: transfer.nextCheck(after: .now))
    }

    /// Takes a transfer that isn't complete from libcurl, and closes its connection. If the connection is one
    /// of HTTP/2 that other transfers use as well, only the stream is reset, by ``sendResets()``.
    ///
    /// - Parameter transfer: a transfer in progress.
    private func abort(_ transfer: CurlTransfer) {
      transfer.forbidReuse()
      remove(transfer)
      resetStream(of: transfer)
    }

    /// Has ``sendResets()`` send the reset of a stream, if there is one.
    private func resetStream(of transfer: CurlTransfer) {
      if transfer.exchange.origin.scheme == "https" { resetOrigins.insert(transfer.exchange.origin) }
    }

    /// Sends the resets of the streams whose transfers have been aborted. libcurl 7.88 would send them with
    /// the next frame of another stream, and until then the server would continue to send a response that is
    /// discarded.
    ///
    /// - Complexity: O(*n*) in the number of exchanges if a transfer over TLS has been aborted, and otherwise
    ///   O(1).
    private func sendResets() {
      guard !resetOrigins.isEmpty else { return }
      for transfer in transfers.values where resetOrigins.contains(transfer.exchange.origin) {
        transfer.flushConnection()
      }
      resetOrigins = []
    }

    /// Takes a transfer from libcurl and frees its handle.
    ///
    /// The exchange isn't ended here. The transfer may be released when this returns.
    ///
    /// - Parameter transfer: a transfer in progress.
    private func remove(_ transfer: CurlTransfer) {
      detach(transfer)
      tenon_curl_easy_free(transfer.easy)
    }

    /// Takes a transfer from libcurl. Its connection can be used for another exchange then, and it isn't
    /// called back any more.
    ///
    /// - Parameter transfer: a transfer in progress. The caller has to free its handle.
    private func detach(_ transfer: CurlTransfer) {
      guard let multi else { return }
      // The callbacks of the transfer may be called until it has been removed, so it is released afterwards.
      tenon_curl_multi_remove(multi, transfer.easy)
      transfers[ObjectIdentifier(transfer.exchange)] = nil
    }

    /// Ends the exchanges that libcurl has completed, with or without an error. Each transfer is detached
    /// before its caller is resumed. What the caller needn't wait for is done after that: freeing the handle,
    /// and creating one for the next exchange.
    ///
    /// - Parameter multi: the multi handle.
    private func endCompleted(_ multi: UnsafeMutableRawPointer) {
      var code: Int32 = 0
      while let easy = tenon_curl_multi_next_ended(multi, &code) {
        guard let transfer = CurlTransfer.of(easy) else { continue }
        let result = transfer.result(code)
        detach(transfer)
        if case .failure = result { resetStream(of: transfer) }
        transfer.exchange.end(result)
        // The handle has pointers to memory of the transfer.
        withExtendedLifetime(transfer) { tenon_curl_easy_free(easy) }
        if spare == nil { spare = tenon_curl_easy_new() }
      }
    }

    // MARK: - Deadlines

    /// Has the exchanges searched for passed deadlines at a time, if not earlier.
    ///
    /// - Parameter time: the time; `nil` has no effect.
    private func checkDeadlines(by time: ContinuousClock.Instant?) {
      guard let time else { return }
      nextCheck = min(nextCheck ?? time, time)
    }

    /// Ends the exchanges that have missed a deadline.
    ///
    /// Deadlines move while bytes are transferred. They are examined only when the earliest one that was
    /// found before has passed. This finds each deadline in time, because ``CurlTransfer/nextCheck(after:)``
    /// is no later than any that can arise before.
    ///
    /// - Parameter multi: the multi handle.
    /// - Complexity: O(*n*) in the number of exchanges if a check is due, and otherwise O(1).
    private func endLate(_ multi: UnsafeMutableRawPointer) {
      guard let time = nextCheck, case let now = ContinuousClock.now, now >= time else { return }
      nextCheck = nil
      for transfer in transfers.values {
        if let error = transfer.missedDeadline(now) {
          abort(transfer)
          transfer.exchange.end(.failure(error))
        } else {
          checkDeadlines(by: transfer.nextCheck(after: now))
        }
      }
    }

    /// How long to wait for events, in milliseconds: until the next deadline, rounded up, so that the wait
    /// doesn't end just before it; 0 if it has passed, and at most ``longestWait``.
    private var waitingTime: Int32 {
      guard let nextCheck else { return Self.longestWait }
      let rest = (nextCheck - .now).limited.components
      let milliseconds = rest.seconds * 1_000 + rest.attoseconds / 1_000_000_000_000_000 + 1
      return min(Int32(clamping: milliseconds), Self.longestWait)
    }
  }
#endif
