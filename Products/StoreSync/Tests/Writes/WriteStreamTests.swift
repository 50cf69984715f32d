import Foundation
import TenonCore
import TenonDocuments
import TenonFoundation
import TenonStoreInterop
import TenonTestSupport
import TenonTesting
import TenonTransportInterop
import Testing

@testable import TenonStoreSync

@Suite("A write stream", .limited) struct WriteStreamTests {
  private let server = RESTServer()

  @Test("applies batches in their order and answers each") func order() async throws {
    let store = try makeStore(server.transport())
    let batches = (1...30).map { number in
      RemoteBatch(writes: [set("notes/a", ["n": .integer(number)]), increment("notes/b")])
    }
    let commits = try await RemoteWriting.commits(store, batches)
    #expect(commits.map { $0.results.last?.transformResults.first } == (1...30).map { .integer($0) })
    for (earlier, later) in zip(commits, commits.dropFirst()) {
      #expect(earlier.time.compare(later.time) < 0 || earlier.isFollowed)
    }
    #expect(server.document("notes/a")?.fields == ["n": 30])
  }

  @Test("ends a refused batch with its error, applies those before it, and none after it", arguments: 0..<10)
  func refusal(place: Int) async throws {
    let store = try makeStore(server.transport())
    var writing = RemoteWriting(store, RemoteContext(), token: nil)
    for number in 0..<10 {
      let refused = set("notes/refused", [:], if: .exists(true))
      writing.send(
        RemoteBatch(writes: [increment("notes/n\(number)")] + (number == place ? [refused] : [])))
    }
    writing.end()
    #expect(try await writing.next() == .opened(token: nil))
    for _ in 0..<place {
      guard case .committed(let commit, nil) = try await writing.next() else {
        Issue.record("A batch before the refused one isn't answered.")
        return
      }
      #expect(commit.results.map(\.transformResults) == [[1]])
    }
    let error = await #expect(throws: StoreRemoteError.self) { try await writing.next() }
    #expect(error?.code == .notFound)
    for number in 0..<10 { #expect((server.document("notes/n\(number)") != nil) == (number < place)) }
  }

  @Test("refuses a batch without a JSON form after those before it") func invalid() async throws {
    let store = try makeStore(server.transport())
    var writing = RemoteWriting(store, RemoteContext(), token: nil)
    writing.send(RemoteBatch(writes: [increment("notes/a")]))
    writing.send(
      RemoteBatch(writes: [set("notes/b", ["t": .timestamp(Timestamp(seconds: .max))])]))
    #expect(try await writing.next() == .opened(token: nil))
    #expect(try await writing.next() != nil)
    let error = await #expect(throws: StoreRemoteError.self) { try await writing.next() }
    #expect(error?.code == .invalidArgument)
    #expect(server.document("notes/a")?.fields == ["n": 1])
  }

  @Test("answers a batch without writes, for which Google's emulator sends no time") func empty() async throws
  {
    let store = try makeStore(
      FakeTransport { _ in TransportResponse(status: 200, body: Data("{\n}\n".utf8)) })
    let commits = try await RemoteWriting.commits(store, [RemoteBatch(writes: [])])
    #expect(commits.map(\.results) == [[]])
  }

  @Test("ends with a transient error after a lost response, for Store to repeat") func lostResponse()
    async throws
  {
    let transport = server.transport { response, _ in throw TransportError(.connectionLost, "It broke.") }
    let store = try makeStore(transport)
    let error = await #expect(throws: StoreRemoteError.self) {
      _ = try await RemoteWriting.commits(store, [RemoteBatch(writes: [increment("notes/a")])])
    }
    #expect(error?.code == .unavailable && server.commits.count == 1)
  }

  @Test("stops when its consumer ends it") func cancellation() async throws {
    let gate = ThreadGate()
    let silent = try LoopbackServer { _ in [.wait(gate), .hangUp] }
    defer {
      gate.open()
      silent.stop()
    }
    let store = try makeStore(nil, host: silent.host, time: .system)
    let reading = Task { try await RemoteWriting.commits(store, [RemoteBatch(writes: [increment("a/b")])]) }
    try await eventually { !silent.requests.isEmpty }
    reading.cancel()
    #expect(try await reading.value.isEmpty)
  }

  // MARK: - Groups

  private func prepared(_ writes: DocumentWrite..., isRecorded: Bool = false) throws -> PreparedBatch {
    try PreparedBatch(
      RemoteBatch(writes: writes), isRecorded: isRecorded, in: DatabaseName(project: "demo-sync"))
  }

  private func groups(_ batches: [PreparedBatch]) -> [Int] {
    var waiting = batches
    var sizes: [Int] = []
    while !waiting.isEmpty { sizes.append(waiting.removeGroup().count) }
    return sizes
  }

  @Test("commits batches of different documents together") func groupsOfDocuments() throws {
    let (a, b, c) = (
      try prepared(increment("n/a")), try prepared(increment("n/b")), try prepared(increment("n/c"))
    )
    #expect(groups([a, b, c]) == [3])
  }

