public import TenonAdminInterop
public import TenonCore
public import TenonFoundation
import TenonTransport
public import TenonTransportInterop

/// Calls callable functions, such as those of Cloud Functions for Firebase, in one region or at a custom
/// domain.
///
/// ```swift
/// let functions = try Functions.functions()
/// let result = try await functions.httpsCallable("greet").call(["name": "Ada"])
/// print(result.data)
///
/// let add = functions.httpsCallable("add", requestAs: [Int].self, responseAs: Int.self)
/// print(try await add([1, 2, 3]))
/// ```
///
/// If Auth is linked and a user is signed in, a call carries the user's ID token. If App Check is linked, it
/// carries the app's token. Tokens are sent only over encrypted connections or to this machine. The calls of an
/// instance with ``authority`` `.admin` never carry the token of a user.
///
/// A call is sent once and never retried, because it may have had an effect even if it fails. All functions
/// can be called concurrently, from any task.
public final class Functions: Sendable {
  /// The region of the functions, for example `us-central1`.
  public let region: String
  /// The custom domain of the functions, without a slash at the end; `nil` for none.
  public let customDomain: String?
  /// On whose authority the functions are called.
  public var authority: Authority { client.signer.identity.isAdministrator ? .admin : .user }
  /// The location of the app's functions.
  let endpoint: FunctionsEndpoint
  /// The client that all regions of the app share.
  let client: CallableClient
  /// The value of ``timeouts``.
  private let phases = Lock(HTTPTimeouts())

  /// The maximum durations of the phases of a call: 30 seconds for name lookup and connecting, no separate
  /// limit for the first byte of the response, and 60 seconds without progress within a body.
  ///
  /// ``HTTPSCallable/timeoutInterval`` limits a call as a whole, and thereby also the time that the function
  /// takes to answer. A phase that takes too long ends the call with ``FunctionsError/Code/unavailable``
  /// while connecting, when nothing has been sent, and later with ``FunctionsError/Code/deadlineExceeded``;
  /// the message names the limit. The setting belongs to this region of the app. It may be set from any
  /// thread, and applies to later calls.
  ///
  /// ```swift
  /// functions.timeouts.connecting = .seconds(5)
  /// ```
  public var timeouts: HTTPTimeouts {
    get { phases.withLock { $0 } }
    set { phases.withLock { $0 = newValue } }
  }

  /// Creates the functions of a region or custom domain.
  ///
  /// - Parameters:
  ///   - region: a valid name of a region.
  ///   - customDomain: a valid custom domain; `nil` for none.
  ///   - endpoint: the location of the app's functions.
  ///   - client: makes the calls.
  init(region: String, customDomain: String?, endpoint: FunctionsEndpoint, client: CallableClient) {
    self.region = region
    self.customDomain = customDomain
    self.endpoint = endpoint
    self.client = client
  }

  /// Returns the functions of an app in a region. The same arguments always return the same instance.
  ///
  /// - Parameters:
  ///   - app: the app; the default app if `nil`.
  ///   - region: the region; `us-central1` by default.
  ///   - authority: on whose authority functions are called. With `.admin`, calls carry no user's token, but
  ///     that of the service account which TenonAdmin has as its credential, so that private functions, which
  ///     only certain service accounts may invoke, can be called. The function itself has no user.
  /// - Throws: ``FunctionsError`` with ``FunctionsError/Code/invalidArgument`` if the region is malformed, and
  ///   with ``FunctionsError/Code/failedPrecondition`` if the authority is `.admin` and TenonAdmin isn't linked;
  ///   the error of the app's container.
  public static func functions(
    app: App? = nil, region: String = "us-central1", as authority: Authority = .user
  ) throws -> Functions {
    let instances = try (app ?? App.default).resolve(FunctionsInstances.self, from: FunctionsLibrary.self)
    return try instances.functions(region: region, as: authority)
  }

