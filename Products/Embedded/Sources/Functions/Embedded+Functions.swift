import TenonTransport

extension Embedded {
  /// Serves a callable function as a closure.
  ///
  /// ```swift
  /// embedded.onCall("greet") { (request: CallableRequest<String>) in
  ///   guard let user = request.auth else { throw CallableError(.unauthenticated, "Sign in first.") }
  ///   return "Hello \(request.data) from \(user.uid)"
  /// }
  /// ```
  ///
  /// A request whose data can't be decoded as `Input` is refused with `INVALID_ARGUMENT`. Registering a name again
  /// replaces the function.
  ///
  /// - Parameters:
  ///   - name: the name by which clients call it.
  ///   - region: the region in which it is served; by default in every region.
  ///   - consumesAppCheckToken: whether each call uses its App Check token up, so that ``CallableApp/alreadyConsumed``
  ///     tells one that is sent again. Clients call such functions with limited-use tokens.
  ///   - handler: what it does. Its task is cancelled when the caller cancels or the deadline passes, and the call
  ///     ends when it returns. It refuses by throwing a ``CallableError``.
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

  /// Serves a callable function that answers with nothing: callers get `null`.
  ///
  /// - Parameters:
  ///   - name: the name by which clients call it.
  ///   - region: the region in which it is served; by default in every region.
  ///   - consumesAppCheckToken: whether each call uses its App Check token up, so that ``CallableApp/alreadyConsumed``
  ///     tells one that is sent again. Clients call such functions with limited-use tokens.
  ///   - handler: what it does, as in the form that answers with a value.
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
      throw CallableError(.invalidArgument, "The data of the request is not a \(Input.self): \(error)")
    }
  }
}
