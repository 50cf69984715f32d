import TenonFoundation

#if !os(Windows)
  import Foundation
  import TenonAdminInterop
  import TenonAuthInterop
  import TenonCore
  import TenonDocuments
  import TenonStoreInterop
  import TenonTestSupport
  import TenonTesting
  import TenonTransport
  import TenonTransportInterop

  @testable import TenonStoreSync

  /// A server of WebChannel sessions on loopback whose messages are written by the test.
  final class ScriptedFirestore: Sendable {
    /// One session, as the client has used it.
    struct Session: Sendable {
      /// The header fields of the handshake's body.
      var headers = ""
      /// The JSON texts of the client, in the order of their numbers.
      var messages: [String] = []
      /// The entries of the server, from number 1.
      var entries: [String] = []
      /// The queries of the back channels, in order.
      var backChannels: [[String: String]] = []
      /// Whether the client has terminated the session.
      var isTerminated = false
      /// Whether the server has forgotten the session.
      var isForgotten = false
    }

    /// A request of the REST API.
    struct Call: Sendable {
      /// The method, for example `runQuery`.
      let method: String
      /// The body.
      let body: String
    }

    /// What the script returns for a message of the client: the payloads that are sent, such as objects or
    /// `"close"` with quotes.
    typealias Script = @Sendable (_ session: Int, _ message: String) -> [String]

    private struct State {
      var sessions: [Session] = []
      var calls: [Call] = []
      var isStopped = false
    }

    private let state = Lock(State())
    /// Signalled when the state has changed.
    private let changes = NSCondition()
    private let server = Lock<LoopbackServer?>(nil)
    /// Called after each change, in the server's thread.
    private let observers = AsyncStream.makeStream(of: Void.self, bufferingPolicy: .bufferingNewest(1))

    /// Starts a server.
    ///
    /// - Parameters:
    ///   - intercept: returns the response to a request in place of the server's, or `nil`.
    ///   - rest: returns the status and the body of the response to a call of the REST API.
    ///   - script: returns what is sent for a message.
    init(
      intercept: @escaping @Sendable (LoopbackServer.Request) -> [LoopbackServer.Step]? = { _ in nil },
      rest: @escaping @Sendable (Call) -> (Int, String) = { _ in (404, "{}") },
      script: @escaping Script = { _, _ in [] }
    ) throws {
      let server = try LoopbackServer { [weak self] request in
        if let steps = intercept(request) { return steps }
        return self?.answer(request, rest, script) ?? [.hangUp]
      }
      self.server.withLock { $0 = server }
    }

    deinit { stop() }

    /// Stops the server. Waiting back channels end.
    func stop() {
      update { $0.isStopped = true }
      server.withLock { $0?.stop() }
    }

    /// The sessions so far.
    var sessions: [Session] { state.withLock { $0.sessions } }
    /// The calls of the REST API so far.
    var calls: [Call] { state.withLock { $0.calls } }
    /// The number of requests so far.
    var requests: [LoopbackServer.Request] { server.withLock { $0?.requests ?? [] } }

    /// Sends payloads on a session.
    func send(_ payloads: String..., session: Int = 0) {
      update { $0.sessions[session].entries += payloads }
    }

    /// Forgets a session: its requests are answered with 400 from now on.
    func forget(_ session: Int) { update { $0.sessions[session].isForgotten = true } }

    /// Waits until a condition on the sessions holds, or the test is cancelled, which fails it.
    func until(_ condition: ([Session]) -> Bool) async {
      while !condition(sessions), !Task.isCancelled { for await _ in observers.stream { break } }
    }

    /// The connection of an app to this server.
    func client(
      auth: (any AuthInterop)? = nil, appCheck: FakeAppCheck? = nil, time: TimeSource = .system
    ) -> FirestoreClient {
      let port = server.withLock { $0?.port ?? 0 }
      return FirestoreClient(
        http: HTTPClient(transport: SystemTransport.shared, time: time), auth: auth, appCheck: appCheck,
        options: AppOptions(
          projectID: "p", backend: .emulator(EmulatorHosts(firestore: "127.0.0.1:\(port)")), data: .memory))
    }

    /// Returns the client of an app in production, whose requests arrive at this server.
    func productionClient(admin: any AdminInterop) -> FirestoreClient {
      let port = server.withLock { $0?.port ?? 0 }
      return FirestoreClient(
        http: HTTPClient(transport: Rerouted(port: port)), auth: nil, appCheck: nil, admin: { admin },
        options: AppOptions(projectID: "p", data: .memory))
    }

    /// Sends all requests to a port of this machine.
    private struct Rerouted: TransportInterop {
      let port: UInt16

      private func rerouted(_ request: TransportRequest) -> TransportRequest {
        var (request, parts) = (request, URLComponents(url: request.url, resolvingAgainstBaseURL: false))
        parts?.scheme = "http"
        parts?.host = "127.0.0.1"
        parts?.port = Int(port)
        request.url = parts?.url ?? request.url
        return request
      }

      func send(_ request: TransportRequest) async throws -> TransportResponse {
        try await SystemTransport.shared.send(rerouted(request))
      }

      func stream(_ request: TransportRequest) async throws -> TransportStreamingResponse {
        try await SystemTransport.shared.stream(rerouted(request))
      }
    }

    // MARK: - Server

    private func update(_ body: (inout State) -> Void) {
      changes.lock()
      state.withLock { body(&$0) }
      changes.broadcast()
      changes.unlock()
      observers.continuation.yield()
    }

    private func answer(
      _ request: LoopbackServer.Request, _ rest: (Call) -> (Int, String), _ script: Script
    ) -> [LoopbackServer.Step] {
      guard let url = URLComponents(string: request.target) else { return [.answer(400, "")] }
      if !url.path.hasSuffix("/Listen/channel") {
        let call = Call(
          method: String(url.path.split(separator: ":").last ?? ""),
          body: String(decoding: request.body, as: UTF8.self))
        update { $0.calls.append(call) }
        let (status, body) = rest(call)
        return [.answer(status, body)]
      }
      var query: [String: String] = [:]
      for item in url.queryItems ?? [] { query[item.name] = item.value }
      guard let id = query["SID"] else { return open(request, script) }
      guard let index = Int(id), let session = sessions[safe: index], !session.isForgotten else {
        return [.answer(400, "Unknown SID")]
      }
      if query["TYPE"] == "terminate" {
        update { $0.sessions[index].isTerminated = true }
        return [.answer(200, "")]
      }
      if request.method == "GET" { return backChannel(index, query) }
      receive(Self.form(request.body), index, script)
      let last = sessions[index].entries.count
      return [.answer(200, Self.frame("[1,\(last),0]"))]
    }

    private func open(_ request: LoopbackServer.Request, _ script: Script) -> [LoopbackServer.Step] {
      let form = Self.form(request.body)
      var index = 0
      update {
        index = $0.sessions.count
        $0.sessions.append(Session(headers: form["headers"] ?? ""))
      }
      receive(form, index, script)
      return [
        .answer(
          200, ["X-HTTP-Session-Id": "sticky \(index)"],
          Self.frame("[[0,[\"c\",\"\(index)\",\"\",8,12,30000]]]"))
      ]
    }

    private func receive(_ form: [String: String], _ index: Int, _ script: Script) {
      guard let count = form["count"].flatMap({ Int($0) }), let first = form["ofs"].flatMap({ Int($0) })
      else {
        return
      }
      for number in 0..<count {
        guard first + number == sessions[index].messages.count, let message = form["req\(number)___data__"]
        else { continue }
        let payloads = script(index, message)
        update {
          $0.sessions[index].messages.append(message)
          $0.sessions[index].entries += payloads
        }
      }
    }

    /// Waits for entries that the client doesn't have, and returns them in a response that ends.
    private func backChannel(_ index: Int, _ query: [String: String]) -> [LoopbackServer.Step] {
      let acknowledged = query["AID"].flatMap { Int($0) } ?? 0
      update { $0.sessions[index].backChannels.append(query) }
      changes.lock()
      defer { changes.unlock() }
      while true {
        let (session, isStopped) = state.withLock { ($0.sessions[index], $0.isStopped) }
        if isStopped || session.isTerminated { return [.hangUp] }
        if session.isForgotten { return [.answer(400, "Unknown SID")] }
        if session.entries.count > acknowledged {
          let frames = session.entries.enumerated().dropFirst(acknowledged).map {
            Self.frame("[[\($0.offset + 1),[\($0.element)]]]")
          }
          return [.answer(200, frames.joined())]
        }
        changes.wait()
      }
    }

    /// Returns a text with its length in UTF-16 code units.
    static func frame(_ text: String) -> String { "\(text.utf16.count)\n\(text)" }

    private static func form(_ body: Data) -> [String: String] {
      var form: [String: String] = [:]
      for pair in String(decoding: body, as: UTF8.self).split(separator: "&") {
        let parts = pair.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
        form[String(parts[0])] = parts.count > 1 ? String(parts[1]).removingPercentEncoding : ""
      }
      return form
    }
  }

  extension Array {
    fileprivate subscript(safe index: Int) -> Element? { indices.contains(index) ? self[index] : nil }
  }

  /// Payloads of a server.
  enum Payload {
    /// The change of a target.
    static func target(_ kind: String, _ id: Int, token: String? = nil, cause: Int? = nil) -> String {
      var members = ["\"targetChangeType\":\"\(kind)\"", "\"targetIds\":[\(id)]"]
      if let token { members.append("\"resumeToken\":\"\(Data(token.utf8).base64EncodedString())\"") }
      if let cause { members.append("\"cause\":{\"code\":\(cause),\"message\":\"no\"}") }
      return "{\"targetChange\":{\(members.joined(separator: ","))}}"
    }

    /// A consistent snapshot at a second.
    static func snapshot(_ second: Int, token: String? = nil) -> String {
      let token = token.map { ",\"resumeToken\":\"\(Data($0.utf8).base64EncodedString())\"" } ?? ""
      return "{\"targetChange\":{\"readTime\":\"\(time(second))\"\(token)}}"
    }

    /// A document of the collection `items` that belongs to a target.
    static func document(_ id: String, _ n: Int, in target: Int, at second: Int = 1) -> String {
      "{\"documentChange\":{\"document\":\(content(id, n, at: second)),\"targetIds\":[\(target)]}}"
    }

    /// The response to `runAggregationQuery` with a number of documents, which the request counts.
    static func counted(_ count: Int, for request: Data) -> String {
      let json = try? FirestoreJSON(request)
      let alias = json?["structuredAggregationQuery"]?["aggregations"]?.array.first?["alias"]?.string ?? ""
      let fields = "{\"\(alias)\":{\"integerValue\":\"\(count)\"}}"
      return "[{\"result\":{\"aggregateFields\":\(fields)},\"readTime\":\"\(time(1))\"}]"
    }

    /// The JSON of a document of the collection `items`.
    static func content(_ id: String, _ n: Int, at second: Int = 1) -> String {
      """
      {"name":"projects/p/databases/(default)/documents/items/\(id)","fields":{"n":{"integerValue":"\(n)"}},\
      "createTime":"\(time(1))","updateTime":"\(time(second))"}
      """
    }

    /// A time.
    static func time(_ second: Int) -> String {
      "2026-01-01T00:\(second / 60 < 10 ? "0" : "")\(second / 60):\(second % 60 < 10 ? "0" : "")\(second % 60)Z"
    }

    /// The number of the target that a message adds; `nil` for others.
    static func added(_ message: String) -> Int? {
      guard let json = try? FirestoreJSON(Data(message.utf8)) else { return nil }
      return json["addTarget"]?["targetId"]?.integer.flatMap { Int(exactly: $0) }
    }

    /// The number of the target that a message removes; `nil` for others.
    static func removed(_ message: String) -> Int? {
      guard let json = try? FirestoreJSON(Data(message.utf8)) else { return nil }
      return json["removeTarget"]?.integer.flatMap { Int(exactly: $0) }
    }
  }
#endif
