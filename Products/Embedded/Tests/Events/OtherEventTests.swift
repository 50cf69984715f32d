import Foundation
import TenonFoundation
import TenonTestSupport
import TenonTesting
import TenonTransport
import TenonTransportInterop
import Testing

@testable import TenonEmbedded

/// Events of objects and users.
@Suite(.limited) struct OtherEventTests {
  private let backend = Backend()
  private let received = Received()
  private var embedded: Embedded { backend.embedded }

  @Test func anObjectHasEventsOfItsContentsAndItsMetadata() async throws {
    let received = received
    try embedded.onObjectFinalized("f", bucket: "b") { event in
      received.add("finalized \(event.subject) \(event.data.size)")
    }
    try embedded.onObjectDeleted("d") { event in
      received.add("deleted \(event.data.bucket)/\(event.data.name) \(event.data.size)")
    }
    try embedded.onObjectMetadataUpdated("m") { event in
      received.add("metadata \(event.data.contentType ?? "") \(event.data.metageneration)")
    }
    let base = "https://firebasestorage.googleapis.com/v0/b/b/o"
    let type = ["Content-Type": "text/plain"]
    func send(_ method: HTTPMethod, _ url: String, _ body: String? = nil) async throws {
      let answer = try await backend.send(method, url, body: body.map { Data($0.utf8) }, headers: type)
      #expect((200...204).contains(answer.status))
      try await embedded.waitForPendingEvents()
    }
    try await send(.post, "\(base)?name=a%2Fb", "one")
    try await send(.post, "\(base)?name=a%2Fb", "three")
    #expect(
      try await backend.send(
        .patch, "\(base)/a%2Fb", body: Data(#"{"contentType": "image/png"}"#.utf8),
        headers: ["Content-Type": "application/json"]
      ).status == 200)
    try await embedded.waitForPendingEvents()
    try await send(.delete, "\(base)/a%2Fb")
    try await send(.post, "https://firebasestorage.googleapis.com/v0/b/other/o?name=c", "x")
    let all = received.all
    #expect(
      Set(all) == [
        "finalized a/b 3", "deleted b/a/b 3", "finalized a/b 5", "metadata image/png 2", "deleted b/a/b 5",
      ])
    #expect(all.count == 5)
    await embedded.close()
  }

  @Test func anObjectThatBecomesNoncurrentHasAnEventAndIsNotDeleted() async throws {
    let received = received
    try embedded.onObjectArchived("a") { event in
      received.add("archived \(event.data.name) \(event.data.size)")
    }
    try embedded.onObjectDeleted("d") { event in received.add("deleted \(event.data.size)") }
    let client = try await JSONAPIClient(backend, #""versioning":{"enabled":true}"#)
    let first = try await client.put("a", "one")
    try await client.put("a", "three")
    try await client.call(.delete, "o/a")
    try await client.call(.delete, "o/a?generation=\(first)")
    try await embedded.waitForPendingEvents()
    #expect(Set(received.all) == ["archived a 3", "archived a 5", "deleted 3"] && received.all.count == 3)
    await embedded.close()
  }

  @Test func usersHaveEventsButImportsAndBatchesHaveNone() async throws {
    let received = received
    try embedded.onUserCreated("c") { event in
      received.add("created \(event.data.email ?? "anonymous") \(event.data.providerIDs)")
    }
    try embedded.onUserDeleted("d") { event in
      received.add("deleted \(event.data.email ?? "anonymous")")
    }
    let (_, session) = try await backend.call(
      "accounts:signUp", ["email": "ada@example.com", "password": "lovelace"])
    try await embedded.waitForPendingEvents()
    let token = try #require(session["idToken"])
    _ = try await backend.call("accounts:update", ["idToken": token, "displayName": "Ada"])
    _ = try await backend.call("accounts:delete", ["idToken": token])
    _ = try await backend.call("accounts:signUp")
    _ = try await backend.administrate(
      "accounts:batchCreate", ["users": [["localId": "x", "email": "x@example.com"]]])
    _ = try await backend.administrate("accounts:batchDelete", ["localIds": ["x"], "force": true])
    let custom = try embedded.customToken(for: "custom")
    #expect(
      try await backend.call("accounts:signInWithCustomToken", ["token": .string(custom)]).status == 200)
    try await embedded.waitForPendingEvents()
    let all = received.all
    #expect(
      Set(all) == [
        #"created ada@example.com ["password"]"#, "deleted ada@example.com", "created anonymous []",
      ])
    #expect(all.count == 3)
    await embedded.close()
  }

  @Test func aRejectedSignUpIsNoEvent() async throws {
    let received = received
    try embedded.onUserCreated("c") { event in received.add(event.subject) }
    _ = try await backend.call("accounts:signUp", ["email": "ada@example.com", "password": "short"])
    try await embedded.waitForPendingEvents()
    #expect(received.all == [])
    await embedded.close()
  }
}