  /// Set, update and transforms of one document, as Store sends them.
  @Test("commits writes of one document together, unless their meaning depends on the states in between")
  func groupsOfOneDocument() throws {
    let path = ResourcePath(unchecked: "n/a")
    let update = try prepared(
      DocumentWrite(path, .update(["m": 1], mask: ["m"]), precondition: .exists(true)))
    let (plain, counter) = (try prepared(set("n/a", ["m": 0])), try prepared(increment("n/a")))
    let creation = try prepared(set("n/a", [:], if: .exists(false)))
    let conditional = try prepared(set("n/a", [:], if: .updated(Timestamp(seconds: 1))))
    let deletion = try prepared(DocumentWrite(path, .delete))
    let other = try prepared(set("n/b", [:]), increment("n/a"))
    #expect(groups([counter, counter, counter]) == [3])
    #expect(groups([plain, update, counter, other, update]) == [5])
    for alone in [creation, conditional, deletion] {
      #expect(groups([plain, alone, plain]) == [1, 1, 1])
      #expect(groups([alone, other, counter]) == [1, 2])
    }
    let recorded = try prepared(increment("n/a"), isRecorded: true)
    #expect(groups([plain, recorded, recorded, plain, plain]) == [1, 2, 2])
  }

  /// A refused group is divided, so that the refused batch is the only one that isn't applied.
  @Test("divides a refused group of one document", arguments: 0..<6) func refusalWithinADocument(place: Int)
    async throws
  {
    let store = try makeStore(server.transport())
    try server.apply([set("notes/a", ["n": 0])])
    var writing = RemoteWriting(store, RemoteContext(), token: nil)
    for number in 0..<6 {
      let refused = set("notes/refused", [:], if: .exists(true))
      writing.send(RemoteBatch(writes: [increment("notes/a")] + (number == place ? [refused] : [])))
    }
    writing.end()
    var results: [Value] = []
    let error = await #expect(throws: StoreRemoteError.self) {
      while let event = try await writing.next() {
        if case .committed(let commit, _) = event { results += commit.results[0].transformResults }
      }
    }
    #expect(error?.code == .notFound)
    #expect(results == (0..<place).map { .integer(Int64($0 + 1)) })
    #expect(server.document("notes/a")?.fields == ["n": .integer(Int64(place))])
  }

  @Test("says which answers belong to one commit") func followedAnswers() async throws {
    let store = try makeStore(server.transport())
    let commits = try await RemoteWriting.commits(
      store, (0..<20).map { _ in RemoteBatch(writes: [increment("notes/a")]) })
    for (commit, next) in zip(commits, commits.dropFirst()) {
      #expect(commit.isFollowed == (commit.time == next.time))
    }
    #expect(commits.count == 20 && commits.last?.isFollowed == false)
    #expect(server.commits.count < 20)
  }

  @Test("gives each batch of a group its own results") func results() async throws {
    let store = try makeStore(server.transport())
    try server.apply([set("n/c", ["n": 7])])
    let group = [
      try prepared(set("n/a", [:]), increment("n/b"), isRecorded: true), try prepared(increment("n/c")),
      try prepared(set("n/d", [:])),
    ]
    let commits = try await store.commit(group, in: RemoteContext())
    #expect(commits.map { $0.results.map(\.transformResults) } == [[[], [1]], [[8]], [[]]])
    #expect(server.commits == [5] && Set(commits.map(\.time)).count == 1)
  }

  @Test("commits no more operations and bytes together than a server accepts") func limits() throws {
    let many = try (0..<6).map { place in
      try prepared(increment("n/\(place)"), increment("n/\(place)"))
    }
    #expect(many[0].operations == 4)
    let full = try (0..<200).map { try prepared(increment("n/\($0)"), set("m/\($0)", [:])) }
    #expect(groups(full) == [166, 34])
    let text = Value.string(String(repeating: "x", count: 1 << 20))
    let large = try (0..<5).map { try prepared(set("n/\($0)", ["t": text])) }
    #expect(groups(large) == [2, 2, 1])
    let huge = try prepared(
      set("n/a", ["t": text]), set("n/b", ["t": text]), set("n/c", ["t": text]), set("n/d", ["t": text]))
    #expect(groups([huge, many[0]]) == [1, 1], "a batch beyond the limits goes alone")
    let recorded = try (0..<150).map { try prepared(increment("n/\($0)"), isRecorded: true) }
    #expect(groups(recorded) == [100, 50], "a token that lists the records has a limit")
  }

  @Test(
    "knows which batches can be repeated without harm",
    arguments: [
      (set("n/a", ["n": 1]), false), (DocumentWrite(ResourcePath(unchecked: "n/a"), .delete), false),
      (increment("n/a"), true), (set("n/a", [:], if: .exists(true)), true),
      (set("n/a", [:], if: .updated(Timestamp(seconds: 1))), true),
      (
        DocumentWrite(
          ResourcePath(unchecked: "n/a"), .update([:], mask: []),
          transforms: [
            FieldTransform("a", .union([1])), FieldTransform("b", .serverTimestamp),
            FieldTransform("c", .maximum(1)), FieldTransform("d", .minimum(1)),
            FieldTransform("e", .remove([1])),
          ]), false
      ),
    ])
  func repetition(write: DocumentWrite, isHarmed: Bool) throws {
    #expect(RemoteBatch(writes: [set("n/b", [:]), write]).isHarmedByRepetition == isHarmed)
    #expect(try (prepared(write, isRecorded: true).record != nil) == isHarmed)
    #expect(try prepared(write).record == nil)
  }
}
