import Foundation
import TenonTransport
import TenonTransportInterop

/// Objects in buckets, over version 0 of `firebasestorage`. Any bucket exists.
struct ObjectService: Sendable {
  /// How much content is held in memory at a time, and kept in one row.
  static let pieceSize = 1 << 20

  let projectID: String
  let database: EmbeddedDatabase
  let appCheck: AppCheckService
  let settings: @Sendable () -> EmbeddedSettings
  let now: @Sendable () -> Timestamp

  func answer(_ request: HTTPRequest, route: Route) async throws -> HTTPStreamingResponse {
    // v0/b/{bucket}/o[/{object}]
    let path = route.path
    guard path.count == 4 || path.count == 5, path[0...1] == ["v0", "b"], path[3] == "o" else {
      throw Refusal.notFound
    }
    try ObjectName.check(bucket: path[2])
    let call = ObjectCall(
      request: request,
      query: route.query,
      bucket: path[2],
      name: path.count == 5 ? path[4] : nil
    )
    switch (call.method, call.name) {
    case (.get, let name?):
      guard call.query["alt"] == "media" else { return try await metadata(name, call) }
      return try await download(name, call)
    case (.get, nil): return try await list(call)
    case (.patch, let name?): return try await patch(name, call)
    case (.delete, let name?): return try await delete(name, call)
    case (.post, let name?) where call.query["create_token"] != nil || call.query["delete_token"] != nil:
      return try await changeTokens(name, call)
    case (.post, _): return try await upload(call)
    default: throw Refusal.notFound
    }
  }
}

/// A request for objects, read.
struct ObjectCall: Sendable {
  let request: HTTPRequest
  let query: [String: String]
  let bucket: String
  /// The object's name from the path; `nil` for the bucket as a whole.
  let name: String?

  /// The method, or the one that a proxy-friendly client meant.
  var method: HTTPMethod {
    let override = request.headers["X-HTTP-Method-Override"]?.uppercased()
    return override == "PATCH" && [.put, .post].contains(request.method) ? .patch : request.method
  }

  /// The credentials, whichever scheme they came with: `Firebase` as the official clients, or `Bearer`.
  var token: Substring? {
    guard let field = request.headers["Authorization"] else { return nil }
    let parts = field.split(separator: " ", maxSplits: 1)
    guard parts.count == 2, ["firebase", "bearer"].contains(parts[0].lowercased()) else { return nil }
    return parts[1]
  }

  var isPrivileged: Bool { token?.lowercased() == "owner" }

  /// The body as a JSON object; empty when there is none.
  func members() async throws -> [String: JSON] {
    let content = try await content(upTo: Self.longestJSON)
    guard !content.isEmpty else { return [:] }
    guard let members = try? JSON(parsing: content).object else {
      throw Refusal.badObjectRequest("The request body is not a JSON object")
    }
    return members
  }

  /// The longest body that is JSON, in bytes.
  private static let longestJSON = 1 << 20
  /// The longest body in parts, in bytes: it is in memory as a whole.
  static let longestMultipart = 256 << 20

  /// The whole body.
  ///
  /// - Throws: ``Refusal`` with status 413 if it is longer than `limit` bytes.
  func content(upTo limit: Int) async throws -> Data {
    let tooLarge = Refusal(413, "The request is too large.", reason: "uploadTooLarge")
    if case .data(let data) = request.body {
      guard data.count <= limit else { throw tooLarge }
      return data
    }
    let reader = BodyReader(request.body)
    var content = Data()
    while let piece = try await reader.next(upTo: ObjectService.pieceSize) {
      content += piece
      guard content.count <= limit else { throw tooLarge }
    }
    return content
  }
}

extension ObjectService {
  /// Lets a call pass, or refuses it when the settings ask for users or genuine apps and none is there.
  func authorize(_ call: ObjectCall, _ permission: String) throws {
    try appCheck.check(call.request, at: .storage)
    guard settings().objectsRequireSignIn, !call.isPrivileged else { return }
    guard let token = call.token.flatMap({ IDToken($0) }), token.claims["aud"]?.string == projectID,
      token.expires > now().seconds
    else { throw Refusal.denied(permission) }
  }

  static func answer(_ status: Int, json: JSON, headers: HTTPHeaders = HTTPHeaders()) throws
    -> HTTPStreamingResponse
  {
    HTTPStreamingResponse(try HTTPResponse(status: status, json: json, headers: headers))
  }
}

extension HTTPStreamingResponse {
  /// An answer that is complete already.
  init(_ response: HTTPResponse) {
    var headers = response.headers
    if response.status != 204 { headers["Content-Length"] = String(response.body.count) }
    self.init(
      status: response.status,
      headers: headers,
      body: AsyncThrowingStream { continuation in
        if !response.body.isEmpty { continuation.yield(response.body) }
        continuation.finish()
      }
    )
  }
}
