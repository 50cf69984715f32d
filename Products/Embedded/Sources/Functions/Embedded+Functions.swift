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
  /// another closure under the same name and region replaces the function.
  ///
  /// - Parameters:
  ///   - name: The name of the function.
  ///   - region: The region in which clients can call it; all regions by default.
  ///   - consumesAppCheckToken: Whether each call consumes its App Check token, so that
  ///     ``CallableApp/alreadyConsumed`` detects a repeated one. Clients call such functions with limited-use
  ///     tokens.
  ///   - handler: The function. Its task is cancelled when the caller cancels the call or the deadline
  ///     passes; the call ends when it returns. It rejects a call by throwing a ``CallableError``.
  public func onCall<Input: Decodable & Sendable, Output: Encodable & Sendable>(
    _ name: String,
    region: String? = nil,
    consumesAppCheckToken: Bool = false,
    _ handler: @escaping @Sendable (CallableRequest<Input>) async throws -> Output
  ) {
    functions.register(name, region: region, consumesAppCheckToken: consumesAppCheckToken) { data, caller in
      try await CallableCoding.encode(handler(Self.request(data, caller)))
    }
  }

  /// Registers a closure without a result as a callable function: callers receive `null`.
  ///
  /// - Parameters:
  ///   - name: The name of the function.
  ///   - region: The region in which clients can call it; all regions by default.
  ///   - consumesAppCheckToken: Whether each call consumes its App Check token, so that
  ///     ``CallableApp/alreadyConsumed`` detects a repeated one. Clients call such functions with limited-use
  ///     tokens.
  ///   - handler: The function, as for one with a result.
  public func onCall<Input: Decodable & Sendable>(
    _ name: String,
    region: String? = nil,
    consumesAppCheckToken: Bool = false,
    _ handler: @escaping @Sendable (CallableRequest<Input>) async throws -> Void
  ) {
    functions.register(name, region: region, consumesAppCheckToken: consumesAppCheckToken) { data, caller in
      try await handler(Self.request(data, caller))
      return .null
    }
  }

  /// Decodes the data of a call.
  ///
  /// - Throws: ``CallableError`` with `INVALID_ARGUMENT`.
  private static func request<Input: Decodable>(_ data: JSON, _ caller: CallableCaller) throws
    -> CallableRequest<Input>
  {
    do {
      return CallableRequest(
        data: try CallableCoding.decode(Input.self, from: data),
        auth: caller.auth,
        app: caller.app
      )
    } catch {
      throw CallableError(.invalidArgument, "The data of the request is not of type \(Input.self): \(error)")
    }
  }
}
