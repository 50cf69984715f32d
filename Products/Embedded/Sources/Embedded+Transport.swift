import TenonCore
import TenonFoundation
import TenonObservabilityInterop
import TenonSQLite
import TenonTransport
public import TenonTransportInterop

/// The transport of the embedded backend: responds to requests inside the process.
///
/// A request is routed by its URL, in the form of Firebase's production services
/// (`identitytoolkit.googleapis.com`) or of the emulators (`localhost:9099`). The backend opens no sockets.
extension Embedded: TransportInterop {
  /// Responds to a request and returns the complete response.
  ///
  /// An error of a service is a response with its HTTP status, not a thrown error.
  ///
  /// - Parameter request: the request. Its deadline covers the response's body as well.
  /// - Throws: `TransportError` with `timedOut` if the deadline passes, `connectionLost` if the object that
  ///   is being downloaded is replaced or deleted, and `invalidRequest` if the file of the request's body
  ///   can't be read; `CancellationError`.
  public func send(_ request: TransportRequest) async throws -> TransportResponse {
    try await withinDeadline(of: request) {
      let response = try await self.answer(request)
      var body = Data()
      if let size = response.headers["Content-Length"].flatMap({ Int(decimal: $0) }) {
        // Checked: the size of a damaged record may be any number, so it isn't trusted beyond the limit.
        body.reserveCapacity(min(size, Self.longestReserved))
      }
      for try await piece in response.body { body += piece }
      // The stream of a cancelled reader ends early, without an error.
      try Task.checkCancellation()
      return TransportResponse(status: response.status, headers: response.headers, body: body)
    }
  }

  /// Responds to a request and streams the response's body. The content of an object is read chunk by chunk,
  /// as the caller requests it, and a streaming function waits while its messages aren't read.
  ///
  /// - Parameter request: the request. Its deadline applies until the response begins.
  /// - Throws: `TransportError` with `timedOut` if the deadline passes, and `invalidRequest` if the file of
  ///   the request's body can't be read; `CancellationError`. The body throws the errors of ``send(_:)``.
  public func stream(_ request: TransportRequest) async throws -> TransportStreamingResponse {
    try await withinDeadline(of: request) { try await self.answer(request) }
  }

  /// Runs an operation until the deadline of a request. Returns as soon as the deadline passes or the task is
  /// cancelled, even if a function's closure ignores its cancellation.
  private func withinDeadline<Result: Sendable>(
    of request: TransportRequest, _ operation: @escaping @Sendable () async throws -> Result
  ) async throws -> Result {
    try Task.checkCancellation()
    try request.checkFields()
    let deadline = request.deadline.map { time.now() + $0.limited }
    if let result = try await time.value(by: deadline, of: operation) { return result }
    throw TransportError(
      .timedOut,
      "The embedded backend didn't respond to \(request.url.path) within \(request.deadline ?? .zero)."
    )
  }

  /// The response to `OPTIONS` (RFC 9110, section 9.3.7), which is the same for every resource.
  private static let options = TransportResponse(
    status: 204,
    headers: HTTPHeaders([
      HTTPHeader(name: "Allow", value: "GET, HEAD, POST, PUT, PATCH, DELETE, OPTIONS")
    ])
  )

  /// Returns the response to `OPTIONS`; `nil` if a function responds. Pages of every origin may call callable
  /// functions, as with Firebase's server SDK.
  private func options(for request: TransportRequest, _ route: Route) -> TransportStreamingResponse? {
    guard case .functions(let region) = route.service else {
      return TransportStreamingResponse(Self.options)
    }
    guard requests.function(route.path, region: region) == nil else { return nil }
    var answer = Self.options
    if request.headers["Origin"] != nil {
      answer.headers.fields += FunctionCORS.everyone.fields(for: request, methods: "POST")
    }
    return TransportStreamingResponse(answer)
  }

  /// The greatest size of a response's body for which memory is reserved before it is read, in bytes.
  private static let longestReserved = 64 << 20

  /// The greatest length of a streamed body that is collected, in bytes.
  private static let longestCollected = 10 << 20

  /// Returns a request with its whole body in memory, as the services that don't read it themselves need it.
  ///
  /// - Throws: ``Refusal`` with status 413 if the body is a file or a long stream; `TransportError` with
  ///   `invalidRequest` if the stream fails.
  private static func collected(_ request: TransportRequest) async throws -> TransportRequest {
    switch request.body {
    case .none, .data: return request
    case .file: throw Refusal.tooLarge
    case .stream:
      var request = request
      request.body = .data(
        try await BodyReader.content(of: request, upTo: longestCollected, orThrow: Refusal.tooLarge))
      return request
    }
  }

