import TenonFoundation
import TenonTransport
import TenonTransportInterop

/// A parsed request to Identity Toolkit or Secure Token.
struct AccountCall: Sendable {
  /// The method, whichever version of the API the request uses.
  let method: Method
  /// The members of the body with names in camel case, or the query of a `GET`. Members that are null are
  /// left out.
  let body: [String: JSON]
  /// The query of the URL.
  let query: [String: String]
  /// Whether the request carries an administrator's credentials.
  let isPrivileged: Bool
  /// The project that the path or the body names; `nil` for that of the backend.
  let projectID: String?
  /// The tenant that the path names; `nil` for none.
  let pathTenantID: String?
  /// What the path says about configurations of providers; `nil` for other paths.
  let provider: ProviderPath?
  /// The tenant whose users the request is for: that of the path, of the body, or of the user whose token the
  /// request has; `nil` for those of the project itself.
  let tenantID: String?
  /// Whether the path or the body names the tenant, rather than only a token.
  let namesTenant: Bool
  /// The language of the client; `nil` if it names none.
  let locale: String?
  /// The origin at which the backend is reached, for links to it; `nil` for production's own hosts.
  let origin: URL?

  /// A supported method. The raw value is its name in version 1 of Identity Toolkit, for example `signUp`.
  enum Method: String, Sendable {
    case signUp, signInWithPassword, signInWithEmailLink, lookup, update, delete, createAuthUri, sendOobCode
    case resetPassword, signInWithCustomToken, signInWithIdp, token, projects
    case sendVerificationCode, signInWithPhoneNumber, recaptchaParams, passwordPolicy
    case startEnrollment = "mfaEnrollment:start"
    case finalizeEnrollment = "mfaEnrollment:finalize"
    case withdrawEnrollment = "mfaEnrollment:withdraw"
    case startSecondFactor = "mfaSignIn:start"
    case finalizeSecondFactor = "mfaSignIn:finalize"
    case startPasskeyEnrollment = "passkeyEnrollment:start"
    case finalizePasskeyEnrollment = "passkeyEnrollment:finalize"
    case startPasskeySignIn = "passkeySignIn:start"
    case finalizePasskeySignIn = "passkeySignIn:finalize"
    case batchGet, batchCreate, batchDelete, query, createSessionCookie
    case readConfiguration, changeConfiguration
    case createTenant, listTenants, readTenant, changeTenant, deleteTenant
    case createProvider, listProviders, readProvider, changeProvider, deleteProvider

    /// Whether only administrators may call the method.
    var isAdministrative: Bool {
      switch self {
      case .batchGet, .batchCreate, .batchDelete, .query, .createSessionCookie: true
      case .readConfiguration, .changeConfiguration: true
      default: isAboutTenants || isAboutProviders
      }
    }

    /// Whether the method manages configurations of identity providers.
    var isAboutProviders: Bool {
      switch self {
      case .createProvider, .listProviders, .readProvider, .changeProvider, .deleteProvider: true
      default: false
      }
    }

    /// Whether the method manages tenants.
    var isAboutTenants: Bool {
      switch self {
      case .createTenant, .listTenants, .readTenant, .changeTenant, .deleteTenant: true
      default: false
      }
    }

    /// Whether the path calls the method as `accounts:NAME`.
    var isNamedInPath: Bool {
      switch self {
      case .token, .projects, .recaptchaParams, .passwordPolicy, .createSessionCookie, .readConfiguration,
        .changeConfiguration:
        false
      default: !isNamedAlone && !isAboutTenants && !isAboutProviders
      }
    }

    /// Whether the method is called with `GET`, also by its older name.
    var isRead: Bool { self == .projects || self == .recaptchaParams }

    /// Whether the method is one of version 2, about second factors and passkeys, which the path calls as
    /// `accounts/NAME`.
    var isNamedAlone: Bool { rawValue.contains(":") }
  }

