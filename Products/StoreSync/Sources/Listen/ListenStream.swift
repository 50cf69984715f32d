import TenonCore
import TenonDocuments
import TenonFoundation
import TenonStoreInterop

/// One listen stream: it passes requests on to the server over a WebChannel, and the server's responses
/// back as events.
///
/// Everything happens in ``next()``, in the reader's task, except for the exchanges of the channel: a reader
/// that pauses makes the channel pause when its buffer is full, and releasing the stream terminates the
/// channel.
///
/// The events are those of the server, with these exceptions:
/// - Each request is confirmed exactly once: an addition by `added` or by an error, a removal by `removed`.
///   Servers don't answer the removal of a target that has ended.
/// - An added target replaces one of the same ID, which a server would answer with the end of the stream.
/// - The read times of consistent snapshots never decrease.
/// - If a channel has to be opened again within the stream, the confirmations aren't repeated, and targets
///   that were between two snapshots are `reset`.
actor ListenStream {
  /// The greatest number of documents of all targets together that a server without resumption is asked to
  /// send in one response: less than the 9,998 at which Google's emulator ends the channel, so that targets
  /// can grow.
  static let directLimit = 9_000
  /// The number of channels in turn that may end without a consistent snapshot before the stream ends.
  static let channelAttempts = 5
  /// The time within which the tokens for a channel must be available.
  static let tokenTimeout = Duration.seconds(15)
  /// The first ID of the targets that the stream adds itself, above those of Store and below the limit of 32
  /// bits.
  static let firstOwnTarget = 1 << 30

  let client: FirestoreClient
  let context: RemoteContext
  let memory: ListenMemory
  /// The full name of the database.
  let database: DatabaseName

  /// Sent when ``next()`` has something to do.
  let signal = WakeSignal()
  /// The tasks that receive requests and changes of tokens.
  private var sources: [Task<Void, Never>] = []
  /// The requests, until the first call of ``next()``.
  private var requests: AsyncStream<ListenRequest>?
  /// The requests that weren't processed, oldest last.
  private var queue: [ListenRequest] = []
  /// The requests that arrived since `queue` was filled.
  private var arriving: [ListenRequest] = []
  /// Whether there will be no more requests.
  private var requestsHaveEnded = false
  /// The tokens of the channel, by the names of their header fields.
  var credentials: [String: String] = [:]
  /// The tokens that were reported since the channel was opened.
  var newCredentials: [String: String] = [:]

  /// The channel; `nil` while there is none.
  var driver: ChannelDriver?
  /// The messages that the channel hasn't accepted yet, oldest first.
  var outbox: [Data] = []
  /// The responses that the server owes on this channel.
  var answers = OwedAnswers()
  /// The targets of the stream itself that were requested on this channel.
  var sentNotifiers: Set<Int> = []
  /// The targets.
  var targets: [Int: ListenedTarget] = [:]
  /// The IDs of the polled targets, by their notifiers.
  var notifiers: [Int: Int] = [:]
  /// The number of requests so far.
  var requestCount = 0
  /// The number of targets that the stream has added itself.
  var ownTargets = 0
  /// The number of channels that have ended since the last consistent snapshot with complete targets.
  var failedChannels = 0
  /// Whether one target is requested after the other has been sent, because several together were too much.
  var isPaced = false
  /// The reading of a large target that is in progress.
  var reading: LargeReading?
  /// A consistent snapshot whose polled targets haven't been read yet.
  var heldSnapshot: TargetChange?
  /// The read time of the last consistent snapshot.
  var lastSnapshot: Timestamp?

  /// The events that ``next()`` hasn't returned.
  private var events: [ListenEvent] = []
  /// The position of the first of them.
  private var eventStart = 0
  /// Whether the stream has ended.
  private var isOver = false
  /// Whether a call of ``next()`` is in progress.
  private var isReading = false

  /// Creates a stream. Nothing is sent before the first call of ``next()``.
  init(
    _ requests: AsyncStream<ListenRequest>, in context: RemoteContext, over client: FirestoreClient,
    memory: ListenMemory
  ) {
    self.requests = requests
    self.client = client
    self.context = context
    self.memory = memory
    database = DatabaseName(project: client.project, database: context.database)
  }

  deinit {
    for source in sources { source.cancel() }
    if let driver { Task { await driver.close() } }
  }

  // MARK: - Reader

  /// Returns the next event; `nil` when the requests have ended and everything was answered. Calls must not
  /// overlap.
  ///
  /// - Throws: `StoreRemoteError`; `CancellationError`. The stream has ended then.
  func next() async throws -> ListenEvent? {
    guard !isReading else { throw CancellationError() }
    isReading = true
    defer { isReading = false }
    start()
    do {
      while true {
        if let event = takeEvent() { return event }
        if isOver { return nil }
        guard try await step() else {
          try await signal.wait()
          continue
        }
        try Task.checkCancellation()
      }
    } catch {
      await finish()
      if error is CancellationError || Task.isCancelled { throw CancellationError() }
      throw StoreRemoteError(listening: error)
    }
  }

  /// Begins to receive requests and changes of tokens.
  private func start() {
    guard let requests else { return }
    self.requests = nil
    sources = [
      Task { [weak self] in
        for await request in requests { await self?.receive(request) }
        await self?.endRequests()
      }
    ]
    sources += client.tokenChanges(in: context) { [weak self] field, value in
      await self?.tokenChanges(field, to: value)
    }
  }

  /// Queues a request.
  private func receive(_ request: ListenRequest) {
    arriving.append(request)
    signal.send()
  }

  /// Called when there are no more requests.
  private func endRequests() {
    requestsHaveEnded = true
    signal.send()
  }

  /// Called with each token of the user.
  private func tokenChanges(_ field: String, to value: String) {
    newCredentials[field] = value
    signal.send()
  }

  /// Ends everything.
  private func finish() async {
    isOver = true
    for source in sources { source.cancel() }
    sources = []
    events = []
    eventStart = 0
    targets = [:]
    reading = nil
    await closeChannel()
  }

  /// Adds events to those that ``next()`` returns.
  func emit(_ event: ListenEvent) { events.append(event) }

  /// Returns the oldest event that wasn't returned.
  private func takeEvent() -> ListenEvent? {
    guard eventStart < events.count else { return nil }
    let event = events[eventStart]
    eventStart += 1
    if eventStart == events.count {
      events.removeAll(keepingCapacity: events.count <= 1_000)
      eventStart = 0
    }
    return event
  }

  // MARK: - Steps

  /// Does the next thing that can be done without waiting for the server's messages.
  ///
  /// - Returns: whether anything was done.
  private func step() async throws -> Bool {
    if let request = takeRequest() {
      process(request)
      return true
    }
    if reading != nil {
      try await continueReading()
      return true
    }
    // Between two snapshots, nothing is lost by continuing on another channel. Until then, the old tokens
    // remain in use.
    if driver != nil, newCredentials.contains(where: { credentials[$0.key] != $0.value }), isSettled {
      await restartChannel()
      return true
    }
    if try await requestTargets() { return true }
    if try await flush() { return true }
    if try await receiveMessage() { return true }
    if heldSnapshot != nil, !isTouched {
      beginReading()
      return true
    }
    if requestsHaveEnded, isSettled, answers.isEmpty {
      await finish()
      return true
    }
    return false
  }

  /// Whether the listener has received events since the last consistent snapshot.
  private var isTouched: Bool { targets.values.contains { $0.isTouched } }

  /// Whether all targets are complete as of the last consistent snapshot.
  private var isSettled: Bool {
    heldSnapshot == nil && reading == nil
      && targets.values.allSatisfy { $0.phase == .current && !$0.isTouched }
  }

  /// Returns the oldest request that wasn't processed.
  private func takeRequest() -> ListenRequest? {
    if queue.isEmpty {
      queue = arriving.reversed()
      arriving = []
    }
    return queue.popLast()
  }
}
