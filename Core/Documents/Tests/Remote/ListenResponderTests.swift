import Foundation
import TenonStoreInterop
import TenonTestSupport
import TenonTesting
import Testing

@testable import TenonDocuments

@Suite(.limited) struct ListenResponderTests {
  private func path(_ id: Int) -> ResourcePath { ResourcePath(segments: ["items", "\(id)"]) }

  private func query(_ filter: QueryFilter? = nil, limit: Int? = nil) -> StructuredQuery {
    StructuredQuery(
      parent: ResourcePath(segments: []), collectionID: "items", filter: filter,
      orders: [QueryOrder(field: "n")], limit: limit)
  }

  /// Applies events as a client does.
  private struct Client {
    var held: [Int: Set<ResourcePath>] = [:]

    mutating func take(_ events: [ListenEvent]) {
      for event in events {
        switch event {
        case .document(let document, let added, let removed):
          for id in added { held[id, default: []].insert(document.path) }
          for id in removed { held[id, default: []].remove(document.path) }
        case .removed(let path, let removed): for id in removed { held[id, default: []].remove(path) }
        case .target(let change):
          if case .reset = change.kind { for id in change.targets { held[id] = [] } }
        case .existenceFilter: break
        }
      }
    }
  }

  /// A client's documents converge to the result of the query, regardless of the writes, of how the changes
  /// are batched, and of the resume token from which the client continues.
  @Test(arguments: 1...UInt64(DeepTests.count(5, deep: 20))) func aClientConvergesToTheResultsOfItsQueries(
    seed: UInt64
  ) throws {
    var random = SeededGenerator(seed: seed)
    var history = History()
    let targets: [Int: ListenTarget.Content] = [
      1: .query(query()), 2: .query(query(.field("n", .greaterThan, 5))), 3: .query(query(limit: 3)),
      4: .query(query(.field("n", .lessThan, 8), limit: 1)), 5: .documents([path(1), path(2), path(99)]),
    ]
    var responder = ListenResponder(history)
    var client = Client()
    for (id, content) in targets {
      client.take(try responder.take(.add(ListenTarget(id: id, content: content)), history))
    }
    for _ in 0..<60 {
      for _ in 0..<Int.random(in: 1...3, using: &random) {
        let writes = (0..<Int.random(in: 1...4, using: &random)).map { _ in
          let document = path(Int.random(in: 0..<12, using: &random))
          return Int.random(in: 0..<3, using: &random) == 0
            ? DocumentWrite(document, .delete)
            : DocumentWrite(document, .set(["n": Value(Int.random(in: 0..<12, using: &random))]))
        }
        try history.commit(writes)
      }
      if Int.random(in: 0..<4, using: &random) == 0 {
        let token = ListenTarget.Resumption.readTime(responder.commitTime)
        responder = ListenResponder(history)
        for (id, content) in targets {
          let target = ListenTarget(
            id: id, content: content, resumption: token, expectedCount: client.held[id]?.count ?? 0)
          let events = try responder.take(.add(target), history)
          #expect(!events.contains { if case .existenceFilter = $0 { true } else { false } })
          client.take(events)
        }
      } else {
        client.take(try responder.advance(history))
      }
      for (id, content) in targets {
        var view = try TargetView(content)
        #expect(client.held[id, default: []] == Set(try view.begin(history).map(\.path)))
      }
    }
  }

  @Test func aChangeOfADocumentReadsNoCollection() throws {
    var history = History()
    for id in 0..<10 { try history.commit([DocumentWrite(path(id), .set(["n": Value(id)]))]) }
    var responder = ListenResponder(history)
    for (id, limit) in [(1, nil), (2, 3), (3, 100)] {
      _ = try responder.take(.add(ListenTarget(id: id, content: .query(query(limit: limit)))), history)
    }
    history.reads.count = 0
    for write in [
      // Changes beyond the limit, into it, within it, and a new document at its start.
      DocumentWrite(path(9), .set(["n": 20])), DocumentWrite(path(8), .set(["n": 1])),
      DocumentWrite(path(0), .set(["n": 0, "m": 1])), DocumentWrite(path(10), .set(["n": -1])),
    ] {
      try history.commit([write])
      #expect(!(try responder.advance(history)).isEmpty)
    }
    #expect(history.reads.count == 0)
    // The responder must look for other documents only after one leaves a full limit.
    try history.commit([DocumentWrite(path(10), .delete)])
    _ = try responder.advance(history)
    #expect(history.reads.count == 1)
  }

  @Test func changesOlderThanTheHistoryAreResent() throws {
    var history = History()
    try history.commit([DocumentWrite(path(1), .set(["n": 1]))])
    var responder = ListenResponder(history)
    var client = Client()
    client.take(try responder.take(.add(ListenTarget(id: 1, content: .query(query()))), history))
    try history.commit([DocumentWrite(path(1), .delete), DocumentWrite(path(2), .set(["n": 1]))])
    history.horizon = history.commitTime
    client.take(try responder.advance(history))
    #expect(client.held[1] == [path(2)])
  }

  @Test func targetIDsArePositive() throws {
    let history = History()
    var responder = ListenResponder(history)
    let events = try responder.take(.add(ListenTarget(id: 0, content: .query(query()))), history)
    guard case .target(let change) = events.first, case .removed(.some) = change.kind else {
      Issue.record("the target wasn't refused")
      return
    }
    #expect(events.count == 1 && responder.isEmpty)
  }
}

/// Documents in memory, which counts the reads of collections.
private struct History: DocumentHistory {
  final class Reads { var count = 0 }

  let identity = "test"
  let namePrefix = "projects/test/databases/(default)/documents/"
  let reads = Reads()
  var horizon = Timestamp(seconds: 1)
  private(set) var commitTime = Timestamp(seconds: 1)
  private var states: [(commitTime: Timestamp, documents: [ResourcePath: RemoteDocument])] = [
    (Timestamp(seconds: 1), [:])
  ]

  private var documents: [ResourcePath: RemoteDocument] { states.last?.documents ?? [:] }

  mutating func commit(_ writes: [DocumentWrite]) throws {
    var documents = documents
    commitTime = Timestamp(seconds: commitTime.seconds + 1)
    let plan = try CommitPlan(writes, at: commitTime) { documents[$0] }
    for transition in plan.transitions {
      documents[transition.path] = transition.after.fields == nil ? nil : transition.after
    }
    states.append((commitTime, documents))
  }

  func document(_ path: ResourcePath) -> RemoteDocument? { documents[path] }

  func forEachMatch(of query: ResolvedQuery, _ body: (RemoteDocument) throws -> Void) rethrows {
    reads.count += 1
    for document in documents.values {
      if let fields = document.fields, query.matches(fields, at: document.path) { try body(document) }
    }
  }

  /// Determines the changes by comparing whole states, unlike the remotes.
  func transitions(since past: Timestamp) -> [DocumentTransition]? {
    guard past.compare(horizon) >= 0,
      let before = states.last(where: { $0.commitTime.compare(past) <= 0 })?.documents
    else { return nil }
    return Set(before.keys).union(documents.keys).compactMap { path in
      guard before[path]?.updateTime != documents[path]?.updateTime else { return nil }
      let deleted = RemoteDocument(path: path, fields: nil, updateTime: commitTime)
      return DocumentTransition(path: path, before: before[path], after: documents[path] ?? deleted)
    }
  }
}
