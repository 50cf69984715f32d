import Foundation
import TenonCore
import TenonFoundation
import TenonRules
import TenonTestSupport
import TenonTransport
import TenonTransportInterop
import Testing

@testable import TenonEmbedded

/// Security Rules decide about the objects of the backend.
@Suite(.limited) struct ObjectSecurityRulesTests {
  private let backend = Backend()

  private static let source = """
    rules_version = '2';
    service firebase.storage {
      match /b/{bucket}/o {
        match /avatars/{uid} {
          allow read;
          allow create, update: if request.auth.uid == uid && request.resource.size < 10
            && request.resource.contentType.matches('image/.*');
          allow delete: if resource.metadata.owner == request.auth.uid;
        }
      }
    }
    """

  private func upload(_ name: String, _ content: String, type: String, user: String?) async throws -> Int {
    var headers = ["Content-Type": type]
    if let user {
      let now = backend.clock.now
      let token = try IDToken(
        account: Account(id: user, now: now), provider: "password", projectID: "demo", now: now
      ).text
      headers["Authorization"] = "Firebase \(token)"
    }
    let name = name.replacing("/", with: "%2F")
    return try await backend.send(
      .post, "http://127.0.0.1:9199/v0/b/demo.appspot.com/o?name=\(name)&uploadType=media",
      body: Data(content.utf8), headers: headers
    ).status
  }

  @Test(
    arguments: [
      ("avatars/ann", "small", "image/png", "ann", 200), ("avatars/ann", "small", "image/png", nil, 403),
      ("avatars/ann", "small", "image/png", "bob", 403), ("avatars/ann", "small", "text/html", "ann", 403),
      ("avatars/ann", "far too large", "image/png", "ann", 403),
      ("other/ann", "small", "image/png", "ann", 403),
    ] as [(String, String, String, String?, Int)])
  func anUploadIsAllowedByUserSizeAndType(
    name: String, content: String, type: String, user: String?, expected: Int
  ) async throws {
    backend.embedded.objectSecurityRules = try SecurityRules(source: Self.source)
    #expect(try await upload(name, content, type: type, user: user) == expected)
  }

  /// The size of such an upload isn't known when it begins.
  @Test(arguments: [("small", 200), ("far too large", 403)])
  func anUploadWithoutASizeIsDecidedWhenItIsComplete(content: String, expected: Int) async throws {
    backend.embedded.objectSecurityRules = try SecurityRules(
      source: Self.source.replacing("request.auth.uid == uid", with: "true"))
    let base = "https://firebasestorage.googleapis.com/v0/b/demo.appspot.com/o?name=avatars%2Fann"
    var headers = [
      "X-Goog-Upload-Protocol": "resumable", "X-Goog-Upload-Command": "start",
      "X-Goog-Upload-Header-Content-Type": "image/png",
    ]
    let start = try await backend.send(.post, base, body: Data("{}".utf8), headers: headers)
    #expect(start.status == 200)
    let url = try #require(start.headers["X-Goog-Upload-URL"])
    let end = try await backend.send(
      .post, url, body: Data(content.utf8),
      headers: ["X-Goog-Upload-Command": "upload, finalize", "X-Goog-Upload-Offset": "0"])
    #expect(end.status == expected)
    // What doesn't depend on the size is decided immediately.
    headers["X-Goog-Upload-Header-Content-Type"] = "text/html"
    #expect(try await backend.send(.post, base, body: Data("{}".utf8), headers: headers).status == 403)
  }

  @Test(
    arguments: [
      "resource.generation > 0", "resource.metageneration == 1", "resource.timeCreated == resource.updated",
      "resource.timeCreated < request.time + duration.value(1, 's')", "resource.crc32c.size() == 8",
      "resource.md5Hash.size() == 24", "resource.etag is string", "resource.name == 'a'",
      "resource.bucket == 'demo.appspot.com'", "resource.size == 5", "resource.contentType == 'image/png'",
    ])
  func theMetadataOfAnObjectReachesTheRules(condition: String) async throws {
    #expect(try await upload("a", "small", type: "image/png", user: nil) == 200)
    func read(_ condition: String) async throws -> Int {
      backend.embedded.objectSecurityRules = try SecurityRules(
        source: """
          rules_version = '2';
          service firebase.storage { match /b/{b}/o { match /{name} { allow read: if \(condition); } } }
          """)
      return try await backend.send(.get, "http://127.0.0.1:9199/v0/b/demo.appspot.com/o/a").status
    }
    #expect(try await read(condition) == 200)
    #expect(try await read("!(\(condition))") == 403)
  }

  @Test func aBucketWithRulesHasNoOpenJSONAPI() async throws {
    backend.embedded.objectSecurityRules = try SecurityRules(source: Self.source)
    let url = "http://127.0.0.1:9199/storage/v1/b/demo.appspot.com/o"
    #expect([401, 403].contains(try await backend.send(.get, url).status))
    let owner = ["Authorization": "Bearer owner"]
    #expect(try await backend.send(.get, url, headers: owner).status == 200)
  }

  @Test func theEmulatorsEndpointReplacesTheRules() async throws {
    let file: JSON = ["rules": ["files": [["name": "storage.rules", "content": .string(Self.source)]]]]
    let url = "http://127.0.0.1:9199/internal/setRules"
    #expect(try await backend.send(.put, url, body: file.serialized).status == 200)
    #expect(backend.embedded.objectSecurityRules?.source == Self.source)
    #expect(try await backend.send(.post, url, body: file.serialized).status == 405)
  }
}
