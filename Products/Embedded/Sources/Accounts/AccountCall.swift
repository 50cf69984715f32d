import Foundation
import TenonTransport
import TenonTransportInterop

/// A request to Identity Toolkit or Secure Token, read.
struct AccountCall: Sendable {
  /// What Identity Toolkit's version 1 calls it, for example `signUp`.
  let method: Method
  /// The body with the names in camel case, or the query of a `GET`. Null stands for absence.
  let body: [String: JSON]
  let query: [String: String]
  /// Whether the caller proved to be an administrator.
  let isPrivileged: Bool
  /// Where the backend is reached, for links to it; `nil` for production's own hosts.
  let origin: URL?

  /// The methods that are served.
  enum Method: String, Sendable {
    case signUp, signInWithPassword, signInWithEmailLink, lookup, update, delete, createAuthUri, sendOobCode
    case resetPassword, signInWithCustomToken, signInWithIdp, token, projects
    case batchGet, batchCreate, batchDelete, query, createSessionCookie
    case readConfiguration, changeConfiguration

    /// Whether only administrators may call it.
    var isAdministrative: Bool {
      switch self {
      case .batchGet, .batchCreate, .batchDelete, .query, .createSessionCookie: true
      case .readConfiguration, .changeConfiguration: true
      default: false
      }
    }

    /// Whether it is called as `accounts:NAME`.
    var isNamedInPath: Bool {
      switch self {
      case .token, .projects, .createSessionCookie, .readConfiguration, .changeConfiguration: false
      default: true
      }
    }
  }

  /// - Throws: ``Refusal`` for what can't be read, isn't served, or comes without key.
  init(_ request: HTTPRequest, route: Route, projectID: String) throws {
    method = try Self.method(of: request, route: route)
    origin = route.origin
    let hasKey = [route.query["key"], request.headers["X-Goog-Api-Key"]].contains {
      $0?.isEmpty == false
    }
    isPrivileged = try Self.isPrivileged(request)
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
    try checkMembers()
    guard text("tenantId")?.isEmpty ?? true else { throw Refusal.unimplemented("tenants") }
    if body["targetProjectId"] != nil, !isPrivileged {
      throw AccountService.refusal(
        "INSUFFICIENT_PERMISSION",
        "Only authenticated requests can specify target_project_id."
      )
    }
    for project in [Self.project(in: route), text("targetProjectId")].compactMap(\.self)
    where project != projectID {
      throw Refusal(404, "The backend keeps the project \(projectID), not \(project).", reason: "notFound")
    }
  }

  /// A member that is a string or can pass for one; `nil` when it is absent.
  func text(_ name: String) -> String? { body[name]?.text }

  /// A member that is a whole number, or text of one; `nil` when it is absent.
  ///
  /// - Throws: ``Refusal`` for everything else, and for numbers outside of `range`.
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

  /// The strings of an array, or one string.
  func texts(_ name: String) -> [String] {
    body[name]?.array?.compactMap(\.text) ?? text(name).map { [$0] } ?? []
  }
}

extension AccountCall {
  /// `Bearer owner`, and access tokens that begin like Google's, are an administrator's; other schemes than
  /// `Bearer` mean nothing here.
  private static func isPrivileged(_ request: HTTPRequest) throws -> Bool {
    guard let field = request.headers["Authorization"] else { return false }
    let parts = field.split(separator: " ", maxSplits: 1)
    guard parts.first?.lowercased() == "bearer" else { return false }
    let token = parts.count == 2 ? parts[1] : ""
    guard token.lowercased() == "owner" || token.hasPrefix("ya29.") else {
      throw Refusal(
        401,
        "Request had invalid authentication credentials.",
        reason: "authError",
        statusName: "UNAUTHENTICATED"
      )
    }
    return true
  }

  /// What a body says, as JSON or as the fields of a form.
  static func members(of request: HTTPRequest) throws -> [String: JSON] {
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

  /// An object whose members, and those of objects in it, have names in camel case, in which Google's services take
  /// them as well as in snake case.
  private static func camelCase(_ members: [String: JSON]) -> [String: JSON] {
    members.reduce(into: [:]) { result, member in
      let name = camelCase(member.key)
      // Of both forms, the one in camel case counts.
      if name == member.key || members[name] == nil { result[name] = camelCase(member.value) }
    }
  }

  private static func camelCase(_ value: JSON) -> JSON {
    switch value {
    case .object(let members): .object(camelCase(members))
    case .array(let values): .array(values.map(camelCase))
    default: value
    }
  }

  static func camelCase(_ name: String) -> String {
    let parts = name.split(separator: "_")
    guard parts.count > 1 else { return name }
    return parts[0] + parts.dropFirst().map { $0.prefix(1).uppercased() + $0.dropFirst() }.joined()
  }
}
