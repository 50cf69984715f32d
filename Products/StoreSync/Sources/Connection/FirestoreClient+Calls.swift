import TenonDocuments
import TenonFoundation
import TenonJSON
import TenonStoreInterop
import TenonTransport
import TenonTransportInterop

extension FirestoreClient {
  /// A call of a method of Firestore's REST API.
  struct Call: Sendable {
    /// The custom method, for example `commit`.
    var method: String
    /// The resource in the URL: a document, or the root.
    var resource = ResourcePath(segments: [])
    /// The message of the request as JSON.
    var body: Data
    /// The database and the user.
    var context: RemoteContext
    /// Whether the call may be repeated although an attempt may have reached the server.
    var isRepeatable: Bool
    /// Whether the response is an object, and not an array that is decoded while it arrives.
    var isUnary = false
  }

  /// The attempts of a call that may be repeated: four in about two seconds. Firebase's clients try longer,
  /// but Store answers reads from its cache in the meantime, and repeats writes with its own backoff. A
  /// server that can't be reached at all isn't tried again, so that Store knows early.
  static let attempts = 4
  /// The delays before further attempts.
  static let backoff = Backoff(first: .milliseconds(250), longest: .seconds(5), jitter: 0.5...1.5)

  /// Calls a method and passes on the elements of its response: the elements of an array, or one object.
  ///
  /// The elements are decoded while the response arrives, so its size isn't limited; that of an element is.
  /// After a failure that may pass, a repeatable call is made again, with the delays of ``backoff``; after
  /// `UNAUTHENTICATED`, any call is, once, with a new token. Before each new attempt, `restart` is called.
  ///
  /// - Parameters:
  ///   - call: the method, and the request as of the first attempt.
  ///   - restart: prepares another attempt, to which the elements received so far don't belong. It may change
  ///     the call.
  ///   - receive: receives each element.
  /// - Throws: `StoreRemoteError`; `CancellationError`.
  func elements(
    of call: Call, restart: (inout Call) throws -> Void = { _ in },
    receive: (FirestoreJSON) throws(DocumentError) -> Void
  ) async throws {
    let settings = settings.withLock { $0 }
    let deadline = time.now() + settings.timeoutInterval.limited
    var call = call
    var attempt = 1
    var mayRefresh = true
    var isRefreshing = false
    var token: String?
    var mayHaveArrived = false
    while true {
      var failure: CallFailure
      do {
        return try await attemptElements(
          of: call, refreshing: isRefreshing, token: &token, settings, by: deadline, receive: receive)
      } catch let error as CallFailure { failure = error }
      // An earlier attempt may have reached the server.
      if mayHaveArrived { failure.error.isUnsent = false }
      mayHaveArrived = !failure.error.isUnsent
      isRefreshing = failure.error.code == .unauthenticated && failure.isServers && mayRefresh
      if isRefreshing {
        mayRefresh = false
      } else {
        let delay = Self.backoff.delay(after: attempt, random: time.random())
        guard call.isRepeatable, failure.mayPass, attempt < Self.attempts, time.now() + delay < deadline
        else { throw failure.error }
        try await time.sleep(delay)
        attempt += 1
      }
      try restart(&call)
    }
  }

  /// Calls a method and returns its response, a single object.
  ///
  /// - Throws: as ``elements(of:restart:receive:)``.
  func response(to call: Call) async throws -> FirestoreJSON {
    var response: FirestoreJSON?
    var call = call
    call.isUnary = true
    try await elements(of: call, restart: { _ in response = nil }) { response = $0 }
    guard let response else { throw Self.incomplete }
    return response
  }

  /// The error of a response that lacks something that the protocol requires. It is transient, because
  /// whether a commit with such a response was applied is unknown.
  static let incomplete = StoreRemoteError(.internal, "The server's response is incomplete.")

  /// Makes one attempt.
  ///
  /// - Parameters:
  ///   - call: the method and the request.
  ///   - refreshing: whether the token of the last attempt was refused.
  ///   - token: the token of the last attempt, and then that of this one.
  ///   - settings: the limits.
  ///   - deadline: when the call ends.
  ///   - receive: receives each element.
  /// - Throws: ``CallFailure``; `CancellationError`; what `signed` throws for a request that wasn't sent.
  private func attemptElements(
    of call: Call, refreshing: Bool, token: inout String?, _ settings: StoreSyncSettings,
    by deadline: ContinuousClock.Instant,
    receive: (FirestoreJSON) throws(DocumentError) -> Void
  ) async throws {
    let name = DatabaseName(project: project, database: call.context.database)
    var request = TransportRequest(
      .post, try url("/v1/\(name.urlPath(of: call.resource)):\(call.method)"), body: .data(call.body),
      timeouts: settings.timeouts)
    request.headers["Content-Type"] = "application/json"
    request = try await signed(
      request, in: call.context, refreshing: refreshing, replacing: refreshing ? token : nil, by: deadline)
    token = request.bearerToken
    request.deadline = max(.zero, deadline - time.now())
    do {
      let response = try await http.stream(request)
      guard (200..<300).contains(response.status) else {
        throw CallFailure(try await complete(response, request))
      }
      var splitter = JSONElementSplitter(limit: FirestoreJSON.largestMessage)
      var object = Data()
      for try await chunk in response.body {
        if call.isUnary {
          object += chunk
          guard object.count <= FirestoreJSON.largestMessage else {
            throw DocumentError(.damaged, "It has more than \(FirestoreJSON.largestMessage) bytes.")
          }
        } else {
          for element in try splitter.append(chunk) { try Self.pass(element, to: receive) }
        }
        // The transport's deadline may cover the head only.
        guard time.now() < deadline else { throw CallFailure(late: call.method) }
      }
      try Task.checkCancellation()
      if call.isUnary { try Self.pass(object, to: receive) } else { try splitter.finish() }
    } catch let error as JSONError {
      throw CallFailure(undecodable: DocumentError(.damaged, "It can't be read as JSON. \(error)"))
    } catch let error as TransportError {
      throw CallFailure(error)
    } catch let error as DocumentError {
      throw CallFailure(undecodable: error)
    }
  }

  /// Decodes an element and passes it on.
  ///
  /// - Throws: ``CallFailure`` if it is an error, which ends a response that has begun; `DocumentError`.
  private static func pass(
    _ element: Data, to receive: (FirestoreJSON) throws(DocumentError) -> Void
  ) throws {
    let json = try FirestoreJSON(element, limit: FirestoreJSON.largestMessage)
    if let error = StoreRemoteError(wireError: json) { throw CallFailure(server: error) }
    try receive(json)
  }

  /// Returns the response of a failure, without the request's credentials and with at most 64 KiB of its
  /// body.
  private func complete(
    _ response: TransportStreamingResponse, _ request: TransportRequest
  ) async throws -> TransportResponse {
    var body = Data()
    for try await chunk in response.body {
      // Checked: fewer bytes than the limit have been read.
      body += chunk.prefix(65_536 - body.count)
      if body.count >= 65_536 { break }
    }
    return TransportResponse(status: response.status, headers: response.headers, body: body)
      .hiding(request.credentials)
  }
}
