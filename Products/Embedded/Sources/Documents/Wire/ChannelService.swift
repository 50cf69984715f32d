import TenonDocuments
import TenonFoundation
import TenonStoreInterop
import TenonTransport
import TenonTransportInterop
import TenonWebChannel

/// The streams of Firestore's API, `Listen` and `Write`, over WebChannel, the protocol of Firestore's web
/// clients.
///
/// A request that violates the protocol, or names a session that doesn't exist, is answered with status 400.
/// Errors of a call, such as an invalid token, are sent within its session, as by Firestore.
final class ChannelService: Sendable {
  /// A stream of Firestore's API.
  enum Method: String, Sendable, Hashable {
    /// Listening to targets.
    case listen = "Listen"
    /// Writing batches.
    case write = "Write"
  }

  /// The open sessions.
  private struct State {
    var sessions: [String: ChannelSession] = [:]
    var isClosed = false
  }

  private let state = Lock(State())
  /// The documents of the projects.
  private let documents: DocumentProjects
  /// Determines the callers of handshakes.
  private let authenticator: Authenticator
  /// The times and limits of sessions.
  private let settings: ServerSettings
  /// The clock.
  private let time: TimeSource

  /// The greatest number of sessions at a time.
  static let mostSessions = 2_000
  /// The greatest size of a POST, in bytes. Percent-encoding makes it up to three times the size of its
  /// messages.
  private static let longestForm = 32 << 20

  /// Creates a service without sessions.
  init(
    _ documents: DocumentProjects, _ authenticator: Authenticator,
    settings: ServerSettings = ChannelService.settings, time: TimeSource
  ) {
    self.documents = documents
    self.authenticator = authenticator
    self.settings = settings
    self.time = time
  }

  /// The settings of sessions. The outbox is small because every session has one, and abandoned sessions end
  /// soon.
  static var settings: ServerSettings {
    var settings = ServerSettings()
    settings.outboxBytes = 1 << 20
    // Longer than the pauses after which Google's clients repeat a request.
    settings.idleTime = .seconds(120)
    return settings
  }

  /// The number of open sessions.
  var count: Int { state.withLock { $0.sessions.count } }

  /// Ends all sessions. Later handshakes are refused.
  func close() async {
    let sessions = state.withLock { state in
      state.isClosed = true
      return Array(state.sessions.values)
    }
    let error = StoreRemoteError(.unavailable, "The app of this backend was deleted.")
    for session in sessions { await session.abort(error.failure) }
  }

  // MARK: - Requests

  /// Responds to a request of a channel.
  ///
  /// - Parameters:
  ///   - request: the request.
  ///   - method: the stream.
  ///   - query: the query of the URL, percent-encoded.
  /// - Throws: `TransportError` if the body can't be read; `CancellationError`.
  func answer(_ request: TransportRequest, _ method: Method, query text: String) async throws
    -> TransportStreamingResponse
  {
    do {
      guard [.get, .post].contains(request.method) else {
        throw ChannelError(.badRequest, "A channel accepts only GET and POST requests.")
      }
      let query = try ChannelQuery(parsing: text)
      switch try query.kind(isPost: request.method == .post) {
      case .handshake: return try await handshake(request, method, query)
      case .forward:
        let session = try session(of: query)
        return Self.response(try await session.forward(query, try await Self.form(of: request)))
      case .backChannel:
        let reader = try await session(of: query).openBackChannel(query)
        return TransportStreamingResponse(
          status: 200, headers: Self.headers, body: AsyncThrowingStream { try await reader.next() })
      case .termination:
        await (try? session(of: query))?.terminate()
        return Self.response(Data())
      }
    } catch let error as ChannelError {
      return Self.refusal(400, error.message)
    } catch let error as StoreRemoteError {
      return Self.refusal(error.code.status.httpStatus, error.message)
    }
  }

