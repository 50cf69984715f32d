import Foundation
import TenonHashes
import TenonSQLite
import TenonTestSupport
import TenonTesting
import TenonTransport
import TenonTransportInterop
import Testing

/// Servers that are killed while clients upload. `TENON_KILLS` sets the number of kills per case, 1 by
/// default and 5 in a deep run.
@Suite(.limited, .serialized) struct ObjectKillTests {
  private static let kills =
    Int(ProcessInfo.processInfo.environment["TENON_KILLS"] ?? "").map { $0 / 8 }
    ?? DeepTests.count(1, deep: 5)

  /// What the server acknowledged.
  private actor Journal {
    private(set) var acknowledged: [String: ContentDigest] = [:]
    func acknowledge(_ name: String, _ digest: ContentDigest) { acknowledged[name] = digest }
    var count: Int { acknowledged.count }
  }

  @Test(arguments: 0..<DeepTests.count(1, deep: 3))
  func everyAcknowledgedUploadSurvives(seed: Int) async throws {
    var generator = SeededGenerator(seed: UInt64(seed))
    try await withTemporaryDirectory { directory in
      let (data, temporary) = (directory.appending(path: "data"), directory.appending(path: "tmp"))
      try FileManager.default.createDirectory(at: temporary, withIntermediateDirectories: true)
      let journal = Journal()
      for round in 0..<Self.kills {
        let server = try await ServedBackend(directory: data, environment: ["TMPDIR": temporary.path])
        try await audit(server, data, journal)
        // After a number of uploads, which the kill interrupts at any moment of the next ones.
        let goal = await journal.count + Int.random(in: 0...6, using: &generator)
        let pause = Duration.microseconds(Int.random(in: 0...40_000, using: &generator))
        try await withThrowingTaskGroup(of: Void.self) { group in
          for client in 0..<3 {
            let seed = generator.next()
            group.addTask { await Self.upload(to: server, "\(round)-\(client)", seed: seed, journal) }
          }
          try await eventually { await journal.count >= goal }
          try? await Task.sleep(for: pause)
          let end = await server.stop(by: SIGKILL)
          #expect(end.status == -SIGKILL, "\(end.errors)")
        }
      }
      let server = try await ServedBackend(directory: data, environment: ["TMPDIR": temporary.path])
      try await audit(server, data, journal)
      #expect(await server.stop().status == 0)
      #expect(try ServedBackend.transfers(in: temporary) == [])
      #expect(await journal.count > 0, "the servers were killed before they could store anything")
    }
  }

  /// Uploads objects until the server ends. The name of each contains its size.
  private static func upload(
    to server: ServedBackend, _ client: String, seed: UInt64, _ journal: Journal
  ) async {
    var generator = SeededGenerator(seed: seed)
    for number in 0... {
      let size = [0, 1, 70_000, 1_500_000, 5_500_000].randomElement(using: &generator) ?? 0
      let content = pattern(size)
      let name = "o-\(client)-\(number)-\(size)"
      let isJSON = Bool.random(using: &generator)
      let path = isJSON ? "/upload/storage/v1/b/b/o?uploadType=media&name=" : "/v0/b/b/o?name="
      guard let url = URL(string: "http://\(server.address)\(path)\(name)") else { return }
      let request = TransportRequest(.post, url, body: .data(content))
      guard let response = try? await SystemTransport.shared.send(request), response.status == 200 else {
        return
      }
      await journal.acknowledge(name, digest(content))
    }
  }

  /// Checks that the server has everything that was acknowledged, no object in part, and nothing else.
  private func audit(_ server: ServedBackend, _ directory: URL, _ journal: Journal) async throws {
    let acknowledged = await journal.acknowledged
    let list = try JSON(parsing: await server.send(.get, "/storage/v1/b/b/o").body)
    let items = list["items"]?.array ?? []
    #expect(list["nextPageToken"] == nil)
    let names = Set(items.compactMap { $0["name"]?.string })
    #expect(names.isSuperset(of: acknowledged.keys))
    for item in items {
      let name = try #require(item["name"]?.string)
      // An upload whose response the client didn't receive is either missing or complete.
      let expected = pattern(try #require(name.split(separator: "-").last.flatMap { Int($0) }))
      let expectedDigest = acknowledged[name] ?? digest(expected)
      #expect(item["md5Hash"]?.string == expectedDigest.md5Hash)
      #expect(item["crc32c"]?.string == expectedDigest.crc32cHash)
      let content = try await server.send(.get, "/download/storage/v1/b/b/o/\(name)?alt=media").body
      #expect(content == expected)
    }
    let file = directory.appending(path: "backend/backend.sqlite").path
    let connection = try Connection.open(file)
    func count(_ sql: String) throws -> Int64? { try connection.first(sql) { $0.integer(0) } }
    let count1 = try count("SELECT count(*) FROM drafts")
    #expect(count1 == 0)
    let count2 = try count("SELECT count(*) FROM contents")
    #expect(count2 == Int64(items.count))
    let count3 = try count("SELECT count(*) FROM pieces WHERE content NOT IN (SELECT content FROM objects)")
    #expect(count3 == 0)
    let count4 = try count("SELECT count(*) FROM objects WHERE content NOT IN (SELECT id FROM contents)")
    #expect(count4 == 0)
  }
}
