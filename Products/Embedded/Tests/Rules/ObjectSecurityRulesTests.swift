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