  /// Returns the functions of an app at a custom domain, for example that of a Firebase Hosting site that
  /// forwards calls to functions. The same arguments always return the same instance.
  ///
  /// The URL of a function is the domain and the function's name. The emulator and the embedded backend take
  /// precedence over the domain.
  ///
  /// ```swift
  /// let functions = try Functions.functions(customDomain: "https://api.example.com")
  /// try await functions.httpsCallable("greet").call()  // https://api.example.com/greet
  /// ```
  ///
  /// - Parameters:
  ///   - app: the app; the default app if `nil`.
  ///   - customDomain: a URL with the scheme `https` and a host. It may have a path. Over `http`, only this
  ///     machine can be reached.
  ///   - authority: on whose authority functions are called, as for ``functions(app:region:as:)``.
  /// - Throws: ``FunctionsError`` with ``FunctionsError/Code/invalidArgument`` if the domain is malformed, and
  ///   with ``FunctionsError/Code/failedPrecondition`` if the authority is `.admin` and TenonAdmin isn't linked;
  ///   the error of the app's container.
  public static func functions(
    app: App? = nil, customDomain: String, as authority: Authority = .user
  ) throws -> Functions {
    let instances = try (app ?? App.default).resolve(FunctionsInstances.self, from: FunctionsLibrary.self)
    return try instances.functions(customDomain: customDomain, as: authority)
  }

  /// Returns a reference to a function that accepts and returns untyped values.
  ///
  /// - Parameters:
  ///   - name: the function's name. A malformed name is reported by the call.
  ///   - options: options of the calls; `nil` for the defaults.
  public func httpsCallable(_ name: String, options: HTTPSCallableOptions? = nil) -> HTTPSCallable {
    HTTPSCallable(functions: self, target: .name(name), options: options)
  }

  /// Returns a reference to a function that accepts and returns `Codable` values.
  ///
  /// ```swift
  /// let greet: Callable<String, String> = functions.httpsCallable("greet")
  /// print(try await greet("Ada"))
  /// ```
  ///
  /// - Parameters:
  ///   - name: the function's name. A malformed name is reported by the call.
  ///   - options: options of the calls; `nil` for the defaults.
  ///   - requestAs: the type of the data; inferred if possible.
  ///   - responseAs: the type of the result; inferred if possible.
  public func httpsCallable<Request: Encodable, Response: Decodable>(
    _ name: String,
    options: HTTPSCallableOptions? = nil,
    requestAs: Request.Type = Request.self,
    responseAs: Response.Type = Response.self
  ) -> Callable<Request, Response> {
    Callable(httpsCallable(name, options: options))
  }

  /// Returns a reference to a function at a URL, which accepts and returns untyped values.
  ///
  /// ```swift
  /// let greet = functions.httpsCallable(URL(string: "https://greet-x2k7wlq4ya-uc.a.run.app")!)
  /// ```
  ///
  /// The URL is called as it is, also if the app uses the emulator. The embedded backend has only the
  /// functions at the URLs of its own project. Calls carry the tokens of the user and the app, so don't call
  /// a server that you don't trust with them.
  ///
  /// - Parameters:
  ///   - url: the function's URL, with the scheme `https`; with `http` for this machine only. Any other one
  ///     is reported by the call.
  ///   - options: options of the calls; `nil` for the defaults.
  public func httpsCallable(_ url: URL, options: HTTPSCallableOptions? = nil) -> HTTPSCallable {
    HTTPSCallable(functions: self, target: .url(url), options: options)
  }

  /// Returns a reference to a function at a URL, which accepts and returns `Codable` values.
  ///
  /// - Parameters:
  ///   - url: the function's URL, as for ``httpsCallable(_:options:)-(URL,_)``.
  ///   - options: options of the calls; `nil` for the defaults.
  ///   - requestAs: the type of the data; inferred if possible.
  ///   - responseAs: the type of the result; inferred if possible.
  public func httpsCallable<Request: Encodable, Response: Decodable>(
    _ url: URL,
    options: HTTPSCallableOptions? = nil,
    requestAs: Request.Type = Request.self,
    responseAs: Response.Type = Response.self
  ) -> Callable<Request, Response> {
    Callable(httpsCallable(url, options: options))
  }
}
