import Foundation
import TenonAdminInterop
import TenonAuthInterop
import TenonCore
import TenonDocuments
import TenonFoundation
import TenonStoreInterop
import TenonTestSupport
import TenonTesting
import TenonTransport
import TenonTransportInterop
import Testing

@testable import TenonStoreSync

/// Calls of administrators.
@Suite(.limited) struct AdministratorTests {
  private let admin = FakeAdmin()
  private let tea = ResourcePath(unchecked: "notes/tea")
  private let context = RemoteContext(isAdministrator: true)

  private func remote(
    _ server: RESTServer, backend: AppBackend = .production, isLinked: Bool = true
  ) throws -> FirestoreRemote {
    let auth = FakeAuth()
    auth.signIn(userID: "ann")
    return try StoreSync(
      app: AppContext(
        name: "test",
        options: AppOptions(projectID: "demo-sync", apiKey: "AIzaKey", appID: "1:2:web:3", backend: backend),
        userAgent: "tenon-tests/1"),
      auth: auth, appCheck: FakeAppCheck(), transport: server.transport(),
      admin: { [admin] in isLinked ? admin : nil }
    ).remote
  }

  @Test func carryTheAccessTokenAndNeitherUserNorApp() async throws {
    let server = RESTServer()
    admin.quotaProject = "payer"
    _ = try await remote(server).fetch([tea], in: context)
    let headers = try #require(server.requests.last?.headers)
    #expect(headers["authorization"] == "Bearer admin-token-1" && headers["x-goog-user-project"] == "payer")
    #expect(headers["google-cloud-resource-prefix"] == "projects/demo-sync/databases/(default)")
    for name in ["x-firebase-appcheck", "x-goog-api-key", "x-firebase-gmpid"] {
      #expect(headers[name] == nil)
    }
  }

  @Test func ofAnEmulatorCarryNoCredential() async throws {
    let server = RESTServer()
    let backend = AppBackend.emulator(EmulatorHosts(firestore: "firestore:8080"))
    _ = try await remote(server, backend: backend).fetch([tea], in: context)
    #expect(server.requests.last?.headers["authorization"] == "Bearer owner")
  }

  @Test func replaceARefusedTokenOnce() async throws {
    let server = RESTServer { request in
      request.headers["authorization"] == "Bearer admin-token-1"
        ? StoreRemoteError(.unauthenticated, "It was revoked.") : nil
    }
    let remote = try remote(server)
    _ = try await remote.commit(RemoteBatch(writes: [set("notes/tea", [:])]), in: context)
    #expect(server.document("notes/tea")?.fields != nil)
    let tokens = server.requests.map { $0.headers["authorization"] }
    #expect(tokens == ["Bearer admin-token-1", "Bearer admin-token-2"])
    let strict = RESTServer { _ in StoreRemoteError(.unauthenticated, "No.") }
    let error = await #expect(throws: StoreRemoteError.self) {
      _ = try await self.remote(strict).fetch([tea], in: context)
    }
    #expect(error?.code == .unauthenticated && strict.requests.count == 2)
  }

  @Test func writeWhoeverIsSignedIn() async throws {
    let server = RESTServer()
    var writing = RemoteWriting(try remote(server), context, token: nil)
    writing.send(RemoteBatch(writes: [set("notes/tea", [:])]))
    writing.end()
    while try await writing.next() != nil {}
    #expect(server.requests.last?.headers["authorization"] == "Bearer admin-token-1")
  }

  @Test func withoutACredentialSendNothingAndSayWhy() async throws {
    struct NoCredential: Error, CustomStringConvertible { let description = "Set Admin.credential." }
    let server = RESTServer()
    admin.fail(with: NoCredential())
    let error = await #expect(throws: StoreRemoteError.self) {
      _ = try await remote(server).fetch([tea], in: context)
    }
    #expect(error?.code == .unauthenticated && error?.message.contains("Set Admin.credential.") == true)
    let unlinked = await #expect(throws: StoreRemoteError.self) {
      _ = try await remote(server, isLinked: false).fetch([tea], in: context)
    }
    #expect(unlinked?.code == .failedPrecondition && unlinked?.message.contains("TenonAdmin") == true)
    #expect(server.requests.isEmpty)
  }
}
