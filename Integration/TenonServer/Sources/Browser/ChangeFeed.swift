import TenonDocuments
import TenonEmbedded
import TenonFoundation
import TenonJSON
import TenonStoreInterop
import TenonTransportInterop

/// Streams the names of changed documents to the page. It listens to each target that the page names.
///
/// The names of changed documents are collected until the page has received the last ones, so a page that
/// doesn't read costs no memory. The documents that a target has at first aren't changes. The answer has a line
/// of JSON for each step: `{"current":true}` when all targets are known, then `{"changed":["notes/n1"]}`, and
/// `{"error":"…"}` at the end if a target can't be listened to.
final class ChangeFeed: DocumentStream {
  private struct State {
    /// The requests that the backend hasn't received.
    var requests: [Data]
    /// The number of targets that aren't known yet.
    var unknown: Int
    var isCurrent = false
    var changed: Set<String> = []
    var isCurrentTold = false
    var error: String?
    var hasEnded = false
  }

  private let state: Lock<State>
  private let prefix: String
  /// Has an element if there may be something to tell.
  private let signal = AsyncStream<Void>.makeStream(bufferingPolicy: .bufferingNewest(1))

  /// The number of names from which on a line only says that much has changed.
  private static let mostNames = 1_000
  private static let mostTargets = 10

  private init(_ requests: [Data], prefix: String) {
    state = Lock(State(requests: requests, unknown: requests.count))
    self.prefix = prefix
  }

  /// Returns the response to a request of the page.
  ///
  /// - Parameter request: `{"database": NAME, "targets": [TARGET]}`, where a target is that of
  ///   `google.firestore.v1.Target`, without an ID.
  /// - Throws: ``BrowserProblem``.
  static func response(_ request: Data, _ embedded: Embedded) throws -> TransportStreamingResponse {
    guard let json = try? JSON(parsing: request), let name = json["database"]?.string,
      let database = try? DatabaseName(parsing: name), let targets = json["targets"]?.array,
      (1...mostTargets).contains(targets.count), let url = URL(string: "http://127.0.0.1/")
    else { throw BrowserProblem("The content must have a database and up to \(mostTargets) targets.") }
    let requests = try targets.enumerated().map { index, target in
      var members = target.object ?? [:]
      members["targetId"] = .int(Int64(index + 1))
      let request: JSON = ["database": .string(database.name), "addTarget": .object(members)]
      return try request.serialized
    }
    let feed = ChangeFeed(requests, prefix: database.prefix)
    let administrator = HTTPHeader(name: "Authorization", value: "Bearer owner")
    let credentials = TransportRequest(.post, url, headers: HTTPHeaders([administrator]))
    let task = Task {
      do throws(StoreRemoteError) {
        try await embedded.serve(feed, as: .listen, database: database.name, request: credentials)
        feed.end(nil)
      } catch {
        feed.end(error.message)
      }
    }
    let reader = Reader(feed: feed, task: task)
    return TransportStreamingResponse(
      status: 200,
      headers: HTTPHeaders([
        HTTPHeader(name: "Content-Type", value: "application/x-ndjson; charset=utf-8"),
        HTTPHeader(name: "Cache-Control", value: "no-store"),
      ]),
      body: AsyncThrowingStream { await reader.line() })
  }

  /// Reads the lines, and ends the listener when the body of the response is released.
  private final class Reader: Sendable {
    private let feed: ChangeFeed
    private let task: Task<Void, Never>

    init(feed: ChangeFeed, task: Task<Void, Never>) { (self.feed, self.task) = (feed, task) }

    deinit { task.cancel() }

    func line() async -> Data? { await feed.line() }
  }

  // MARK: - Lines

  /// Returns the next line; `nil` after the last one, and if the task is cancelled.
  private func line() async -> Data? {
    if let line = nextLine() { return line }
    for await _ in signal.stream {
      if let line = nextLine() { return line }
      if state.withLock({ $0.hasEnded }) { return nil }
    }
    return nil
  }

  private func nextLine() -> Data? {
    let line: JSON? = state.withLock { state in
      if state.isCurrent, !state.isCurrentTold {
        state.isCurrentTold = true
        // A further line may be waiting.
        signal.continuation.yield()
        return ["current": true]
      }
      if !state.changed.isEmpty {
        defer { state.changed = [] }
        signal.continuation.yield()
        guard state.changed.count <= Self.mostNames else { return ["changed": true] }
        return ["changed": .array(state.changed.sorted().map(JSON.string))]
      }
      return state.error.take().map { ["error": .string($0)] }
    }
    return line.flatMap { try? $0.serialized + Data("\n".utf8) }
  }

  private func end(_ error: String?) {
    state.withLock { state in
      state.error = state.error ?? error
      state.hasEnded = true
    }
    signal.continuation.yield()
  }

  // MARK: - The stream

  func next() async -> Data? {
    if let request = state.withLock({ $0.requests.isEmpty ? nil : $0.requests.removeFirst() }) {
      return request
    }
    // There are no more. The stream goes on until the task is cancelled.
    let (stream, continuation) = AsyncStream<Never>.makeStream()
    for await _ in stream {}
    withExtendedLifetime(continuation) {}
    return nil
  }

  func send(_ payload: Data) async throws {
    let event = try FirestoreJSON(payload)
    if let change = event["targetChange"] { return note(change) }
    let name =
      event["documentChange"]?["document"]?["name"] ?? event["documentDelete"]?["document"]
      ?? event["documentRemove"]?["document"]
    guard let name = name?.string, name.hasPrefix(prefix) else { return }
    let path = String(name.dropFirst(prefix.count))
    let isNews = state.withLock { state in
      guard state.isCurrent else { return false }
      if state.changed.count <= Self.mostNames { state.changed.insert(path) }
      return true
    }
    if isNews { signal.continuation.yield() }
  }

  private func note(_ change: FirestoreJSON) {
    let count = max(change["targetIds"]?.array.count ?? 0, 1)
    state.withLock { state in
      switch change["targetChangeType"]?.string {
      case "CURRENT":
        state.unknown -= count
        if state.unknown <= 0 { state.isCurrent = true }
      case "REMOVE":
        state.error = change["cause"]?["message"]?.string ?? "The documents can't be listened to."
      default: break
      }
    }
    signal.continuation.yield()
  }
}