  /// Determines the caller of a request.
  ///
  /// - Parameters:
  ///   - request: the request.
  ///   - route: its URL.
  ///   - key: the key of a service account with which its URL is signed; `nil` if there is none.
  /// - Throws: ``AuthenticationError``.
  private func caller(
    of request: TransportRequest, _ route: Route, _ key: HMACKey?
  ) throws(AuthenticationError) -> Caller {
    switch route.service {
    // The handshake has its credentials in the body, too; later requests name the session, whose ID is
    // secret.
    case .channel: .nobody
    // The ID of an upload, and a download token of the object, are themselves credentials.
    case .objects where route.namesSecret: try authenticator.caller(of: request, at: .storage)
    case .xmlObjects where route.namesSecret: try authenticator.caller(of: request, at: .storage)
    case .xmlObjects: try authenticator.admit(request, signed: route, with: key)
    case .objects: try authenticator.admit(request, to: .storage)
    case .documents, .documentEmulator, .administration:
      try documentProjects.authenticator(authenticator, for: route.project).admit(request, to: .firestore)
    // The function itself decides about credentials that aren't the project's.
    case .functions(let region) where requests.function(route.path, region: region) != nil:
      try authenticator.admitAnyone(request, to: .functions)
    case .functions: try authenticator.admit(request, to: .functions)
    case .accounts, .tokens: try authenticator.admit(request, to: .auth)
    // Apps get their App Check token here, and tests control the emulator without one.
    case .appCheck, .accountEmulator, .rules: try authenticator.caller(of: request, at: .auth)
    }
  }

  /// Returns the response to a request without a caller, in the form of its service.
  private func response(
    to error: AuthenticationError, of service: Route.Service
  ) throws -> TransportStreamingResponse {
    switch service {
    case .documents, .documentEmulator, .channel, .administration:
      DocumentService.response(to: error.storeError)
    case .functions: try functions.response(to: error)
    case .xmlObjects: TransportStreamingResponse(error.refusal.xmlResponse)
    default: TransportStreamingResponse(try error.refusal.response)
    }
  }

  /// Determines the caller of a request before anything else, and passes the request to its service.
  ///
  /// - Throws: the errors of the services.
  private func answer(_ request: TransportRequest, _ route: Route) async throws -> TransportStreamingResponse
  {
    try await appCheck.prepare(for: request)
    let key = route.service == .xmlObjects ? try await objects.signingKey(route.query) : nil
    let caller: Caller
    do throws(AuthenticationError) { caller = try self.caller(of: request, route, key) } catch {
      return try response(to: error, of: route.service)
    }
    switch route.service {
    case .objects, .xmlObjects: return try await objects.answer(request, route: route, by: caller)
    case .documents: return try await documentService.answer(request, route: route, by: caller)
    case .administration:
      return try await AdministrationService(projects: documentProjects).answer(
        request, route: route, by: caller)
    case .documentEmulator:
      return try await documentService.answerEmulator(request, route: route, by: caller)
    case .channel(let method):
      return try await channels.answer(request, method, query: route.encodedQuery)
    case .accounts, .tokens:
      let request = try await Self.collected(request)
      return TransportStreamingResponse(try await accounts.answer(request, route: route, by: caller))
    case .accountEmulator:
      let request = try await Self.collected(request)
      return TransportStreamingResponse(try await accounts.answerEmulator(request, route: route))
    case .functions(let region):
      let request = try await Self.collected(request)
      if let function = requests.function(route.path, region: region) {
        return try await requests.answer(request, by: function, route, caller)
      }
      return try await functions.answer(request, region: region, path: route.path, by: caller)
    case .rules(let service):
      return TransportStreamingResponse(try replaceRules(try await Self.collected(request), service))
    case .appCheck:
      let request = try await Self.collected(request)
      return TransportStreamingResponse(try await appCheck.answer(request, route: route, by: caller))
    }
  }

  /// Routes a request to its service and turns the errors of the services into responses.
  ///
  /// - Throws: `TransportError` and `CancellationError`, which aren't responses of a service.
  private func answer(_ request: TransportRequest) async throws -> TransportStreamingResponse {
    let route = Route(request.url, projectID: projectID) ?? Route(xml: request.url)
    return try await exchanges.recording(
      request, adding: ["tenon.embedded.service": .string(route?.service.name ?? "none")], status: \.status
    ) {
      try await answered(request, route)
    }
  }

  /// Responds to a request with a route, as ``answer(_:)``.
  private func answered(
    _ request: TransportRequest, _ route: Route?
  ) async throws -> TransportStreamingResponse {
    do {
      guard let route else { throw Refusal.notFound }
      if request.method == .options, let answer = options(for: request, route) { return answer }
      return try await answer(request, route)
    } catch let error as AuthenticationError {
      return TransportStreamingResponse(try error.refusal.response)
    } catch let refusal as Refusal {
      return TransportStreamingResponse(try refusal.response)
    } catch let conflict as UploadConflict {
      return TransportStreamingResponse(try conflict.response)
    } catch let error as TransportError {
      throw error
    } catch let error as CancellationError {
      throw error
    } catch let error as SQLiteError where error.code == .busy {
      // Another process holds the lock on the database. `UNAVAILABLE` makes clients retry.
      let refusal = Refusal(503, "\(error)", reason: "backendError", statusName: "UNAVAILABLE")
      return TransportStreamingResponse(try refusal.response)
    } catch {
      logger?.error("\(request.method.rawValue) \(request.url.path): \(error.systemReason)")
      let refusal = Refusal(
        500,
        "The embedded backend failed: \(error.systemReason)",
        reason: "backendError",
        statusName: "INTERNAL"
      )
      return TransportStreamingResponse(try refusal.response)
    }
  }
}