  /// Parses and checks a request.
  ///
  /// - Parameters:
  ///   - request: the request.
  ///   - route: the request's service and path.
  ///   - caller: the caller.
  /// - Throws: ``Refusal`` if the request can't be parsed, isn't supported, names two projects, or has neither an
  ///   API key nor an administrator's credentials; with `TENANT_ID_MISMATCH` if it is for two tenants.
  init(_ request: TransportRequest, route: Route, by caller: Caller) throws {
    method = try Self.method(of: request, route: route)
    origin = route.origin
    locale = request.headers["X-Firebase-Locale"]
    let hasKey = [route.query["key"], request.headers["X-Goog-Api-Key"]].contains {
      $0?.isEmpty == false
    }
    isPrivileged = caller.isAdministrator
    guard hasKey || isPrivileged else {
      throw Refusal(
        403,
        "The request is missing a valid API key.",
        reason: "forbidden",
        statusName: "PERMISSION_DENIED"
      )
    }
    let isProjectsForm = route.path.starts(with: ["v1", "projects"]) && route.path.count > 2
    if isProjectsForm || method.isAdministrative, !isPrivileged {
      throw Refusal(
        401,
        "Request is missing required authentication credential.",
        reason: "required",
        statusName: "UNAUTHENTICATED"
      )
    }
    query = route.query
    body =
      switch request.method {
      case .get: route.query.mapValues(JSON.string)
      case .post, .patch: try Self.members(of: request)
      default: [:]
      }
    provider = ProviderPath(route.path)
    pathTenantID = Self.tenant(in: route)
    guard pathTenantID != "" else { throw Refusal.notFound }
    let named = try Self.agreed(pathTenantID, body["tenantId"]?.text)
    namesTenant = named != nil
    // As for the Auth emulator, a token also says which tenant the request is for.
    tenantID = try Self.agreed(
      Self.agreed(named, (body["idToken"]?.text).flatMap { IDToken($0)?.tenantID }),
      (method == .token ? body["refreshToken"]?.text : nil).flatMap(AccountSession.tenant(ofRefreshToken:)))
    let project = Self.project(in: route)
    let target = body["targetProjectId"]?.text
    projectID = project ?? target
    try checkMembers()
    if body["targetProjectId"] != nil, !isPrivileged {
      throw AccountService.refusal(
        "INSUFFICIENT_PERMISSION",
        "Only authenticated requests can specify target_project_id."
      )
    }
    if let project, let target, project != target { throw Refusal.otherProject(target, served: project) }
  }

  /// Returns the tenant of which two parts of a request tell; `nil` or empty texts tell of none.
  ///
  /// - Throws: ``Refusal`` with `TENANT_ID_MISMATCH` if they tell of different ones.
  private static func agreed(_ first: String?, _ second: String?) throws -> String? {
    let tenants = [first, second].compactMap(\.self).filter { !$0.isEmpty }
    guard tenants.allSatisfy({ $0 == tenants.first }) else {
      throw AccountService.refusal("TENANT_ID_MISMATCH")
    }
    return tenants.first
  }

  /// Returns a member that is a string or a number, as text; `nil` if it is absent.
  ///
  /// - Parameter name: the name in camel case.
  func text(_ name: String) -> String? { body[name]?.text }

  /// Returns a member that is a whole number, or text of one; `nil` if it is absent.
  ///
  /// - Throws: ``Refusal`` for any other value, and for a number outside of `range`.
  func integer(_ name: String, in range: ClosedRange<Int64>) throws -> Int64? {
    guard let value = body[name] else { return nil }
    guard let number = value.integer, range.contains(number) else {
      throw Refusal(
        400,
        "Invalid value at '\(name)' (TYPE_INT64): it must be a whole number from \(range.lowerBound) to "
          + "\(range.upperBound).",
        statusName: "INVALID_ARGUMENT"
      )
    }
    return number
  }

  /// Returns the strings of an array, or a single string as an array.
  ///
  /// - Parameter name: the name in camel case.
  /// - Returns: no strings if the member is absent. Elements of other types are ignored.
  func texts(_ name: String) -> [String] {
    body[name]?.array?.compactMap(\.text) ?? text(name).map { [$0] } ?? []
  }
}

extension AccountCall {
  /// Returns the members of a request's body, which is JSON or a form, with names in camel case.
  ///
  /// - Throws: ``Refusal`` if the body isn't a JSON object.
  ///
  /// - Parameter request: the request. A body without a `Content-Type` is JSON.
  static func members(of request: TransportRequest) throws -> [String: JSON] {
    guard case .data(let content) = request.body, !content.isEmpty else { return [:] }
    let type = MediaType(request.headers["Content-Type"] ?? "application/json")
    if type.essence == "application/x-www-form-urlencoded" {
      return FormFields(String(decoding: content, as: UTF8.self)).values.reduce(into: [:]) {
        $0[camelCase($1.key)] = .string($1.value)
      }
    }
    guard let members = try? JSON(parsing: content).object else {
      throw Refusal(
        400,
        "Invalid JSON payload received. The body is not a JSON object.",
        reason: "parseError",
        statusName: "INVALID_ARGUMENT"
      )
    }
    return camelCase(members).filter { $0.value != .null }
  }

  /// Returns an object in which all names, also those of nested objects, are in camel case. Google's services
  /// accept both camel case and snake case.
  private static func camelCase(_ members: [String: JSON]) -> [String: JSON] {
    members.reduce(into: [:]) { result, member in
      let name = camelCase(member.key)
      // If both forms of a name are present, the one in camel case takes precedence.
      if name == member.key || members[name] == nil { result[name] = camelCase(member.value) }
    }
  }

  /// Returns a value in which all names are in camel case.
  private static func camelCase(_ value: JSON) -> JSON {
    switch value {
    case .object(let members): .object(camelCase(members))
    case .array(let values): .array(values.map(camelCase))
    default: value
    }
  }

  /// Converts a name from snake case to camel case, for example `id_token` to `idToken`.
  static func camelCase(_ name: String) -> String {
    let parts = name.split(separator: "_")
    guard parts.count > 1 else { return name }
    return parts[0] + parts.dropFirst().map { $0.prefix(1).uppercased() + $0.dropFirst() }.joined()
  }
}
