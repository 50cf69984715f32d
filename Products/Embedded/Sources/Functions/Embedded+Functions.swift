import TenonCallable
import TenonTransport

extension Embedded {
  /// Registers a closure as a callable function.
  ///
  /// ```swift
  /// embedded.onCall("greet") { (request: CallableRequest<String>) in
  ///   guard let user = request.auth else { throw CallableError(.unauthenticated, "Sign in first.") }
  ///   return "Hello \(request.data) from \(user.uid)"
  /// }
  /// ```
  ///
  /// A request whose data can't be decoded as `Input` is rejected with `INVALID_ARGUMENT`. Registering
  /// another closure under the same name and region replaces the function, and also one of
  /// ``onRequest(_:region:cors:timeout:_:)``.
  ///
  /// A closure can't stop the backend, except by a trap, which ends the process. It runs on a thread outside
  /// of Swift's pool, so it may block; a closure that hasn't returned within its time is cancelled, and its
  /// caller receives `DEADLINE_EXCEEDED`, even if the closure goes on running. While 1,000 closures are
  /// running, callers receive `RESOURCE_EXHAUSTED`, as for a result of more than 32 MiB.
  ///
  /// - Parameters:
  ///   - name: the name of the function.
  ///   - region: the region in which clients can call it; all regions by default.
  ///   - consumesAppCheckToken: whether each call consumes its App Check token, so that
  ///     ``CallableApp/alreadyConsumed`` detects a repeated one. Clients call such functions with limited-use
  ///     tokens.
  ///   - timeout: the maximum duration of a call; 60 seconds by default, as for Cloud Functions.
  ///   - handler: the function. Its task is cancelled when the caller cancels the call or the deadline
  ///     passes; the call ends when it returns. It rejects a call by throwing a ``CallableError``.
  public func onCall<Input: Decodable & Sendable, Output: Encodable & Sendable>(
    _ name: String,
    region: String? = nil,
    consumesAppCheckToken: Bool = false,
    timeout: Duration = .seconds(60),
    _ handler: @escaping @Sendable (CallableRequest<Input>) async throws -> Output
  ) {
    register(name, region, consumesAppCheckToken, timeout) { data, caller, _ in
      try await CallableCoding.encode(handler(Self.request(data, caller)))
    }
  }

  /// Registers a closure without a result as a callable function: callers receive `null`.
  ///
  /// - Parameters:
  ///   - name: the name of the function.
  ///   - region: the region in which clients can call it; all regions by default.
  ///   - consumesAppCheckToken: whether each call consumes its App Check token, so that
  ///     ``CallableApp/alreadyConsumed`` detects a repeated one. Clients call such functions with limited-use
  ///     tokens.
  ///   - timeout: the maximum duration of a call; 60 seconds by default.
  ///   - handler: the function, as for one with a result.
  public func onCall<Input: Decodable & Sendable>(
    _ name: String,
    region: String? = nil,
    consumesAppCheckToken: Bool = false,
    timeout: Duration = .seconds(60),
    _ handler: @escaping @Sendable (CallableRequest<Input>) async throws -> Void
  ) {
    register(name, region, consumesAppCheckToken, timeout) { data, caller, _ in
      try await handler(Self.request(data, caller))
      return .null
    }
  }

  /// Registers a closure as a callable function that sends messages before it returns its result.
  ///
  /// ```swift
  /// embedded.onCall("tell") { (request: CallableRequest<[String]>, response: CallableResponse<String>) in
  ///   for sentence in request.data { try await response.sendChunk(sentence) }
  ///   return request.data.count
  /// }
  /// ```
  ///
  /// A caller that doesn't request a stream receives only the result. One that does gets server-sent events,
  /// and in them also the closure's error. A closure that sends faster than the caller reads waits in
  /// ``CallableResponse/sendChunk(_:)``; when the caller leaves, its task is cancelled.
  ///
  /// - Parameters:
  ///   - name: the name of the function.
  ///   - region: the region in which clients can call it; all regions by default.
  ///   - consumesAppCheckToken: whether each call consumes its App Check token, as for a function without
  ///     messages.
  ///   - timeout: the maximum duration of a call, including the time for which it waits for the reader; 60
  ///     seconds by default.
  ///   - heartbeat: the time without messages after which a comment is sent, so that the caller knows that
  ///     the connection is alive; 30 seconds by default, `nil` for never.
  ///   - handler: the function, as for one without messages.
  public func onCall<
    Input: Decodable & Sendable, Message: Encodable & Sendable, Output: Encodable & Sendable
  >(
    _ name: String,
    region: String? = nil,
    consumesAppCheckToken: Bool = false,
    timeout: Duration = .seconds(60),
    heartbeat: Duration? = .seconds(30),
    _ handler: @escaping @Sendable (CallableRequest<Input>, CallableResponse<Message>) async throws -> Output
  ) {
    register(name, region, consumesAppCheckToken, timeout, heartbeat) { data, caller, sender in
      try await CallableCoding.encode(handler(Self.request(data, caller), CallableResponse(sender: sender)))
    }
  }

  /// Registers a closure that sends messages as a callable function without a result: callers receive `null`
  /// after the messages.
  ///
  /// - Parameters:
  ///   - name: the name of the function.
  ///   - region: the region in which clients can call it; all regions by default.
  ///   - consumesAppCheckToken: whether each call consumes its App Check token, as for a function without
  ///     messages.
  ///   - timeout: the maximum duration of a call, including the time for which it waits for the reader; 60
  ///     seconds by default.
  ///   - heartbeat: the time without messages after which a comment is sent; 30 seconds by default, `nil` for
  ///     never.
  ///   - handler: the function, as for one with a result.
  public func onCall<Input: Decodable & Sendable, Message: Encodable & Sendable>(
    _ name: String,
    region: String? = nil,
    consumesAppCheckToken: Bool = false,
    timeout: Duration = .seconds(60),
    heartbeat: Duration? = .seconds(30),
    _ handler: @escaping @Sendable (CallableRequest<Input>, CallableResponse<Message>) async throws -> Void
  ) {
    register(name, region, consumesAppCheckToken, timeout, heartbeat) { data, caller, sender in
      try await handler(Self.request(data, caller), CallableResponse(sender: sender))
      return .null
    }
  }

  /// Registers a function.
  private func register(
    _ name: String, _ region: String?, _ consumesAppCheckToken: Bool, _ timeout: Duration,
    _ heartbeat: Duration? = .seconds(30), _ handler: @escaping CallableService.Handler
  ) {
    // A heartbeat without a pause would occupy a processor.
    let function = CallableService.Function(
      name: name, consumesAppCheckToken: consumesAppCheckToken, timeout: timeout,
      heartbeat: heartbeat.map { max($0, .milliseconds(1)) }, handler: handler)
    requests.remove(name)
    functions.register(function, region: region)
  }

  /// Decodes the data of a call.
  ///
  /// - Throws: ``CallableError`` with `INVALID_ARGUMENT`, with the path of what has another type.
  private static func request<Input: Decodable>(_ data: JSON, _ caller: CallableCaller) throws
    -> CallableRequest<Input>
  {
    do {
      return CallableRequest(
        data: try CallableCoding.decode(Input.self, from: data),
        auth: caller.auth,
        app: caller.app,
        acceptsStreaming: caller.acceptsStreaming
      )
    } catch {
      throw CallableError(
        .invalidArgument, "The data of the request isn't of type \(Input.self): \(error.codingReason)")
    }
  }
}
