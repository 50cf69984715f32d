import Foundation
import TenonFoundation
import TenonSQLite
import TenonTestSupport
import TenonTransport
import Testing

@testable import TenonEmbedded

/// A token that was consumed is known as such until it expires.
@Suite(.limited) struct ReplayTests {
  private func consume(
    _ token: String, in backend: Backend, project: String = "demo", authorization: String = "Bearer owner"
  ) async throws -> (status: Int, json: JSON) {
    let body: JSON = ["app_check_token": .string(token)]
    return try await backend.post(
      "https://firebaseappcheck.googleapis.com/v1beta/projects/\(project):verifyAppCheckToken",
      body: body.serialized, headers: ["Authorization": authorization])
  }

  private func expect(_ token: String, isConsumed: Bool, in backend: Backend) async throws {
    let (status, json) = try await consume(token, in: backend)
    #expect(status == 200 && json == ["alreadyConsumed": .bool(isConsumed)])
  }

  /// Calls a function that consumes tokens.
  private func call(_ token: String, in backend: Backend) async throws -> (status: Int, json: JSON) {
    backend.embedded.onCall("once", consumesAppCheckToken: true) { (request: CallableRequest<Int?>) in
      request.app?.alreadyConsumed
    }
    return try await backend.post(
      "https://us-central1-demo.cloudfunctions.net/once", body: Data(#"{"data":null}"#.utf8),
      headers: ["X-Firebase-AppCheck": token])
  }

  @Test func theFirstUseIsToldFromLaterOnes() async throws {
    let backend = Backend()
    let (first, second) = (try await backend.appCheckToken(), try await backend.appCheckToken())
    try await expect(first, isConsumed: false, in: backend)
    try await expect(first, isConsumed: true, in: backend)
    // A function consumes the same tokens.
    #expect(try await call(first, in: backend).json["result"] == true)
    #expect(try await call(second, in: backend).json["result"] == false)
    try await expect(second, isConsumed: true, in: backend)
  }

  @Test func onlyAdministratorsConsumeValidTokens() async throws {
    let backend = Backend()
    let token = try await backend.appCheckToken(lifetime: 300)
    #expect(try await consume(token, in: backend, authorization: "Basic owner").status == 401)
    #expect(try await consume(token, in: backend, project: "other").status == 404)
    let unsigned = try #require(AttestationToken(token)).unsigned
    for invalid in ["x", "a.b.c", unsigned] {
      let (status, json) = try await consume(invalid, in: backend)
      #expect(status == 403 && json["error"]?["status"] == "PERMISSION_DENIED")
    }
    #expect(try await consume("", in: backend).status == 400)
    try await expect(token, isConsumed: false, in: backend)
    backend.clock.advance(bySeconds: 300)
    #expect(try await consume(token, in: backend).status == 403)
  }

  @Test func aConsumedTokenIsRememberedAfterARestart() async throws {
    let directory = TemporaryDirectory()
    defer { directory.remove() }
    let first = Backend(directory: directory.path)
    let (used, fresh) = (try await first.appCheckToken(), try await first.appCheckToken())
    try await expect(used, isConsumed: false, in: first)
    // Another process with the same directory knows it, too.
    let other = Backend(directory: directory.path)
    try await expect(used, isConsumed: true, in: other)
    await first.embedded.close()
    await other.embedded.close()
    let second = Backend(directory: directory.path)
    try await expect(used, isConsumed: true, in: second)
    #expect(try await call(used, in: second).json["result"] == true)
    try await expect(fresh, isConsumed: false, in: second)
  }

  @Test func ofSeveralConcurrentUsesOneIsTheFirst() async throws {
    let backend = Backend()
    let token = try await backend.appCheckToken()
    let answers = try await withThrowingTaskGroup(of: JSON.self) { group in
      for _ in 0..<20 { group.addTask { try await consume(token, in: backend).json } }
      return try await group.reduce(into: []) { $0.append($1) }
    }
    #expect(answers.filter { $0 == ["alreadyConsumed": false] }.count == 1)
    #expect(answers.filter { $0 == ["alreadyConsumed": true] }.count == 19)
  }

  @Test func whereThereIsNoRoomATokenIsRefusedAndNoneForgotten() async throws {
    let backend = Backend()
    let (used, later) = (try await backend.appCheckToken(), try await backend.appCheckToken(lifetime: 7_200))
    try await expect(used, isConsumed: false, in: backend)
    let (count, expires) = (AppCheckService.mostConsumed - 1, backend.clock.now.seconds + 3_000)
    try await backend.embedded.database.transaction { database in
      try database.opened().run(
        """
        WITH RECURSIVE numbers (n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM numbers WHERE n < ?)
        INSERT INTO consumed_tokens (id, expires) SELECT 'token ' || n, ? FROM numbers
        """, [.integer(count), .integer(expires)])
    }
    let (status, json) = try await consume(later, in: backend)
    #expect(status == 429 && json["error"]?["status"] == "RESOURCE_EXHAUSTED")
    let refused = try await call(later, in: backend)
    #expect(refused.status == 429 && refused.json["error"]?["status"] == "RESOURCE_EXHAUSTED")
    try await expect(used, isConsumed: true, in: backend)
    // Expired tokens make room.
    backend.clock.advance(bySeconds: 3_000)
    try await expect(later, isConsumed: false, in: backend)
    try await expect(used, isConsumed: true, in: backend)
    let left = try await backend.embedded.database.read { database in
      try database.opened().first("SELECT count(*) FROM consumed_tokens") { $0.integer(0) }
    }
    #expect(left == 2)
  }
}
