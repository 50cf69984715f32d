import TenonCallable
import TenonCore
import TenonDocuments
import TenonFoundation
import TenonTransport
import TenonTransportInterop
import TenonValues

/// The callable functions, which are closures that are called through the callable protocol
/// (https://firebase.google.com/docs/functions/callable-reference).
///
/// ``FunctionRunner`` runs the closures.
final class CallableService: Sendable {
  /// A function that receives and returns data in the encoding of the callable protocol.
  typealias Handler = @Sendable (JSON, CallableCaller, ChunkSender) async throws -> JSON

  /// The key of a function. A function of a region takes precedence over one of all regions.
  private struct Key: Hashable {
    /// The name of the function.
    let name: String
    /// The region; `nil` for all regions.
    let region: String?
  }

  /// A registered function.
  struct Function: Sendable {
    /// The name.
    let name: String
    /// Whether a call consumes its App Check token.
    let consumesAppCheckToken: Bool
    /// The maximum duration of a call.
    let timeout: Duration
    /// The time after which a silent stream sends a heartbeat; `nil` for never.
    let heartbeat: Duration?
    /// The function.
    let handler: Handler
  }

  /// A call that has been accepted.
  private struct Call: Sendable {
    /// The function.
    let function: Function
    /// The data in the protocol's encoding.
    let data: JSON
    /// The user and the app.
    let caller: CallableCaller
  }

  /// The registered functions.
  private let functions = Lock<[Key: Function]>([:])
  /// Runs the closures.
  private let runner: FunctionRunner
  /// Consumes App Check tokens.
  private let appCheck: AppCheckService
  /// The clock.
  private let time: TimeSource
  /// Receives the errors whose texts callers don't receive.
  private let logger: AppLogger?

  /// The maximum size of a result and of a message in bytes.
  private static let largestText = JSON.largestText

  /// Creates a service without functions.
  init(appCheck: AppCheckService, runner: FunctionRunner, time: TimeSource, logger: AppLogger?) {
    self.appCheck = appCheck
    self.runner = runner
    self.time = time
    self.logger = logger
  }

  /// Registers a function, which replaces another one of the same name and region.
  ///
  /// - Parameters:
  ///   - function: the function.
  ///   - region: the region; `nil` for all regions that have no function of that name.
  func register(_ function: Function, region: String?) {
    functions.withLock { $0[Key(name: function.name, region: region)] = function }
  }

  /// The names and regions of the functions; a region is `nil` for all regions.
  var keys: [(name: String, region: String?)] { functions.withLock { $0.keys.map { ($0.name, $0.region) } } }

  /// Returns whether there is a function with a name, in any region.
  func contains(_ name: String) -> Bool { functions.withLock { $0.keys.contains { $0.name == name } } }

  /// Removes the functions with a name, in all regions.
  func remove(_ name: String) {
    functions.withLock { functions in functions = functions.filter { $0.key.name != name } }
  }

  /// Responds to a call.
  ///
  /// - Parameters:
  ///   - request: the request.
  ///   - region: the region of the URL.
  ///   - path: the segments of the path, which are the function's name.
  ///   - caller: the caller. For functions, administrators are callers without a user.
  /// - Returns: the result, or the error of the function; a stream of events if the request accepts only
  ///   that. Status 404 if there is no such function.
  /// - Throws: `CancellationError`.
  func answer(
    _ request: TransportRequest, region: String, path: [String], by caller: Caller
  ) async throws -> TransportStreamingResponse {
    let name = path.joined(separator: "/")
    let function = functions.withLock {
      $0[Key(name: name, region: region)] ?? $0[Key(name: name, region: nil)]
    }
    guard let function else {
      return TransportStreamingResponse(
        TransportResponse(
          status: 404,
          headers: HTTPHeaders([HTTPHeader(name: "Content-Type", value: "text/plain; charset=utf-8")]),
          body: Data("Function \(name) isn't registered in \(region); register it with onCall.".utf8)
        ))
    }
    do {
      let data = try Self.data(of: request)
      let app = try await appCheck.app(of: caller.app, consumingToken: function.consumesAppCheckToken)
      let acceptsStreaming = MediaType(request.headers["Accept"] ?? "").essence == "text/event-stream"
      let call = Call(
        function: function, data: data,
        caller: CallableCaller(auth: caller.auth, app: app, acceptsStreaming: acceptsStreaming))
      if acceptsStreaming { return stream(call) }
      let body: JSON = ["result": try await result(of: call, ChunkSender(channel: nil))]
      return TransportStreamingResponse(Self.response(status: 200, try Self.text(of: body)))
    } catch {
      let (status, body) = try failure(error, of: name)
      return TransportStreamingResponse(Self.response(status: status.httpStatus, body))
    }
  }

  /// Returns the response to a request without a caller: status 401. Its text is that of Firebase's server
  /// SDK, which doesn't tell what is missing.
  func response(to error: AuthenticationError) throws -> TransportStreamingResponse {
    let failure = CallableError(.unauthenticated, "Unauthenticated")
    return TransportStreamingResponse(
      Self.response(status: failure.status.httpStatus, try Self.body(of: failure)))
  }

