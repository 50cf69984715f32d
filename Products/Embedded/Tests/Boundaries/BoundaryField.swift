import Foundation
import TenonFoundation
import TenonTransport
import TenonTransportInterop
import Testing

@testable import TenonEmbedded

/// A field of a request that is a number, a date, a range or a text of any length, and how to send a value in
/// it.
struct BoundaryField: Sendable, CustomTestStringConvertible {
  enum Kind: Sendable {
    /// A number in JSON, as a number or as text.
    case number
    /// A number in a query, a header field or a path.
    case text
    case range
    case length
  }

  let name: String
  let kind: Kind
  /// Sends the request with a value: JSON for ``Kind/number``, plain text for the other kinds.
  let request: @Sendable (Backend, String) async throws -> TransportResponse

  var testDescription: String { name }

  init(
    _ name: String, _ kind: Kind,
    _ request: @escaping @Sendable (Backend, String) async throws -> TransportResponse
  ) {
    self.name = name
    self.kind = kind
    self.request = request
  }

  /// The values to send.
  var values: [String] {
    switch kind {
    case .number: Boundary.numbers + (Boundary.numbers + Boundary.texts).map(Self.quoted)
    case .text: Boundary.numbers + Boundary.texts
    case .range: Boundary.ranges
    case .length: Boundary.lengths.map { String(repeating: "x", count: $0) }
    }
  }

  static func quoted(_ text: String) -> String {
    (try? String(decoding: JSON.string(text).serialized, as: UTF8.self)) ?? "\"\""
  }

  static func encoded(_ text: String) -> String {
    text.addingPercentEncoding(withAllowedCharacters: .alphanumerics) ?? ""
  }
}

// MARK: - The table

extension BoundaryField {
  static let all = accounts + tokens + objects + functions

  private static let toolkit = "https://identitytoolkit.googleapis.com/v1"
  private static let objectsURL = "https://firebasestorage.googleapis.com/v0/b/demo/o"
  private static let owner = ["Authorization": "Bearer owner", "Content-Type": "application/json"]

  /// A member of the body of a method; `%` is replaced by the value.
  private static func member(_ method: String, _ kind: Kind, _ body: String) -> BoundaryField {
    BoundaryField("\(method) \(body)", kind) { backend, value in
      let value = kind == .number ? value : quoted(value)
      return try await backend.send(
        .post, "\(toolkit)/projects/demo/\(method)?key=a", body: Data(body.replacing("%", with: value).utf8),
        headers: owner)
    }
  }

