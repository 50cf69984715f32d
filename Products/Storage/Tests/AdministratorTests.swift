import Foundation
import TenonAdminInterop
import TenonCore
import TenonFoundation
import TenonTestSupport
import TenonTesting
import TenonTransport
import TenonTransportInterop
import Testing

@testable import TenonStorage

/// Buckets that are used as an administrator.
@Suite(.limited) struct AdministratorTests {
  private func instances(
    _ transport: FakeTransport, admin: FakeAdmin?, backend: AppBackend = .production
  ) throws -> StorageInstances {
    let auth = FakeAuth()
    auth.signIn(userID: "ann")
    return try StorageInstances(
      app: AppContext(
        name: "tests", options: AppOptions(projectID: "demo", storageBucket: "b.c", backend: backend),
        userAgent: "tenon-tests/1"),
      auth: auth, appCheck: FakeAppCheck(), transport: transport, admin: { admin })
  }

  @Test func requestsCarryTheAccessTokenAndNeitherUserNorApp() async throws {
    let transport = FakeTransport { _ in metadataResponse() }
    let admin = FakeAdmin()
    admin.quotaProject = "payer"
    let instances = try instances(transport, admin: admin)
    let storage = try instances.storage(bucket: nil, as: .admin)
    _ = try await storage.reference(withPath: "a").getMetadata()
    let headers = try #require(transport.requests.last).headers
    #expect(headers["Authorization"] == "Bearer admin-token-1")
    #expect(headers["X-Firebase-AppCheck"] == nil && headers["X-Goog-User-Project"] == "payer")
    let users = try instances.storage(bucket: nil)
    #expect(users !== storage && users.authority == .user && storage.authority == .admin)
    #expect(try instances.storage(bucket: "b.c", as: .admin) === storage)
    _ = try await users.reference(withPath: "a").getMetadata()
    #expect(transport.requests.last?.headers["Authorization"] == "Firebase ann-token-0")
  }

  @Test(arguments: DeadlineTests.Operation.allCases)
  func aRefusedTokenIsReplacedInEveryOperation(operation: DeadlineTests.Operation) async throws {
    let refusals = Lock(0)
    let transport = FakeTransport { request in
      guard request.headers["Authorization"] != "Bearer admin-token-2" else {
        // Only the credentials matter here: the operation itself ends with a refusal that is final.
        return TransportResponse(status: 403)
      }
      refusals.withLock { $0 += 1 }
      return TransportResponse(status: 401)
    }
    let object = try instances(transport, admin: FakeAdmin()).storage(bucket: nil, as: .admin)
      .reference(withPath: "a")
    try await withNewDirectory { directory in
      try Data(count: 300_000).write(to: directory.appending(path: "source"))
      let error = await #expect(throws: StorageError.self) { try await operation.run(object, in: directory) }
      #expect(error?.code == .unauthorized, "\(String(describing: error))")
    }
    #expect(refusals.withLock(\.self) == 1)
  }

  @Test func theEmulatorsAdministratorIsNoSecret() async throws {
    let transport = FakeTransport { _ in metadataResponse() }
    let backend = AppBackend.emulator(EmulatorHosts(storage: "storage:9199"))
    let storage = try instances(transport, admin: FakeAdmin(), backend: backend)
      .storage(bucket: nil, as: .admin)
    _ = try await storage.reference(withPath: "a").getMetadata()
    #expect(transport.requests.last?.headers["Authorization"] == "Bearer owner")
  }

  @Test func theErrorOfAMissingCredentialIsThrown() async throws {
    let admin = FakeAdmin()
    admin.fail(with: CocoaError(.fileReadUnknown))
    let transport = FakeTransport { _ in metadataResponse() }
    let storage = try instances(transport, admin: admin).storage(bucket: nil, as: .admin)
    await #expect(throws: CocoaError.self) { try await storage.reference(withPath: "a").getMetadata() }
    #expect(transport.requests.isEmpty)
  }

  @Test func withoutAdminTheErrorSaysWhatToLink() throws {
    let instances = try instances(FakeTransport { _ in metadataResponse() }, admin: nil)
    let error = #expect(throws: StorageError.self) { try instances.storage(bucket: nil, as: .admin) }
    #expect(error?.code == .adminNotLinked && error?.message.contains("TenonAdmin") == true)
  }
}