  /// Returns the session of a request.
  ///
  /// - Throws: `ChannelError` with `badRequest`, whose text is that of Google's servers.
  private func session(of query: ChannelQuery) throws(ChannelError) -> ChannelSession {
    guard let session = query.sessionID.flatMap({ id in state.withLock { $0.sessions[id] } }) else {
      throw ChannelError(.badRequest, "Unknown SID")
    }
    return session
  }

  /// Opens a session and begins its call.
  ///
  /// - Throws: `ChannelError`; `StoreRemoteError` with `resourceExhausted` if there are too many sessions.
  private func handshake(
    _ request: TransportRequest, _ method: Method, _ query: ChannelQuery
  ) async throws -> TransportStreamingResponse {
    guard let name = query.database else {
      throw ChannelError(.badRequest, "The parameter database is missing.")
    }
    let form = try await Self.form(of: request)
    // A browser sends these fields in the body or in the URL, because it would ask for permission to send
    // others.
    var headers =
      try query.headers.map { text throws(ChannelError) in try ChannelForm.headers(of: text) } ?? []
    headers += form.headers
    var request = request
    for header in headers where request.headers[header.name] == nil {
      request.headers[header.name] = header.value
    }
    let project = (try? DatabaseName(parsing: name))?.project
    let authenticator = documents.authenticator(self.authenticator, for: project)
    try await authenticator.prepare(for: request)
    let caller = Result { () throws(AuthenticationError) in
      try authenticator.admit(request, to: .firestore)
    }.mapError(\.storeError)
    let session = ChannelSession(id: RandomText.make(count: 32), settings, time: time) { [weak self] id in
      self?.state.withLock { $0.sessions[id] = nil }
    }
    try state.withLock { state in
      guard !state.isClosed else {
        throw StoreRemoteError(.unavailable, "The app of this backend was deleted.")
      }
      guard state.sessions.count < Self.mostSessions else {
        throw StoreRemoteError(
          .resourceExhausted, "\(Self.mostSessions) sessions are open. Close those that aren't needed.")
      }
      state.sessions[session.id] = session
    }
    do {
      let documents = documents
      let body = try await session.begin(query, form) { session throws(ChannelFailed) in
        do {
          let database = try DocumentStreams(documents, name, try caller.get())
          switch method {
          case .listen: try await database.listen(session)
          case .write: try await database.write(session)
          }
        } catch {
          throw ChannelFailed(failure: StoreRemoteError(ofRequest: error).failure)
        }
      }
      return Self.response(body)
    } catch {
      state.withLock { $0.sessions[session.id] = nil }
      throw error
    }
  }

  /// Returns the form in the body of a POST.
  private static func form(of request: TransportRequest) async throws -> ChannelForm {
    let body = try await DocumentService.body(of: request, upTo: longestForm)
    return try ChannelForm(parsing: body, limits: ChannelForm.Limits(bytes: longestForm))
  }

  // MARK: - Responses

  /// The header fields of a response. Browsers and proxies must not keep it.
  private static let headers = HTTPHeaders([
    HTTPHeader(name: "Content-Type", value: "text/plain; charset=utf-8"),
    HTTPHeader(name: "Cache-Control", value: "no-cache, no-store, max-age=0, must-revalidate"),
  ])

  /// Returns the response to a POST.
  private static func response(_ body: Data) -> TransportStreamingResponse {
    TransportStreamingResponse(TransportResponse(status: 200, headers: headers, body: body))
  }

  /// Returns the response to a request that is refused.
  private static func refusal(_ status: Int, _ message: String) -> TransportStreamingResponse {
    TransportStreamingResponse(
      TransportResponse(status: status, headers: headers, body: Data("\(message)\n".utf8)))
  }
}

extension StoreRemoteError {
  /// The error as the failure of a channel.
  var failure: ChannelFailure {
    ChannelFailure(code: code.status.httpStatus, status: code.status.name, message: message)
  }
}
