import Foundation
import TenonRules
import TenonStoreInterop
import TenonTestSupport
import TenonTransport
import TenonTransportInterop
import Testing

@testable import TenonEmbedded

/// How many documents Security Rules may read: 10 for a document or a query, 20 for a request with several
/// operations, of which each may read 10. A document that is read again counts once.
@Suite(.limited) struct DocumentReadLimitTests {
  private let backend = Backend()
  private var client: WireClient { WireClient(embedded: backend.embedded) }

  /// Makes the rules read a number of documents for each document `c/ID`.
  private func prepare(reads: Int, isShared: Bool = false) async throws {
    let documents = backend.embedded.documents()
    for id in ["a", "b", "c", "all"] {
      try await documents.set("c/\(id)", ["n": 1])
      for number in 0..<12 { try await documents.set("gates/\(id)-\(number)", ["open": true]) }
    }
    func condition(_ id: String) -> String {
      (0..<reads).map {
        "get(/databases/$(db)/documents/gates/$(\(id) + '-\($0)')).data.open"
      }.joined(separator: " && ")
    }
    backend.embedded.documentSecurityRules = try SecurityRules(
      source: """
        rules_version = '2';
        service cloud.firestore {
          match /databases/{db}/documents/c/{d} {
            allow get, write: if \(condition(isShared ? "'all'" : "d"));
            allow list: if \(condition("'all'"));
          }
        }
        """)
  }

  private func commit(_ ids: [String]) async throws -> Int {
    let writes = ids.map { #"{"update":{"name":"@/c/\#($0)","fields":{"n":{"integerValue":"2"}}}}"# }
    return try await client.call("commit", #"{"writes":[\#(writes.joined(separator: ","))]}"#).status
  }

  private func get(_ ids: [String]) async throws -> Int {
    let names = ids.map { #""@/c/\#($0)""# }
    return try await client.call("batchGet", #"{"documents":[\#(names.joined(separator: ","))]}"#).status
  }

  @Test(arguments: [
    (1, 10, false, 200), (1, 11, false, 403), (2, 10, false, 200), (3, 6, false, 200), (3, 7, false, 403),
    (3, 10, true, 200), (3, 11, true, 403),
  ])
  func aRequestHasTheLimitOfItsKind(count: Int, reads: Int, isShared: Bool, expected: Int) async throws {
    try await prepare(reads: reads, isShared: isShared)
    let ids = Array(["a", "b", "c"].prefix(count))
    #expect(try await get(ids) == expected)
    #expect(try await commit(ids) == expected)
    // All or nothing.
    #expect(
      try await backend.embedded.documents().get("c/a")?["n"] == (expected == 200 ? 2 : 1))
  }

  @Test(arguments: [(10, 200), (11, 403)]) func aQueryMayReadTen(reads: Int, expected: Int) async throws {
    try await prepare(reads: reads)
    let query = #"{"structuredQuery":{"from":[{"collectionId":"c"}]}}"#
    #expect(try await client.call("runQuery", query).status == expected)
  }

  @Test func aTransactionHasTheLimitOfABatch() async throws {
    try await prepare(reads: 7)
    for (ids, expected) in [(["a", "b"], 200), (["a", "b", "c"], 403)] {
      let begun = try await client.result("beginTransaction", "{}")
      let id = try #require(begun["transaction"]?.string)
      let writes = ids.map { #"{"update":{"name":"@/c/\#($0)"}}"# }
      let status = try await client.call(
        "commit", #"{"transaction":"\#(id)","writes":[\#(writes.joined(separator: ","))]}"#
      ).status
      #expect(status == expected)
    }
  }
}
