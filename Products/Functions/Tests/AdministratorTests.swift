import Foundation
import TenonCore
import TenonTestSupport
import TenonTesting
import TenonTransport
import TenonTransportInterop
import Testing

@testable import TenonFunctions

/// Calls as a service account.
@Suite(.limited) struct AdministratorTests {
  private func instances(
    _ transport: FakeTransport, admin: FakeAdmin?, backend: AppBackend = .production
  ) throws -> FunctionsInstances {
    let auth = FakeAuth()
    auth.signIn(userID: "ann")
    return try FunctionsInstances(
      app: AppContext(
        name: "tests", options: AppOptions(projectID: "demo", backend: backend), userAgent: "tenon-tests/1"),
      auth: auth, appCheck: nil, transport: transport, admin: { admin })
  }

  private static let result = TransportResponse(status: 200, body: Data(#"{"result": 1}"#.utf8))

  @Test func aCallCarriesTheIdentityTokenForTheFunctionAndNoUsers() async throws {
    let transport = FakeTransport { _ in Self.result }
    let instances = try instances(transport, admin: FakeAdmin())
    let functions = try instances.functions(region: "us-central1", as: .admin)
    try await functions.httpsCallable("clean").call()
    let headers = try #require(transport.requests.last).headers
    #expect(
      headers["X-Serverless-Authorization"]
        == "Bearer identity-1 https://us-central1-demo.cloudfunctions.net/clean")
    #expect(headers["Authorization"] == nil)
    let users = try instances.functions(region: "us-central1")
    #expect(users !== functions && users.authority == .user && functions.authority == .admin)
    #expect(try instances.functions(region: "us-central1", as: .admin) === functions)
    try await users.httpsCallable("clean").call()
    let usersHeaders = try #require(transport.requests.last).headers
    #expect(usersHeaders["Authorization"] == "Bearer ann-token-0")
    #expect(usersHeaders["X-Serverless-Authorization"] == nil)
  }

  @Test func aRefusedTokenIsReplacedOnce() async throws {
    let transport = FakeTransport { request in
      let isNew = request.headers["X-Serverless-Authorization"]?.hasPrefix("Bearer identity-2 ") == true
      return isNew ? Self.result : TransportResponse(status: 401)
    }
    let functions = try instances(transport, admin: FakeAdmin()).functions(region: "us-central1", as: .admin)
    let result = try await functions.httpsCallable("clean").call()
    #expect(result.data as? Int == 1 && transport.requests.count == 2)
    var results: [Int] = []
    for try await response in try functions.httpsCallable("clean").stream() {
      if case .result(let result) = response { results.append(result.data as? Int ?? 0) }
    }
    #expect(results == [1] && transport.requests.count == 3)
  }

  @Test func anEmulatorReceivesNoCredential() async throws {
    let transport = FakeTransport { _ in Self.result }
    let backend = AppBackend.emulator(EmulatorHosts(functions: "127.0.0.1:5001"))
    let functions = try instances(transport, admin: FakeAdmin(), backend: backend)
      .functions(region: "us-central1", as: .admin)
    try await functions.httpsCallable("clean").call()
    let fields = try #require(transport.requests.last).headers.fields
    #expect(!fields.contains { $0.name.lowercased().contains("authorization") })
  }

  @Test func withoutAdminTheErrorSaysWhatToLink() throws {
    let instances = try instances(FakeTransport { _ in Self.result }, admin: nil)
    let error = #expect(throws: FunctionsError.self) {
      try instances.functions(region: "us-central1", as: .admin)
    }
    #expect(error?.code == .failedPrecondition && error?.message.contains("TenonAdmin") == true)
  }
}
