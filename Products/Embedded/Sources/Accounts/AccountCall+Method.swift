import TenonTransportInterop

extension AccountCall {
  /// The methods by their names in the older API, version 3.
  private static let olderNames: [String: Method] = [
    "signupNewUser": .signUp, "verifyPassword": .signInWithPassword, "getAccountInfo": .lookup,
    "setAccountInfo": .update, "deleteAccount": .delete, "getProjectConfig": .projects,
    "createAuthUri": .createAuthUri, "emailLinkSignin": .signInWithEmailLink,
    "getOobConfirmationCode": .sendOobCode, "resetPassword": .resetPassword,
    "verifyAssertion": .signInWithIdp, "verifyCustomToken": .signInWithCustomToken,
    "downloadAccount": .batchGet, "uploadAccount": .batchCreate,
    "sendVerificationCode": .sendVerificationCode, "verifyPhoneNumber": .signInWithPhoneNumber,
    "getRecaptchaParam": .recaptchaParams,
  ]

  /// The names of methods that exist in Identity Toolkit, but not in the backend.
  private static let unsupportedMethods: Set<String> = [
    "signInWithGameCenter", "publicKeys", "setProjectConfig", "signOutUser",
  ]

  /// Rejects paths of Identity Toolkit that the backend doesn't support with an error that says so, rather
  /// than with 404, which would suggest a mistake in the path.
  ///
  /// - Throws: ``Refusal`` with status 501 for the rest of version 2.
  private static func checkIsSupported(_ path: [String]) throws {
    if path.first == "v2" {
      throw Refusal.unimplemented("\(path.last?.prefix(100) ?? "") of version 2")
    }
  }

  /// Returns the method of version 2 that manages configurations of identity providers; `nil` for other paths.
  ///
  /// - Throws: ``Refusal`` with status 404 for the wrong HTTP method.
  private static func providerMethod(_ method: HTTPMethod, _ path: [String]) throws -> Method? {
    guard let provider = ProviderPath(path) else { return nil }
    switch (method, provider.id) {
    case (.post, nil): return .createProvider
    case (.get, nil): return .listProviders
    case (.get, _?): return .readProvider
    case (.patch, _?): return .changeProvider
    case (.delete, _?): return .deleteProvider
    default: throw Refusal.notFound
    }
  }

  /// Returns the method that a request calls.
  ///
  /// - Throws: ``Refusal`` with status 404 for an unknown path or the wrong HTTP method, with status 501 for
  ///   a method that isn't supported.
  ///
  /// - Parameters:
  ///   - request: the request.
  ///   - route: the request's service and path. Both `v1/accounts:NAME` and
  ///     `v1/projects/{project}/accounts:NAME` are accepted, the latter for administrators and also with
  ///     `tenants/{tenant}`, and the names of version 3.
  static func method(of request: TransportRequest, route: Route) throws -> Method {
    var path = route.path
    if path.count == 4, path.starts(with: ["v2", "projects"]), path[3] == "config" {
      switch request.method {
      case .get: return .readConfiguration
      case .patch: return .changeConfiguration
      default: throw Refusal.notFound
      }
    }
    if path == ["v2", "passwordPolicy"], request.method == .get { return .passwordPolicy }
    if let method = try tenantMethod(request.method, path) { return method }
    if let method = try providerMethod(request.method, path) { return method }
    if path.count == 3, path.starts(with: ["v2", "accounts"]),
      let method = Method(rawValue: path[2]), method.isNamedAlone
    {
      guard request.method == .post else { throw Refusal.notFound }
      return method
    }
    try checkIsSupported(path)
    if path.count > 4, path.starts(with: ["v1", "projects"]), path[3] == "tenants" {
      // The tenant takes the place of the project.
      path.removeSubrange(2...3)
    }
    if path.count == 3, path.starts(with: ["v1", "projects"]), path[2].hasSuffix(":createSessionCookie") {
      guard request.method == .post else { throw Refusal.notFound }
      return .createSessionCookie
    }
    let isForm = path.count > 2 && path.starts(with: ["v1", "projects"])
    if isForm { path.removeSubrange(1...2) }
    guard path.count > 1 else { throw Refusal.notFound }
    if route.service == .tokens {
      guard path == ["v1", "token"], request.method == .post else { throw Refusal.notFound }
      return .token
    }
    if path == ["v1", "projects"], request.method == .get { return .projects }
    if path == ["v1", "recaptchaParams"], request.method == .get { return .recaptchaParams }
    if isForm, path == ["v1", "accounts:batchGet"], request.method == .get { return .batchGet }
    if isForm, path == ["v1", "accounts"], request.method == .post { return .signUp }
    let name: String
    let method: Method?
    switch path[0] {
    case "v1" where path.count == 2 && path[1].hasPrefix("accounts:"):
      name = String(path[1].dropFirst("accounts:".count))
      method = Method(rawValue: name).flatMap { $0.isNamedInPath ? $0 : nil }
    case "v3" where path.count == 3:
      name = path[2]
      method = olderNames[name]
    default:
      throw Refusal.notFound
    }
    if unsupportedMethods.contains(name) { throw Refusal.unimplemented("accounts:\(name)") }
    guard let method,
      !method.isAdministrative || (isForm && method != .batchGet) || path[0] == "v3",
      request.method == (method.isRead ? .get : .post)
    else { throw Refusal.notFound }
    return method
  }

  /// Returns the method of version 2 that manages tenants; `nil` for other paths.
  ///
  /// - Throws: ``Refusal`` with status 404 for the wrong HTTP method.
  private static func tenantMethod(_ method: HTTPMethod, _ path: [String]) throws -> Method? {
    guard (4...5).contains(path.count), path.starts(with: ["v2", "projects"]), path[3] == "tenants",
      path.count == 4 || !path[4].contains(":")
    else { return nil }
    switch (method, path.count) {
    case (.post, 4): return .createTenant
    case (.get, 4): return .listTenants
    case (.get, 5): return .readTenant
    case (.patch, 5): return .changeTenant
    case (.delete, 5): return .deleteTenant
    default: throw Refusal.notFound
    }
  }

  /// Returns the tenant that an administrator's path names; `nil` for other paths.
  static func tenant(in route: Route) -> String? {
    guard route.path.count > 4, ["v1", "v2"].contains(route.path[0]), route.path[1] == "projects",
      route.path[3] == "tenants"
    else { return nil }
    return route.path[4].split(separator: ":").first.map(String.init) ?? ""
  }

  /// Returns the project that an administrator's path names; `nil` for other paths.
  static func project(in route: Route) -> String? {
    guard route.path.count > 2, ["v1", "v2"].contains(route.path[0]), route.path[1] == "projects" else {
      return nil
    }
    return route.path[2].split(separator: ":").first.map(String.init)
  }
}