  /// Returns a response with JSON text as its body.
  private static func response(status: Int, _ text: Data) -> TransportResponse {
    let type = HTTPHeader(name: "Content-Type", value: "application/json; charset=utf-8")
    return TransportResponse(status: status, headers: HTTPHeaders([type]), body: text)
  }

  // MARK: - Running

  /// Runs the closure of a function.
  ///
  /// - Returns: the result in the protocol's encoding.
  /// - Throws: the errors of ``FunctionRunner/run(_:timeout:_:)``.
  private func result(of call: Call, _ sender: ChunkSender) async throws -> JSON {
    let function = call.function
    return try await runner.run(function.name, timeout: function.timeout) {
      try await function.handler(call.data, call.caller, sender)
    }
  }

  /// Runs the closure of a function, and returns what it sends as a stream of events.
  ///
  /// The closure is cancelled when the body of the response is released or the task of its reader is
  /// cancelled.
  private func stream(_ call: Call) -> TransportStreamingResponse {
    let channel = ChunkChannel(time: time)
    let run = Task {
      await withTaskGroup(of: Void.self) { group in
        if let heartbeat = call.function.heartbeat {
          group.addTask { await channel.sendHeartbeats(ChunkSender.heartbeat, every: heartbeat.limited) }
        }
        channel.finish(await lastEvent(of: call, ChunkSender(channel: channel)))
        group.cancelAll()
      }
    }
    let reader = ChunkReader(channel: channel, run: run)
    return TransportStreamingResponse(
      status: 200,
      headers: HTTPHeaders([
        HTTPHeader(name: "Content-Type", value: "text/event-stream; charset=utf-8"),
        HTTPHeader(name: "Cache-Control", value: "no-cache"),
      ]),
      body: AsyncThrowingStream { try await reader.next() }
    )
  }

  /// Runs the closure of a function, and returns the event with its result or its error; nothing if the task
  /// is cancelled.
  private func lastEvent(of call: Call, _ sender: ChunkSender) async -> Data {
    do {
      return try ChunkSender.event(["result": try await result(of: call, sender)])
    } catch {
      guard let (_, body) = try? failure(error, of: call.function.name) else { return Data() }
      return Data("data: ".utf8) + body + Data("\n\n".utf8)
    }
  }

  // MARK: - Requests

  /// Returns the data of a call.
  ///
  /// - Throws: ``CallableError`` with `INVALID_ARGUMENT` unless the request is a `POST` of JSON whose only
  ///   member is `data`, as Firebase's server SDK requires.
  private static func data(of request: TransportRequest) throws -> JSON {
    let type = MediaType(request.headers["Content-Type"] ?? "")
    guard request.method == .post, type.essence == "application/json", case .data(let content) = request.body,
      let members = try? JSON(parsing: content).object, members.count == 1, let data = members["data"]
    else { throw CallableError(.invalidArgument, "Bad Request") }
    return data
  }

  // MARK: - Responses

  /// Returns the text of a result, a message or an error.
  ///
  /// - Throws: ``CallableError`` with `RESOURCE_EXHAUSTED` if the text is too large; `EncodingError`.
  static func text(of body: JSON) throws -> Data {
    let text = try body.serialized
    guard text.count <= largestText else {
      throw CallableError(
        .resourceExhausted,
        "A response of the function has \(text.count) bytes, more than \(largestText). Return less, or store it as an object."
      )
    }
    return text
  }

  /// Returns the status and the body of the response to an error of a function. Callers receive only the text
  /// of a ``CallableError``.
  ///
  /// - Throws: `CancellationError` if the task is cancelled.
  private func failure(_ error: any Error, of function: String) throws -> (CallableStatus, Data) {
    do {
      guard let error = error as? CallableError else { throw error }
      return (error.status, try Self.body(of: error))
    } catch {
      try Task.checkCancellation()
      logger?.error("The function \(function) failed: \(error.systemReason)", fields: ["faas.name": function])
      return (.internal, try Self.body(of: CallableError(.internal, "INTERNAL")))
    }
  }

  /// Returns the body of the response to an error.
  static func body(of error: CallableError) throws -> Data {
    let details = try error.details.map { try CallableCoding.encode($0) }
    return try text(
      of: [
        "error": .members([
          "status": .string(error.status.rawValue), "message": .string(error.message), "details": details,
        ])
      ])
  }
}

/// The reader of a streamed response. Releasing it cancels the function.
private final class ChunkReader: Sendable {
  private let channel: ChunkChannel
  /// Runs the function.
  private let run: Task<Void, Never>

  init(channel: ChunkChannel, run: Task<Void, Never>) {
    self.channel = channel
    self.run = run
  }

  deinit { stop() }

  private func stop() {
    run.cancel()
    channel.close()
  }

  /// Returns the next bytes; `nil` at the end.
  ///
  /// - Throws: `CancellationError`; the function is then cancelled as well.
  func next() async throws -> Data? {
    let bytes = await channel.next()
    if Task.isCancelled {
      stop()
      throw CancellationError()
    }
    return bytes.flatMap { $0.isEmpty ? nil : $0 }
  }
}