  private static let accounts: [BoundaryField] =
    [
      member("accounts:query", .number, #"{"offset":%}"#), member("accounts:query", .number, #"{"limit":%}"#),
      member("accounts:query", .number, #"{"offset":%,"limit":%}"#),
      member("accounts:update", .number, #"{"localId":"u","validSince":%}"#),
      member("accounts:update", .number, #"{"localId":"u","createdAt":%}"#),
      member("accounts:update", .number, #"{"localId":"u","lastLoginAt":%}"#),
      member("accounts:update", .number, #"{"localId":"u","displayName":%}"#),
      member("accounts:update", .length, #"{"localId":"u","displayName":%}"#),
      member("accounts:update", .length, #"{"localId":"u","customAttributes":%}"#),
      member("accounts:update", .length, #"{"localId":"u","email":%}"#),
      member("accounts:update", .text, #"{"localId":"u","password":%}"#),
      member(
        "accounts:batchCreate", .number, #"{"users":[{"localId":"i","createdAt":%}],"allowOverwrite":true}"#),
      member(
        "accounts:batchCreate", .number, #"{"users":[{"localId":"i","lastLoginAt":%}],"allowOverwrite":true}"#
      ),
      member(
        "accounts:batchCreate", .number, #"{"users":[{"localId":"i","validSince":%}],"allowOverwrite":true}"#),
      member("accounts:batchCreate", .length, #"{"users":[{"localId":%}],"allowOverwrite":true}"#),
      member(
        "accounts:batchCreate", .number,
        #"{"hashAlgorithm":"SHA256","rounds":%,"users":[{"localId":"i","passwordHash":"waJVbC9xgQ094+Y4zlyFE7EwMmbt2CU2MIf8Z6fTo20="}]}"#
      ),
      member(
        "accounts:batchCreate", .number,
        #"{"hashAlgorithm":"STANDARD_SCRYPT","cpuMemCost":%,"blockSize":%,"parallelization":%,"dkLen":%,"users":[{"localId":"i","passwordHash":"NjV8v6GbMPvDIOQueJWAOQ=="}]}"#
      ),
      member("accounts:sendOobCode", .number, #"{"requestType":%,"email":"a@b"}"#),
      member(":createSessionCookie", .number, #"{"idToken":"x","validDuration":%}"#),
      member("accounts:lookup", .length, #"{"localId":[%]}"#), member("accounts", .length, #"{"localId":%}"#),
    ]
    + ["maxResults", "nextPageToken"].map { name in
      BoundaryField("batchGet \(name)", .text) { backend, value in
        try await backend.send(
          .get, "\(toolkit)/projects/demo/accounts:batchGet?\(name)=\(encoded(value))", headers: owner)
      }
    }

  /// Returns an unsigned token with a number as one of its claims.
  private static func token(_ claim: String, _ value: String) -> String {
    let claims = [
      "iss": "\"https://securetoken.google.com/demo\"", "sub": "\"u\"", "aud": "\"demo\"",
      "iat": "1700000000", "exp": "1800000000", "auth_time": "1700000000",
    ].merging([claim: value]) { $1 }
    let payload = "{\(claims.map { "\"\($0.key)\":\($0.value)" }.joined(separator: ","))}"
    let header = Base64URL.encode(Data(#"{"alg":"none","typ":"JWT"}"#.utf8))
    return "\(header).\(Base64URL.encode(Data(payload.utf8)))."
  }

  private static let tokens: [BoundaryField] = ["iat", "exp", "auth_time", "sub", "aud"].flatMap { claim in
    [
      BoundaryField("lookup idToken.\(claim)", .number) { backend, value in
        let body = Data("{\"idToken\":\"\(token(claim, value))\"}".utf8)
        return try await backend.send(.post, "\(toolkit)/accounts:lookup?key=a", body: body)
      },
      BoundaryField("object idToken.\(claim)", .number) { backend, value in
        backend.embedded.settings.objectsRequireSignIn = true
        defer { backend.embedded.settings.objectsRequireSignIn = false }
        let headers = ["Authorization": "Firebase \(token(claim, value))"]
        return try await backend.send(.get, "\(objectsURL)/a", headers: headers)
      },
      BoundaryField("function idToken.\(claim)", .number) { backend, value in
        let headers = [
          "Authorization": "Bearer \(token(claim, value))", "X-Firebase-AppCheck": token(claim, value),
          "Content-Type": "application/json",
        ]
        let url = "https://us-central1-demo.cloudfunctions.net/echo"
        return try await backend.send(.post, url, body: Data(#"{"data":1}"#.utf8), headers: headers)
      },
      BoundaryField("exchangeCustomToken custom_token.\(claim)", .number) { backend, value in
        let url =
          "https://firebaseappcheck.googleapis.com/v1/projects/demo/apps/1:2:web:3:exchangeCustomToken?key=a"
        let body = Data("{\"custom_token\":\"\(token(claim, value))\"}".utf8)
        return try await backend.send(.post, url, body: body)
      },
      BoundaryField("signInWithCustomToken token.\(claim)", .number) { backend, value in
        let body = Data("{\"token\":\"\(token(claim, value))\"}".utf8)
        return try await backend.send(.post, "\(toolkit)/accounts:signInWithCustomToken?key=a", body: body)
      },
    ]
  }

  private static let objects: [BoundaryField] =
    [
      BoundaryField("download Range", .range) { backend, value in
        try await backend.send(.get, "\(objectsURL)/a?alt=media", headers: ["Range": value])
      },
      BoundaryField("download of nothing Range", .range) { backend, value in
        try await backend.send(.get, "\(objectsURL)/empty?alt=media", headers: ["Range": value])
      },
      BoundaryField("upload X-Goog-Upload-Offset", .text) { backend, value in
        let id = try await startUpload(backend)
        let headers = ["X-Goog-Upload-Command": "upload, finalize", "X-Goog-Upload-Offset": value]
        return try await backend.send(
          .post, "\(objectsURL)?name=r&upload_id=\(id)", body: Data("abc".utf8), headers: headers)
      },
      BoundaryField("start X-Goog-Upload-Header-Content-Length", .text) { backend, value in
        let headers = [
          "X-Goog-Upload-Protocol": "resumable", "X-Goog-Upload-Command": "start",
          "X-Goog-Upload-Header-Content-Length": value,
        ]
        return try await backend.send(.post, "\(objectsURL)?name=s", body: Data("{}".utf8), headers: headers)
      },
      BoundaryField("start size", .number) { backend, value in
        let headers = ["X-Goog-Upload-Protocol": "resumable", "X-Goog-Upload-Command": "start"]
        let body = Data("{\"size\":\(value),\"generation\":\(value),\"timeCreated\":\(value)}".utf8)
        return try await backend.send(.post, "\(objectsURL)?name=s", body: body, headers: headers)
      },
      BoundaryField("upload name", .length) { backend, value in
        try await backend.send(.post, "\(objectsURL)?name=\(value)", body: Data())
      },
      BoundaryField("bucket", .length) { backend, value in
        try await backend.send(.get, "https://firebasestorage.googleapis.com/v0/b/\(value)/o")
      },
      BoundaryField("multipart boundary", .length) { backend, value in
        let headers = [
          "X-Goog-Upload-Protocol": "multipart", "Content-Type": "multipart/related; boundary=\(value)",
        ]
        let body = Data("--\(value)\r\n\r\n{}\r\n--\(value)\r\n\r\nx\r\n--\(value)--".utf8)
        return try await backend.send(.post, "\(objectsURL)?name=m", body: body, headers: headers)
      },
      BoundaryField("upload Content-Type", .length) { backend, value in
        try await backend.send(.post, "\(objectsURL)?name=t", body: Data(), headers: ["Content-Type": value])
      },
    ]
    + ["contentType", "cacheControl", "metadata"].flatMap { name in
      [Kind.number, .length].map { kind in
        BoundaryField("patch \(name)", kind) { backend, value in
          let value = kind == .number ? value : quoted(value)
          let body = name == "metadata" ? "{\"metadata\":{\"k\":\(value)}}" : "{\"\(name)\":\(value)}"
          return try await backend.send(.patch, "\(objectsURL)/a", body: Data(body.utf8))
        }
      }
    }
    + ["maxResults", "pageToken", "prefix", "delimiter"].flatMap { name in
      [Kind.text, .length].map { kind in
        BoundaryField("list \(name)", kind) { backend, value in
          try await backend.send(.get, "\(objectsURL)?\(name)=\(encoded(value))")
        }
      }
    }

  private static let functions: [BoundaryField] =
    ["Int64Value", "UInt64Value"].map { type in
      BoundaryField("function \(type)", .number) { backend, value in
        let body = #"{"data":{"@type":"type.googleapis.com/google.protobuf.\#(type)","value":\#(value)}}"#
        return try await call(backend, body)
      }
    } + [
      BoundaryField("function data", .number) { backend, value in
        try await call(backend, "{\"data\":\(value)}")
      }
    ]

  private static func call(_ backend: Backend, _ body: String) async throws -> TransportResponse {
    try await backend.send(
      .post, "https://us-central1-demo.cloudfunctions.net/echo", body: Data(body.utf8),
      headers: ["Content-Type": "application/json"])
  }

  private static func startUpload(_ backend: Backend) async throws -> String {
    let headers = ["X-Goog-Upload-Protocol": "resumable", "X-Goog-Upload-Command": "start"]
    return try await backend.send(.post, "\(objectsURL)?name=r", body: Data("{}".utf8), headers: headers)
      .headers["X-GUploader-UploadID"] ?? ""
  }
}
