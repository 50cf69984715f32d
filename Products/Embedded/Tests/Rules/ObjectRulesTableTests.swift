import Foundation
import TenonFoundation
import TenonRules
import TenonTestSupport
import TenonTransport
import TenonTransportInterop
import Testing

@testable import TenonEmbedded

/// The verdicts of ``ObjectCase`` through the server.
@Suite(.limited) struct ObjectRulesTableTests {
  private let backend = Backend()
  private static let origin = "http://127.0.0.1:9199/v0/b/demo.appspot.com/o"

  private static func path(_ name: String) -> String {
    "\(origin)/\(name.addingPercentEncoding(withAllowedCharacters: .alphanumerics) ?? "")"
  }

  /// Sends a request, and returns its status.
  private func send(_ request: ObjectCase.Request, as user: String?) async throws -> Int {
    var headers: [String: String] = [:]
    if let user {
      headers["Authorization"] =
        user == "owner"
        ? "Bearer owner"
        : "Firebase \(try Credentials(now: backend.clock.now).idToken(["sub": .string(user), "user_id": .string(user), "role": "editor"]))"
    }
    switch request {
    case .get(let name): return try await backend.send(.get, Self.path(name), headers: headers).status
    case .list(let prefix):
      return try await backend.send(.get, "\(Self.origin)?prefix=\(prefix)", headers: headers).status
    case .upload(let name, let content, let type):
      headers["Content-Type"] = type
      let name = Self.path(name).dropFirst(Self.origin.count + 1)
      return try await backend.send(
        .post, "\(Self.origin)?name=\(name)&uploadType=media", body: Data(content.utf8), headers: headers
      ).status
    case .patch(let name, let changes):
      headers["Content-Type"] = "application/json"
      return try await backend.send(.patch, Self.path(name), body: changes.serialized, headers: headers)
        .status
    case .delete(let name): return try await backend.send(.delete, Self.path(name), headers: headers).status
    }
  }

  private func prepare() async throws {
    for name in ["images/ann.png", "images/deep/er/x.png"] {
      #expect(try await send(.upload(name, "small", type: "image/png"), as: "owner") == 200)
    }
    // Through the other API, which doesn't count the change of the metadata.
    let resource: JSON = [
      "name": "images/ann.png", "contentType": "image/png", "cacheControl": "no-cache",
      "contentLanguage": "de", "metadata": ["owner": "ann"],
    ]
    let metadata = String(decoding: try resource.serialized, as: UTF8.self)
    let body = """
      --b\r\nContent-Type: application/json\r\n\r\n\(metadata)\r
      --b\r\nContent-Type: image/png\r\n\r\nsmall\r\n--b--
      """
    let answer = try await backend.send(
      .post,
      "http://127.0.0.1:9199/upload/storage/v1/b/demo.appspot.com/o?uploadType=multipart&name=images%2Fann.png",
      body: Data(body.utf8),
      headers: ["Content-Type": "multipart/related; boundary=b", "Authorization": "Bearer owner"])
    #expect(answer.status == 200, "\(String(decoding: answer.body, as: UTF8.self))")
    let documents = backend.embedded.documents()
    try await documents.set("roles/ann", ["role": "editor", "team": "t1", "quota": 10])
    try await documents.set("teams/t1", ["members": ["ann"]])
    try await documents.set("images/ann", ["n": 1])
    try await backend.embedded.documents(database: "other").set("roles/ann", ["role": "editor"])
  }

  @Test(arguments: ObjectCase.all)
  func aRequestForAnObjectHasItsVerdict(_ request: ObjectCase) async throws {
    try await prepare()
    backend.embedded.objectSecurityRules = try SecurityRules(
      source: """
        rules_version = '2';
        service firebase.storage { match /b/{bucket}/o { \(request.rules) } }
        """)
    let status = try await send(request.request, as: request.user)
    #expect(([200, 204].contains(status)) == request.isAllowed, "\(status)")
    if !request.isAllowed { #expect(status == 403) }
  }

  /// Version 1 is older than lists, and a wildcard of the rest doesn't match nothing.
  @Test(arguments: [(1, 403), (2, 200)]) func listsNeedVersionTwo(version: Int, expected: Int) async throws {
    backend.embedded.objectSecurityRules = try SecurityRules(
      source: """
        rules_version = '\(version)';
        service firebase.storage { match /b/{bucket}/o { match /{all=**} { allow read; } } }
        """)
    #expect(try await send(.list("images/"), as: nil) == expected)
  }

  /// A slash separates folders, also if a combining mark follows it.
  @Test func aCombiningMarkHidesNoFolder() async throws {
    let name = "images/\u{301}secret"
    #expect(try await send(.upload(name, "x", type: "text/plain"), as: "owner") == 200)
    backend.embedded.objectSecurityRules = try SecurityRules(
      source: """
        rules_version = '2';
        service firebase.storage { match /b/{bucket}/o { match /{name} { allow read; } } }
        """)
    #expect(try await send(.get(name), as: nil) == 403)
  }

  /// The rules read the documents that are there when the request is made.
  @Test func aChangeOfADocumentChangesTheVerdict() async throws {
    try await prepare()
    backend.embedded.objectSecurityRules = try SecurityRules(
      source: """
        rules_version = '2';
        service firebase.storage {
          match /b/{bucket}/o/images/{name} {
            allow get: if firestore.get(/databases/(default)/documents/roles/$(request.auth.uid)).data.role == 'editor';
          }
        }
        """)
    #expect(try await send(.get("images/ann.png"), as: "ann") == 200)
    try await backend.embedded.documents().set("roles/ann", ["role": "viewer"])
    #expect(try await send(.get("images/ann.png"), as: "ann") == 403)
    try await backend.embedded.documents().delete("roles/ann")
    #expect(try await send(.get("images/ann.png"), as: "ann") == 403)
  }

  /// What is decided when an upload is complete may need other documents than its beginning.
  @Test(arguments: [("small", 200), ("far too large", 403)])
  func aResumableUploadIsDecidedWithDocuments(content: String, expected: Int) async throws {
    try await prepare()
    backend.embedded.objectSecurityRules = try SecurityRules(
      source: """
        rules_version = '2';
        service firebase.storage {
          match /b/{bucket}/o/images/{name} {
            allow create: if request.resource.size < firestore.get(/databases/(default)/documents/roles/ann).data.quota;
          }
        }
        """)
    let start = try await backend.send(
      .post, "\(Self.origin)?name=images%2Fr", body: Data("{}".utf8),
      headers: ["X-Goog-Upload-Protocol": "resumable", "X-Goog-Upload-Command": "start"])
    #expect(start.status == 200)
    let end = try await backend.send(
      .post, try #require(start.headers["X-Goog-Upload-URL"]), body: Data(content.utf8),
      headers: ["X-Goog-Upload-Command": "upload, finalize", "X-Goog-Upload-Offset": "0"])
    #expect(end.status == expected)
  }
}
