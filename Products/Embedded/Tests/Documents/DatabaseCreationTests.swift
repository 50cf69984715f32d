import Foundation
import TenonAuthInterop
import TenonDocuments
import TenonSQLite
import TenonStoreInterop
import TenonTestSupport
import TenonTesting
import TenonTransport
import TenonTransportInterop
import Testing

@testable import TenonEmbedded

/// A database is created by the first write that is applied to it, and by nothing else: otherwise, any client
/// could fill the file by naming new IDs.
@Suite(.limited) struct DatabaseCreationTests {
  private static let write = #"{"writes":[{"update":{"name":"@/rooms/den"}}]}"#

  /// What names a database and applies no write, with the status of its answer.
  private static let requests: [(String, method: String, body: String, status: Int)] = [
    ("query", "runQuery", #"{"structuredQuery":{"from":[{"collectionId":"rooms"}]}}"#, 200),
    (
      "aggregation", "runAggregationQuery",
      #"{"structuredAggregationQuery":{"structuredQuery":{"from":[{"collectionId":"rooms"}]},"aggregations":[{"count":{}}]}}"#,
      200
    ),
    ("get", "batchGet", #"{"documents":["@/rooms/den"]}"#, 200),
    ("transaction", "beginTransaction", "{}", 200), ("collections", "listCollectionIds", "{}", 200),
    ("no write", "commit", #"{"writes":[]}"#, 200),
    (
      "failed precondition", "commit",
      #"{"writes":[{"update":{"name":"@/rooms/den"},"currentDocument":{"exists":true}}]}"#, 404
    ),
    ("denied write", "commit", write, 403), ("denied writes", "batchWrite", write, 200),
  ]

  /// The IDs of the databases in the file of a backend.
  private func databases(in directory: String) throws -> [String] {
    let connection = try Connection.open(
      "\(directory)/backend/documents.sqlite", migrations: DocumentSchema.migrations)
    return try connection.rows("SELECT name FROM databases ORDER BY name", []) { $0.text(0) }
  }

  @Test(arguments: requests.map(\.0))
  func namingADatabaseCreatesNothing(name: String) async throws {
    let request = try #require(Self.requests.first { $0.0 == name })
    let directory = TemporaryDirectory()
    defer { directory.remove() }
    let backend = Backend(directory: directory.path)
    if name.hasPrefix("denied") { backend.embedded.onDocumentAccess { _ in false } }
    for number in 0..<3 {
      let client = WireClient(embedded: backend.embedded, database: "new\(number)")
      let answer = try await client.call(request.method, request.body)
      #expect(answer.status == request.status, "\(answer.text)")
      #expect(!answer.text.contains("\"status\":[{}]"))
    }
    let cleared = try await backend.send(
      .delete, "http://127.0.0.1:8080/emulator/v1/projects/demo/databases/new9/documents",
      headers: ["Authorization": "Bearer owner"])
    #expect(cleared.status == 200)
    await backend.embedded.close()
    #expect(try databases(in: directory.path) == [])
  }

  @Test func anAppliedWriteCreatesItsDatabase() async throws {
    let directory = TemporaryDirectory()
    defer { directory.remove() }
    let backend = Backend(directory: directory.path)
    let client = WireClient(embedded: backend.embedded, database: "new")
    #expect(try await client.document(.get, "rooms/den").status == 404)
    #expect(try await client.call("commit", Self.write).status == 200)
    #expect(try await client.document(.get, "rooms/den").status == 200)
    await backend.embedded.close()
    #expect(try databases(in: directory.path) == ["new"])
    let again = Backend(directory: directory.path)
    let reader = WireClient(embedded: again.embedded, database: "new")
    #expect(try await reader.document(.get, "rooms/den").status == 200)
    await again.embedded.close()
  }

  /// A listener, and a transaction, that were begun before the database existed see its first write.
  @Test func whoWaitedForADatabaseSeesItsFirstWrite() async throws {
    let backend = Backend()
    let remote = EmbeddedStoreRemote(backend.embedded, auth: nil)
    let rooms = StructuredQuery(parent: ResourcePath(segments: []), collectionID: "rooms")
    var listening = ListenClient(remote, RemoteContext(database: "new"))
    listening.add(1, .query(rooms))
    try await listening.until { $0.isCurrent(1) }
    let owner = WireClient(
      embedded: backend.embedded, authorization: "Bearer owner", database: "new")
    let begun = try await owner.result("beginTransaction", "{}")
    let id = try #require(begun["transaction"]?.string)
    let read = try await owner.call("batchGet", #"{"documents":["@/rooms/den"],"transaction":"\#(id)"}"#)
    #expect(read.text.contains("missing"))
    try await backend.embedded.documents(database: "new").set("rooms/den", ["n": 1])
    try await listening.until { $0.held(1) == ["den"] }
    listening.end()
    let late = #"{"transaction":"\#(id)",\#(Self.write.dropFirst())"#
    #expect(try await owner.call("commit", late).status == 409)
  }
}
