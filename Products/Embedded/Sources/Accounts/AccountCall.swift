import Foundation
import TenonTransport
import TenonTransportInterop

/// A request to Identity Toolkit or Secure Token, read.
struct AccountCall: Sendable {
  /// What Identity Toolkit's version 1 calls it, for example `signUp`.
  let method: Method
  /// The body with the names in camel case. Null stands for absence.
  let body: [String: JSON]
  /// Whether the caller proved to be an administrator.
  let isPrivileged: Bool
  /// Where the backend is reached, for links to it; `nil` for production's own hosts.
  let origin: URL?

  /// The methods that are served.
  enum Method: String, Sendable {
    case signUp, signInWithPassword, signInWithEmailLink, lookup, update, delete, createAuthUri, sendOobCode
    case resetPassword, signInWithCustomToken, signInWithIdp, token, projects
    case batchGet, batchCreate, batchDelete, query, createSessionCookie

    /// Whether only administrators may call it.
    var isAdministrative: Bool {
      [.batchGet, .batchCreate, .batchDelete, .query, .createSessionCookie].contains(self)
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
    body = request.method == .get ? route.query.mapValues(JSON.string) : try Self.body(of: request)
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

  private static func body(of request: HTTPRequest) throws -> [String: JSON] {
    request.method == .post ? try members(of: request) : [:]
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
    return members.reduce(into: [:]) { result, member in
      if member.value != .null { result[camelCase(member.key)] = member.value }
    }
  }

  private static func camelCase(_ name: String) -> String {
    let parts = name.split(separator: "_")
    guard parts.count > 1 else { return name }
    return parts[0] + parts.dropFirst().map { $0.prefix(1).uppercased() + $0.dropFirst() }.joined()
  }
}
