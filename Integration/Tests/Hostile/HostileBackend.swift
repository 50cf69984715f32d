import Foundation
import TenonFoundation
import TenonTestSupport
import TenonTransport
import TenonTransportInterop

/// The correct responses of Firebase's servers to the requests of ``HostileOperation``.
final class HostileBackend: Sendable {
  /// The responses since the last call of ``begin()``.
  private let sent = Lock<[Misbehavior.Response]>([])

  /// The size of the file that is uploaded.
  static let fileSize = 300_000
  /// The content of the object.
  static let content = Data((0..<3_000).map { UInt8(truncatingIfNeeded: $0 &* 31) })
  /// An ID token and App Check token: a JWT with a signature that no client verifies.
  static let token = jwt(#"{"sub": "ada", "exp": 4000000000, "firebase": {"sign_in_provider": "password"}}"#)

  /// Returns a JWT (RFC 7519) with some claims.
  static func jwt(_ claims: String, header: String = #"{"alg": "RS256", "typ": "JWT"}"#) -> String {
    let parts = [header, claims, "signature"].map { part in
      Data(part.utf8).base64EncodedString().replacing("=", with: "").replacing("+", with: "-")
        .replacing("/", with: "_")
    }
    return parts.joined(separator: ".")
  }

  /// Forgets the responses so far.
  func begin() { sent.withLock { $0 = [] } }

  /// The responses since the last call of ``begin()``.
  var responses: [Misbehavior.Response] { sent.withLock { $0 } }

  /// Returns the response to a request.
  func response(to request: LoopbackServer.Request) -> Misbehavior.Response {
    let response = Self.answer(request)
    sent.withLock { $0.append(response) }
    return response
  }

  private static func answer(_ request: LoopbackServer.Request) -> Misbehavior.Response {
    let target = request.target
    let json = HTTPHeader(name: "Content-Type", value: "application/json")
    func object(_ text: String) -> Misbehavior.Response { .init(200, [json], body: Data(text.utf8)) }
    let tokens = #""idToken": "\#(token)", "refreshToken": "again", "expiresIn": "3600", "localId": "ada""#
    let size = request.field("X-Goog-Upload-Command") == nil ? content.count : fileSize
    let metadata =
      #"{"name": "a/b.txt", "bucket": "bucket", "size": "\#(size)", "contentType": "text/plain", "generation": "7", "#
      + #""timeCreated": "2026-01-02T03:04:05.678Z", "updated": "2026-01-02T03:04:05.678Z", "downloadTokens": "one"}"#
    switch target {
    case _ where target.contains("accounts:signInWithPassword") || target.contains("accounts:signUp"):
      return object("{\(tokens)}")
    case _ where target.contains("accounts:lookup"):
      return object(
        #"{"users": [{"localId": "ada", "email": "ada@example.com", "displayName": "Ada", "createdAt": "1700000000000"}]}"#
      )
    case _ where target.contains("accounts:update"):
      return object(#"{"localId": "ada", "displayName": "Ada"}"#)
    case _ where target.contains("accounts:sendOobCode"): return object(#"{"email": "ada@example.com"}"#)
    case _ where target.contains("/v1/token"):
      return object(#"{"id_token": "\#(token)", "refresh_token": "again", "expires_in": "3600"}"#)
    case _ where target.contains(":exchangeDebugToken"):
      return object(#"{"token": "\#(token)", "ttl": "3600s"}"#)
    case _ where target.contains("cloudfunctions.net"):
      return object(#"{"result": {"sum": 6, "parts": [1, 2, 3], "text": "\u00e9"}}"#)
    case _ where target.contains("alt=media"):
      return .init(200, [HTTPHeader(name: "Content-Type", value: "text/plain")], body: content)
    case _ where target.contains("delimiter="):
      return object(
        #"{"prefixes": ["a/c/"], "items": [{"name": "a/b.txt", "bucket": "bucket"}, {"name": "a/d.txt"}]}"#)
    case _ where request.field("X-Goog-Upload-Command") == "start":
      let session = HTTPHeader(
        name: "X-Goog-Upload-URL", value: "https://firebasestorage.googleapis.com/upload/session")
      return .init(
        200, [json, session, HTTPHeader(name: "X-Goog-Upload-Status", value: "active")], body: Data("{}".utf8)
      )
    case _ where request.field("X-Goog-Upload-Command") == "query":
      return .init(
        200,
        [
          HTTPHeader(name: "X-Goog-Upload-Status", value: "active"),
          HTTPHeader(name: "X-Goog-Upload-Size-Received", value: "0"),
        ], body: Data("{}".utf8))
    default: return object(metadata)
    }
  }
}
