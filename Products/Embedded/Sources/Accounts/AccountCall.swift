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

  /// The methods that are served.
  enum Method: String, Sendable {
    case signUp, signInWithPassword, signInWithEmailLink, lookup, update, delete, createAuthUri, sendOobCode
    case resetPassword, signInWithCustomToken, signInWithIdp, token, projects
  }

  /// - Throws: ``Refusal`` for what can't be read, isn't served, or comes without key.
  init(_ request: HTTPRequest, route: Route) throws {
    method = try Self.method(of: request, route: route)
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
    if route.path.starts(with: ["v1", "projects"]), route.path.count > 2, !isPrivileged {
      throw Refusal(
        401,
        "Request is missing required authentication credential.",
        reason: "required",
        statusName: "UNAUTHENTICATED"
      )
    }
    body = try Self.body(of: request)
  }

  /// A member that is a string or can pass for one; `nil` when it is absent.
  func text(_ name: String) -> String? { body[name]?.text }

  /// The strings of an array, or one string.
  func texts(_ name: String) -> [String] {
    body[name]?.array?.compactMap(\.text) ?? text(name).map { [$0] } ?? []
  }
}

extension AccountCall {
  /// What the older API of version 3 called the methods.
  private static let olderNames: [String: Method] = [
    "signupNewUser": .signUp, "verifyPassword": .signInWithPassword, "getAccountInfo": .lookup,
    "setAccountInfo": .update, "deleteAccount": .delete, "getProjectConfig": .projects,
    "createAuthUri": .createAuthUri, "emailLinkSignin": .signInWithEmailLink,
    "getOobConfirmationCode": .sendOobCode, "resetPassword": .resetPassword,
    "verifyAssertion": .signInWithIdp, "verifyCustomToken": .signInWithCustomToken,
  ]

  private static let unservedNames: Set<String> = [
    "sendVerificationCode", "signInWithPhoneNumber",
    "signInWithGameCenter", "verifyPhoneNumber",
    "batchGet", "batchCreate", "batchDelete", "query",
  ]

  private static func method(of request: HTTPRequest, route: Route) throws -> Method {
    var path = route.path
    let isForm = path.count > 2 && path.starts(with: ["v1", "projects"])
    if isForm { path.removeSubrange(1...2) }
    guard path.count > 1 else { throw Refusal.notFound }
    if route.service == .tokens {
      guard path == ["v1", "token"], request.method == .post else { throw Refusal.notFound }
      return .token
    }
    if path == ["v1", "projects"], request.method == .get { return .projects }
    if isForm, path == ["v1", "accounts"], request.method == .post { return .signUp }
    let name: String
    let method: Method?
    switch path[0] {
    case "v1" where path.count == 2 && path[1].hasPrefix("accounts:"):
      name = String(path[1].dropFirst("accounts:".count))
      method = Method(rawValue: name)
    case "v3" where path.count == 3:
      name = path[2]
      method = olderNames[name]
    default:
      throw Refusal.notFound
    }
    if unservedNames.contains(name) { throw Refusal.unimplemented("accounts:\(name)") }
    guard let method, method != .token, method != .projects || request.method == .get,
      method == .projects || request.method == .post
    else { throw Refusal.notFound }
    return method
  }

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
    guard request.method == .post, case .data(let content) = request.body, !content.isEmpty else {
      return [:]
    }
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
