package import TenonFoundation

extension Embedded {
  /// Registers a closure as a function that responds to any request of HTTP.
  ///
  /// ```swift
  /// try embedded.onRequest("hello") { request in
  ///   FunctionResponse(text: "Hello \(request.queryValues("name").first ?? "world")")
  /// }
  /// ```
  ///
  /// The function's URL is `http://HOST/PROJECT/REGION/NAME`, as in the emulator suite, and everything below
  /// it. A request has at most 10 MiB. Unlike a callable function, it receives requests with any credentials:
  /// ``FunctionRequest/auth`` is set for a valid ID token of the project. If
  /// ``EmbeddedSettings/appCheckRequired`` contains `functions`, requests without a valid App Check token are
  /// refused.
  ///
  /// The closure runs as that of `onCall`. If it throws, the client receives status 500 without the error's
  /// text, which is logged.
  ///
  /// - Parameters:
  ///   - name: the name of the function: letters, digits, hyphens and underscores.
  ///   - region: the region of the URL; all regions by default.
  ///   - cors: the pages of other origins that may read the responses; by default, the function decides.
  ///   - timeout: the maximum time until the response begins; 60 seconds by default, as for Cloud Functions.
  ///   - handler: the function. Its task is cancelled when the client leaves or the time is over.
  /// - Throws: ``FunctionRegistrationError`` with `invalidName`, or `alreadyExists` if there is a function
  ///   with the name.
  public func onRequest(
    _ name: String, region: String? = nil, cors: FunctionCORS = .handledByFunction,
    timeout: Duration = .seconds(60),
    _ handler: @escaping @Sendable (FunctionRequest) async throws -> FunctionResponse
  ) throws {
    try FunctionRegistrationError.check(name: name)
    guard !functions.contains(name), events.function(name) == nil else { throw RequestService.exists(name) }
    let function = RequestService.Function(name: name, cors: cors, timeout: timeout, handler: handler)
    try requests.register(function, region: region)
  }

  /// Returns whether a function itself responds to requests with `OPTIONS` for a URL.
  package func handlesOptions(at url: URL) -> Bool {
    guard let route = Route(url, projectID: projectID), case .functions(let region) = route.service else {
      return false
    }
    return requests.function(route.path, region: region)?.cors.isHandledByFunction ?? false
  }

  /// Removes a function of any kind, in all regions. Its events that weren't handled are deleted.
  ///
  /// - Parameter name: the name of the function. If there is none, nothing happens.
  /// - Throws: an error if the database can't be written.
  public func removeFunction(_ name: String) async throws {
    requests.remove(name)
    functions.remove(name)
    runner.calls.remove(name)
    guard let source = events.remove(name) else { return }
    try await eventSource(source).withEvents { try $0.remove(name) }
  }
}
