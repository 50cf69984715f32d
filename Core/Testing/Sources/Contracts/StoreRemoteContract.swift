import TenonDocuments
public import TenonStoreInterop
import Testing

#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif

/// What every ``StoreRemote`` must do, as a test.
public enum StoreRemoteContract {
  /// Checks an implementation; what it breaks is recorded as an issue of the running test.
  ///
  /// - Parameters:
  ///   - remote: the implementation, without documents in the collection `contract`.
  ///   - database: the database to use.
  public static func check(_ remote: any StoreRemote, database: String) async throws {
    try await checkCommits(remote, database)
    try await checkListening(remote, database)
    try await checkAggregates(remote, database)
  }

  private static func path(_ id: String) -> ResourcePath { ResourcePath(segments: ["contract", id]) }

  private static let collection = StructuredQuery(
    parent: ResourcePath(segments: []),
    collectionID: "contract"
  )

  private static func checkCommits(_ remote: any StoreRemote, _ database: String) async throws {
    #expect(
      try await remote.fetch([path("a")], database: database).first?.fields == nil,
      "what isn't there has no fields"
    )
    let first = try await remote.commit(
      [DocumentWrite(path("a"), .set(["n": 1, "m": ["x": 1]]))],
      database: database
    )
    let document = try await remote.fetch([path("a")], database: database).first
    #expect(
      document?.fields == ["n": 1, "m": ["x": 1]] && document?.updateTime == first,
      "a commit is what is fetched"
    )
    let update = DocumentWrite(
      path("a"),
      .update(["n": 2], mask: ["n", "m.x"]),
      precondition: .updated(first)
    )
    let second = try await remote.commit([update], database: database)
    #expect(second.compare(first) > 0, "time goes on with each commit")
    #expect(
      try await remote.fetch([path("a")], database: database).first?.fields == ["n": 2, "m": [:]],
      "an update changes the fields of its mask"
    )

    let refused: [(WritePrecondition, String, StoreRemoteError.Code)] = [
      (.exists(false), "a", .alreadyExists), (.exists(true), "none", .notFound),
      (.updated(first), "a", .failedPrecondition),
    ]
    for (precondition, id, code) in refused {
      do {
        let writes = [
          DocumentWrite(path("b"), .set(["n": 5])),
          DocumentWrite(path(id), .set([:]), precondition: precondition),
        ]
        _ = try await remote.commit(writes, database: database)
        Issue.record("a precondition that doesn't hold is an error")
      } catch let error as StoreRemoteError {
        #expect(error.code == code, "an error says which precondition failed")
      }
      #expect(
        try await remote.fetch([path("b")], database: database).first?.fields == nil,
        "a commit is whole or nothing"
      )
    }
    _ = try await remote.commit([DocumentWrite(path("a"), .delete)], database: database)
    #expect(
      try await remote.fetch([path("a")], database: database).first?.fields == nil,
      "a deleted document has no fields"
    )
  }

  private static func checkListening(_ remote: any StoreRemote, _ database: String) async throws {
    var query = collection
    query.filter = .field("n", .greaterThan, 0)
    _ = try await remote.commit([DocumentWrite(path("a"), .set(["n": 1]))], database: database)

    var listening = Listening(remote, query, database, token: nil)
    let first = try await listening.untilConsistent()
    #expect(first.added == ["a"] && first.isCurrent, "a target is sent whole, and then it is current")
    _ = try await remote.commit(
      [DocumentWrite(path("b"), .set(["n": 2])), DocumentWrite(path("c"), .set(["n": -1]))],
      database: database
    )
    #expect(try await listening.untilConsistent().added == ["b"], "only what belongs to a target is sent")
    let token = try #require(listening.token)
    listening.end()

    _ = try await remote.commit(
      [DocumentWrite(path("a"), .set(["n": -1])), DocumentWrite(path("d"), .set(["n": 3]))],
      database: database
    )
    var resumed = Listening(remote, query, database, token: token)
    let since = try await resumed.untilConsistent()
    #expect(since.added == ["d"] && since.removed.contains("a"), "a token brings only what changed since")
    resumed.end()
  }

  private static func checkAggregates(_ remote: any StoreRemote, _ database: String) async throws {
    // a -1, b 2, c -1, d 3
    let values = try await remote.aggregate(
      collection, [.count, .sum("n"), .average("n")], database: database)
    #expect(values == [4, 3, 0.75], "aggregates are computed over the documents of a query")
    let none = try await remote.aggregate(
      collection, [.count, .sum("n"), .average("none")], database: database)
    #expect(none == [0, 0, .null], "only documents that have every aggregated field count")
  }

  /// One target listened to.
  private struct Listening {
    private(set) var token: Data?
    private let requests: AsyncStream<TargetRequest>.Continuation
    private var events: AsyncThrowingStream<RemoteEvent, any Error>.Iterator

    init(_ remote: any StoreRemote, _ query: StructuredQuery, _ database: String, token: Data?) {
      let (stream, requests) = AsyncStream<TargetRequest>.makeStream()
      self.requests = requests
      events = remote.listen(to: stream, database: database).makeAsyncIterator()
      requests.yield(.addQuery(query, target: 1, token: token))
    }

    func end() { requests.finish() }

    /// Reads until all that changed has been told.
    mutating func untilConsistent() async throws -> (
      added: Set<String>, removed: Set<String>, isCurrent: Bool
    ) {
      var added: Set<String> = []
      var removed: Set<String> = []
      var isCurrent = false
      while let event = try await events.next(isolation: #isolation) {
        switch event {
        case .document(let document, let into, let outOf):
          if into.contains(1) { added.insert(document.path.id) }
          if outOf.contains(1) { removed.insert(document.path.id) }
        case .current: isCurrent = true
        case .consistent(_, let newest):
          token = newest
          return (added, removed, isCurrent)
        case .existenceFilter, .reset, .refused: break
        }
      }
      return (added, removed, isCurrent)
    }
  }
}
