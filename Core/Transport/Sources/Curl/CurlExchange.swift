import TenonFoundation

#if os(Linux)
  import FoundationEssentials
  import TenonCore
  import TenonHTTP
  import TenonTransportInterop

  /// One request and its response, without redirects: the side of the task that waits for it.
  ///
  /// The engine's thread and the tasks of the caller meet here, under a lock. The thread reports the head,
  /// the bytes of the body and the end; tasks wait for them, and stop the exchange. It ends exactly once.
  /// Continuations are resumed outside the lock, because a cancellation handler runs while the task's own
  /// lock is held. The exchange is retained by the body of its response and, from ``head()`` to its end, by
  /// the engine. Both directions are buffered, and the buffers are bounded: when one is full, the side that
  /// fills it pauses, and continues when the other side has emptied it. Each buffer holds at most
  /// ``bufferSize`` bytes plus one piece: one delivery of libcurl, or one chunk of the caller's stream. Only
  /// a body that is collected grows up to the limit of the request.
  final class CurlExchange: Sendable {
    /// What happens to bytes that have been received.
    enum Reception {
      /// They have been taken.
      case taken
      /// They have to be offered again: the reader is slow.
      case full
      /// The exchange has ended, or the bytes exceed the limit.
      case refused
    }

    /// The state, which is accessed under the lock by the engine's thread and by tasks.
    ///
    /// The outcome is set once. From then on, no continuation and no task is stored; a call that would wait
    /// returns the outcome instead.
    private struct State {
      /// The head of the response; `nil` before it has been received.
      var head: ResponseHead?
      /// The bytes of the body that haven't been read.
      var inbox: CurlInbox
      /// Whether the engine has stopped receiving until the reader has emptied `inbox`.
      var isFull = false
      /// The outcome; `nil` while the exchange is in progress.
      var end: Result<Void, any Error>?
      /// The suspended caller of `head()`.
      var headWaiter: CheckedContinuation<ResponseHead, any Error>?
      /// The suspended caller of `nextBytes()`.
      var bytesWaiter: CheckedContinuation<Data?, any Error>?
      /// The request's body, if it is a stream.
      var outbox = Outbox()

      init(isCollected: Bool) { inbox = CurlInbox(isCollected: isCollected) }
    }

    /// The request. A body that is a stream is sent from `outbox`.
    let request: TransportRequest
    /// The origin of the request's URL.
    let origin: Origin
    /// When the exchange, including the body of the response, has to be complete; `nil` for no limit.
    let deadline: ContinuousClock.Instant?
    /// Whether the whole body is received before `head()` returns. If not, a buffer's worth is received ahead
    /// of the reader.
    let isCollected: Bool
    /// Whether the server is offered to compress the body. A part of a compressed body couldn't be
    /// decompressed.
    let acceptsCoding: Bool
    /// The engine, to which commands for this exchange are submitted.
    private let engine: CurlEngine
    /// The state of both sides.
    private let state: Lock<State>

    /// The number of bytes that are received ahead of the reader, plus one delivery of libcurl.
    static let bufferSize = 256 << 10

    /// Creates an exchange that hasn't begun. See ``head()``.
    ///
    /// - Parameters:
    ///   - request: the request, for which `TransportRequest.checked()` has succeeded.
    ///   - origin: the origin of its URL.
    ///   - deadline: when the exchange has to be complete; `nil` for no limit.
    ///   - isCollected: whether the whole body is received before ``head()`` returns.
    ///   - engine: the engine that executes the exchange.
    init(
      _ request: TransportRequest, to origin: Origin, until deadline: ContinuousClock.Instant?,
      isCollected: Bool,
      engine: CurlEngine
    ) {
      self.request = request
      self.origin = origin
      self.deadline = deadline
      self.isCollected = isCollected
      state = Lock(State(isCollected: isCollected))
      acceptsCoding =
        request.headers["Accept-Encoding"] == nil && request.headers["Range"] == nil
        && ContentDecoder.isAvailable
      self.engine = engine
    }

    // MARK: - For the caller's tasks

    /// Begins the exchange and returns the head of the response, with the body behind it if it is collected.
    /// It must be called once.
    ///
    /// Cancelling the calling task stops the exchange. If the task has been cancelled before, nothing is
    /// sent.
    ///
    /// - Returns: the head of the final response; interim responses are left out.
    /// - Throws: `TransportError` if no response arrives, if it violates HTTP or exceeds a limit, and, if the
    ///   body is collected, if that is incomplete; `CancellationError`.
    func head() async throws -> ResponseHead {
      try await withTaskCancellationHandler {
        try await withCheckedThrowingContinuation { continuation in
          let early: (any Error)? = state.withLock { state in
            if case .failure(let error) = state.end { return error }
            state.headWaiter = continuation
            return nil
          }
          if let early { return continuation.resume(throwing: early) }
          engine.submit(.start(self))
          if case .stream(let chunks, _) = request.body { beginFeeding(chunks) }
        }
      } onCancel: {
        stop(CancellationError())
      }
    }

    /// Returns the bytes of the body that have been received since the last call, and waits if there are
    /// none; `nil` at the end of the body. Calls must not overlap.
    ///
    /// If the engine has paused because the buffer was full, it continues. Cancelling the calling task stops
    /// the exchange.
    ///
    /// - Returns: the bytes, at least one, with their content coding; `nil` at the end of the body, and again
    ///   in later calls.
    /// - Throws: `TransportError` if the body is incomplete; `CancellationError`, also if another call is
    ///   waiting. Later calls throw the same error again.
    /// - Complexity: O(1). The bytes aren't copied.
    func nextBytes() async throws -> Data? {
      try await withTaskCancellationHandler {
        try await withCheckedThrowingContinuation { continuation in
          var continues = false
          let result: Result<Data?, any Error>? = state.withLock { state in
            if !state.inbox.isEmpty {
              continues = state.isFull
              state.isFull = false
              return .success(state.inbox.take())
            }
            if let end = state.end { return end.map { nil } }
            guard state.bytesWaiter == nil else { return .failure(CancellationError()) }
            state.bytesWaiter = continuation
            return nil
          }
          if continues { engine.submit(.receive(self)) }
          if let result { continuation.resume(with: result) }
        }
      } onCancel: {
        stop(CancellationError())
      }
    }

    /// Ends the exchange with an error and releases its connection. Has no effect if the exchange has ended.
    ///
    /// The connection is released asynchronously, by the engine's thread. This can be called on any thread,
    /// and doesn't wait for it.
    ///
    /// - Parameter error: the error that ``head()`` or ``nextBytes()`` throws.
    func stop(_ error: any Error) { if end(.failure(error)) { engine.submit(.remove(self)) } }

    // MARK: - For the engine's thread

    /// Whether the exchange has ended, by itself or because it was stopped.
    var hasEnded: Bool { state.withLock { $0.end != nil } }

    /// Reports the head of the response. It is called once, before the bytes of the body.
    ///
    /// - Parameter head: the head of the final response. The caller of ``head()`` is resumed with it, unless
    ///   the body is collected: then it is resumed when the exchange ends.
    func received(_ head: ResponseHead) {
      let waiter: CheckedContinuation<ResponseHead, any Error>? = state.withLock { state in
        state.head = head
        return isCollected ? nil : state.headWaiter.take()
      }
      waiter?.resume(returning: head)
    }

    /// Offers bytes of the body. The reader receives them with `deliver()`.
    func received(_ bytes: UnsafeRawBufferPointer) -> Reception {
      state.withLock { state -> Reception in
        guard state.end == nil else { return .refused }
        if isCollected {
          guard state.inbox.count <= request.limits.bodyBytes - bytes.count else { return .refused }
        } else if state.inbox.count >= Self.bufferSize {
          state.isFull = true
          return .full
        }
        state.inbox.append(bytes)
        return .taken
      }
    }

    /// Hands the bytes that have been received to a reader that is waiting. A reader is resumed once for all
    /// of them, because libcurl provides at most 16 KiB at a time.
    ///
    /// - Returns: whether to continue receiving, because the buffer was full.
    func deliver() -> Bool {
      var continues = false
      let ready: (waiter: CheckedContinuation<Data?, any Error>, bytes: Data)? = state.withLock { state in
        guard !state.inbox.isEmpty, let waiter = state.bytesWaiter.take() else { return nil }
        continues = state.isFull
        state.isFull = false
        return (waiter, state.inbox.take())
      }
      if let ready { ready.waiter.resume(returning: ready.bytes) }
      return continues
    }

    /// Ends the exchange. Only the first call has an effect.
    ///
    /// - Parameter result: the outcome. The bytes of a body that isn't collected can still be read after it,
    ///   unless the exchange was cancelled.
    /// - Returns: whether this call has ended the exchange.
    @discardableResult
    func end(_ result: Result<Void, any Error>) -> Bool {
      let isCancelled = if case .failure(let error) = result { error is CancellationError } else { false }
      var piece: Data?
      let last: State? = state.withLock { state in
        guard state.end == nil else { return nil }
        let last = state
        state.end = result
        state.headWaiter = nil
        state.bytesWaiter = nil
        state.outbox = Outbox()
        // What arrived before a failure of the connection is handed over first; the next call throws the
        // error.
        if last.bytesWaiter != nil, !state.inbox.isEmpty, !isCancelled { piece = state.inbox.take() }
        if case .failure = result, isCollected { state.inbox.removeAll() }
        return last
      }
      guard let last else { return false }
      switch result {
      case .success:
        last.headWaiter?.resume(with: last.head.map { .success($0) } ?? .failure(CancellationError()))
      case .failure(let error): last.headWaiter?.resume(throwing: error)
      }
      last.bytesWaiter?.resume(with: piece.map { .success($0) } ?? result.map { nil })
      last.outbox.abandon()
      return true
    }
  }

  // MARK: - The request's body, if it is a stream

  extension CurlExchange {
    /// A part of the request's body that the engine may send.
    enum Provision: Equatable {
      /// A number of bytes have been copied.
      case bytes(Int)
      /// The caller hasn't provided the next chunk. When there is one, the exchange submits
      /// ``CurlEngine/Command/send(_:)``.
      case later
      /// The body is complete.
      case complete
    }

    /// The chunks that haven't been sent, in the order of the caller's stream. It is a part of the state,
    /// under its lock.
    private struct Outbox {
      /// The chunks that haven't been sent completely.
      private var chunks: [Data] = []
      /// The number of bytes of the first chunk that have been sent.
      private var sent = 0
      /// The number of bytes that haven't been sent.
      private(set) var count = 0
      /// Whether the last chunk has been appended.
      var isComplete = false
      /// Whether the engine has stopped sending until there are more bytes.
      var isEmptied = false
      /// The task that reads the caller's stream.
      var feeder: Task<Void, Never>?
      /// The feeder, if it is suspended because enough is waiting. It receives whether to go on.
      var waiter: CheckedContinuation<Bool, Never>?

      /// Ends the task that reads the caller's stream: cancels it, and resumes it if it is suspended. It must
      /// be called outside the lock, because it resumes a continuation and calls cancellation handlers.
      func abandon() {
        feeder?.cancel()
        waiter?.resume(returning: false)
      }

      /// Appends a chunk, unless it is empty. The bytes aren't copied.
      mutating func append(_ chunk: Data) {
        guard !chunk.isEmpty else { return }
        chunks.append(chunk)
        count += chunk.count
      }

      /// Copies bytes to a buffer and removes them.
      ///
      /// - Parameter buffer: the buffer, whose size is the maximum number of bytes.
      /// - Returns: the number of bytes; 0 if there are none.
      mutating func take(into buffer: UnsafeMutableRawBufferPointer) -> Int {
        var copied = 0
        var index = 0
        while copied < buffer.count, index < chunks.count {
          let chunk = chunks[index]
          let size = min(buffer.count - copied, chunk.count - sent)
          let start = chunk.startIndex + sent
          chunk.copyBytes(
            // Checked: the size of a part of both.
            to: UnsafeMutableRawBufferPointer(rebasing: buffer[copied..<(copied + size)]),
            // Checked: the size of a part of both.
            from: start..<(start + size))
          copied += size
          sent += size
          if sent == chunk.count {
            index += 1
            sent = 0
          }
        }
        // Together: removing the first element moves the others.
        // Checked: the number of chunks that were emptied.
        chunks.removeFirst(index)
        count -= copied
        return copied
      }
    }

    /// Copies the next bytes of the body to a buffer. For the engine's thread.
    ///
    /// When fewer than ``bufferSize`` bytes are left, the task that reads the caller's stream continues.
    ///
    /// - Parameter buffer: the buffer of libcurl, whose size is the maximum number of bytes and isn't 0.
    /// - Returns: the number of bytes; `later` if the next chunk hasn't been provided; `complete` after the
    ///   last one.
    func provide(to buffer: UnsafeMutableRawBufferPointer) -> Provision {
      var waiter: CheckedContinuation<Bool, Never>?
      let provision = state.withLock { state -> Provision in
        let count = state.outbox.take(into: buffer)
        if state.outbox.count < Self.bufferSize { waiter = state.outbox.waiter.take() }
        if count > 0 { return .bytes(count) }
        guard !state.outbox.isComplete else { return .complete }
        state.outbox.isEmptied = true
        return .later
      }
      waiter?.resume(returning: true)
      return provision
    }

    /// Begins to read the caller's stream in a separate task, which is cancelled when the exchange ends.
    ///
    /// - Parameter chunks: the stream. It is iterated once, by that task only.
    private func beginFeeding(_ chunks: any AsyncSequence<Data, any Error> & Sendable) {
      let feeder = Task { await feed(chunks) }
      let isLate = state.withLock { state in
        guard state.end == nil else { return true }
        state.outbox.feeder = feeder
        return false
      }
      if isLate { feeder.cancel() }
    }

    /// Reads the caller's stream, no faster than it is sent. It returns at the end of the stream, or when the
    /// exchange has ended.
    ///
    /// - Parameter chunks: the stream. If it throws, the exchange is stopped with `invalidRequest`, whose
    ///   underlying error is that of the stream.
    private func feed(_ chunks: some AsyncSequence<Data, any Error> & Sendable) async {
      do {
        for try await chunk in chunks {
          guard await offer(chunk) else { return }
        }
        await offer(nil)
      } catch {
        stop(
          TransportError(
            .invalidRequest, "The stream that supplies the body of the request to \(origin.host) failed.",
            underlying: error))
      }
    }

    /// Appends a chunk and waits while enough is waiting; `nil` ends the body.
    ///
    /// - Parameter chunk: the next chunk; `nil` after the last one. An empty chunk has no effect.
    /// - Returns: whether the exchange needs more. It is `false` if the exchange has ended, and then the
    ///   chunk isn't appended.
    @discardableResult
    private func offer(_ chunk: Data?) async -> Bool {
      let isWanted: Bool = await withCheckedContinuation { continuation in
        var continues = false
        let isWanted: Bool? = state.withLock { state in
          guard state.end == nil else { return false }
          if let chunk { state.outbox.append(chunk) } else { state.outbox.isComplete = true }
          continues = state.outbox.isEmptied && (chunk == nil || state.outbox.count > 0)
          if continues { state.outbox.isEmptied = false }
          guard chunk != nil, state.outbox.count >= Self.bufferSize else { return true }
          state.outbox.waiter = continuation
          return nil
        }
        if continues { engine.submit(.send(self)) }
        if let isWanted { continuation.resume(returning: isWanted) }
      }
      return isWanted
    }
  }
#endif
