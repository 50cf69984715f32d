#if !os(Windows)
  import Foundation
  import TenonFoundation

  /// A server of WebChannel sessions on loopback whose messages are written by the test.
  package final class ScriptedFirestore: Sendable {
    /// One session, as the client has used it.
    package struct Session: Sendable {
      /// The header fields of the handshake's body.
      package var headers = ""
      /// The JSON texts of the client, in the order of their numbers.
      package var messages: [String] = []
      /// The entries of the server, from number 1.
      package var entries: [String] = []
      /// The queries of the back channels, in order.
      package var backChannels: [[String: String]] = []
      /// Whether the client has terminated the session.
      package var isTerminated = false
      /// Whether the server has forgotten the session.
      package var isForgotten = false
    }

    /// A request of the REST API.
    package struct Call: Sendable {
      /// The method, for example `runQuery`.
      package let method: String
      /// The body.
      package let body: String
      /// The value of the field `Authorization`; `nil` if the request has none.
      package let authorization: String?
    }

    /// What the script returns for a message of the client: the payloads that are sent, such as objects or
    /// `"close"` with quotes.
    package typealias Script = @Sendable (_ session: Int, _ message: String) -> [String]

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
    package init(
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
    package func stop() {
      update { $0.isStopped = true }
      server.withLock { $0?.stop() }
    }

    /// The sessions so far.
    package var sessions: [Session] { state.withLock { $0.sessions } }
    /// The calls of the REST API so far.
    package var calls: [Call] { state.withLock { $0.calls } }
    /// The number of requests so far.
    package var requests: [LoopbackServer.Request] { server.withLock { $0?.requests ?? [] } }

    /// Sends payloads on a session.
    package func send(_ payloads: String..., session: Int = 0) {
      update { $0.sessions[session].entries += payloads }
    }

    /// Forgets a session: its requests are answered with 400 from now on.
    package func forget(_ session: Int) { update { $0.sessions[session].isForgotten = true } }

    /// Waits until a condition on the sessions holds, or the test is cancelled, which fails it.
    package func until(_ condition: ([Session]) -> Bool) async {
      while !condition(sessions), !Task.isCancelled { for await _ in observers.stream { break } }
    }

    /// The port of this machine on which the server listens.
    package var port: UInt16 { server.withLock { $0?.port ?? 0 } }

    /// A script that answers additions with the documents `a` and `b`, and removals. Each session has another
    /// resume token.
    @Sendable package static func twoDocuments(_ session: Int, _ message: String) -> [String] {
      if let id = Payload.added(message) {
        return [
          Payload.target("ADD", id), Payload.document("a", 1, in: id), Payload.document("b", 2, in: id),
          Payload.target("CURRENT", id, token: "t\(session)"),
          Payload.snapshot(1 + session, token: "t\(session)"),
        ]
      }
      return Payload.removed(message).map { [Payload.target("REMOVE", $0)] } ?? []
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
          body: String(decoding: request.body, as: UTF8.self), authorization: request.field("Authorization"))
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
    package static func frame(_ text: String) -> String { "\(text.utf16.count)\n\(text)" }

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
#endif
