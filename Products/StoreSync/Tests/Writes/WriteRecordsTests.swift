import Foundation
import TenonDocuments
import TenonFoundation
import TenonStoreInterop
import TenonTestSupport
import TenonTesting
import TenonTransportInterop
import Testing

@testable import TenonStoreSync

@Suite("Records of writes", .limited) struct WriteRecordsTests {
  private let server = RESTServer()
  private let recording = StoreSyncSettings(recordsWrites: true)

  /// A client that sends batches as Store does: after a transient error it opens the stream again, with the
  /// last token that it has saved, and sends all batches again that have no response.
  private struct Client {
    let remote: FirestoreRemote
    var token: Data?
    /// The number of streams so far.
    var streams = 0

    /// Sends batches until all have been answered, and returns the responses.
    mutating func send(_ batches: [RemoteBatch]) async throws -> [RemoteCommit] {
      var commits: [RemoteCommit] = []
      while commits.count < batches.count {
        streams += 1
        try #require(streams < 1_000)
        var writing = RemoteWriting(remote, RemoteContext(), token: token)
        for batch in batches[commits.count...] { writing.send(batch) }
        writing.end()
        do {
          while let event = try await writing.next() {
            guard case .committed(let commit, let newToken) = event else { continue }
            commits.append(commit)
            token = newToken ?? token
          }
        } catch let error as StoreRemoteError where error.isTransient {}
      }
      return commits
    }
  }

  /// Batches that can't be repeated without harm: an increment, and a creation.
  private func batches(_ name: String) -> [RemoteBatch] {
    [
      RemoteBatch(writes: [increment("notes/\(name)-a"), set("notes/\(name)-b", ["m": 1])]),
      RemoteBatch(writes: [set("notes/\(name)-c", ["m": 2], if: .exists(false))]),
      RemoteBatch(writes: [set("notes/\(name)-d", ["m": 3])]),
    ]
  }

  @Test("make a write apply exactly once, wherever the connection breaks in the response")
  func everyByte() async throws {
    // The length of the response to the three batches together.
    let length = Lock(0)
    let measuring = try server.listening { bytes, _ in
      length.withLock { $0 = max($0, bytes.count) }
      return [.bytes(bytes)]
    }
    var client = Client(remote: try makeStore(nil, host: measuring.host, settings: recording))
    _ = try await client.send(batches("measured"))
    measuring.stop()
    let end = length.withLock { $0 }
    try #require(end > 200)

    let cut = Lock<Int?>(nil)
    let breaking = try server.listening { bytes, method in
      // The first response to a commit breaks off.
      let count = cut.withLock { cut in
        guard method == "commit" else { return Int?.none }
        defer { cut = nil }
        return cut
      }
      return count.map { [.bytes(bytes.prefix($0)), .hangUp] } ?? [.bytes(bytes)]
    }
    defer { breaking.stop() }
    client = Client(remote: try makeStore(nil, host: breaking.host, settings: recording))
    for place in stride(from: 0, to: end, by: DeepTests.count(9, deep: 1)) {
      cut.withLock { $0 = place }
      let commits = try await client.send(batches("n\(place)"))
      let (a, c) = (server.document("notes/n\(place)-a"), server.document("notes/n\(place)-c"))
      #expect(a?.fields == ["n": 1] && c?.fields == ["m": 2], "\(place)")
      #expect(commits[0].results[0].transformResults == [1], "\(place)")
      #expect(commits[0].time == a?.updateTime && commits[1].time == c?.updateTime, "\(place)")
    }
  }

  @Test("are needed: without them, a lost response makes an increment count twice") func without()
    async throws
  {
    let transport = server.transport { response, number in
      if number == 1 { throw TransportError(.connectionLost, "It broke.") }
      return response
    }
    var client = Client(remote: try makeStore(transport))
    _ = try await client.send([RemoteBatch(writes: [increment("notes/a")])])
    #expect(server.document("notes/a")?.fields == ["n": 2])
  }

  @Test("give the results of the lost response, even if the documents have changed since") func results()
    async throws
  {
    let write = DocumentWrite(
      ResourcePath(unchecked: "notes/a"), .update(["x": 1], mask: ["x"]),
      transforms: [
        FieldTransform("n", .increment(5)), FieldTransform("at", .serverTimestamp),
        FieldTransform("list", .union([1])), FieldTransform("most", .maximum(7)),
      ])
    let batch = RemoteBatch(writes: [write, DocumentWrite(ResourcePath(unchecked: "notes/b"), .delete)])
    let lost = Lock<RemoteCommit?>(nil)
    let transport = server.transport { [server] response, number in
      guard number == 1 else { return response }
      let name = DatabaseName(project: "demo-sync")
      let commit = try RemoteCommit(decoding: response.body, in: name)
      lost.withLock { $0 = commit }
      // Another client changes the document before the writer returns.
      try server.apply([set("notes/a", ["n": 100]), set("notes/b", ["m": 1])])
      throw TransportError(.timedOut, "It took too long.")
    }
    var client = Client(remote: try makeStore(transport, settings: recording))
    let commit = try await client.send([batch])[0]
    let first = try #require(lost.withLock { $0 })
    #expect(commit.time == first.time)
    #expect(commit.results == Array(first.results.prefix(2)))
    #expect(server.document("notes/a")?.fields == ["n": 100])
  }

  @Test("work for batches that are sent again in another group, and by another process") func otherGroup()
    async throws
  {
    let lost = server.transport { _, _ in throw TransportError(.connectionLost, "It broke.") }
    let batches = (0..<6).map { RemoteBatch(writes: [increment("notes/n\($0)")]) }
    let first = try makeStore(lost, settings: recording)
    await #expect(throws: StoreRemoteError.self) {
      _ = try await RemoteWriting.commits(first, Array(batches[2..<4]))
    }
    var client = Client(remote: try makeStore(server.transport(), settings: recording))
    let commits = try await client.send(batches)
    for (number, commit) in commits.enumerated() {
      let document = server.document("notes/n\(number)")
      #expect(document?.fields == ["n": 1] && document?.updateTime == commit.time)
      #expect(commit.results.map(\.transformResults) == [[1]])
    }
  }

  @Test("don't hide a rejection") func rejection() async throws {
    try server.apply([set("notes/a", [:])])
    let store = try makeStore(server.transport(), settings: recording)
    let error = await #expect(throws: StoreRemoteError.self) {
      _ = try await RemoteWriting.commits(
        store, [RemoteBatch(writes: [set("notes/a", ["n": 1], if: .exists(false))])])
    }
    #expect(error?.code == .alreadyExists && server.document("notes/a")?.fields == [:])
  }

  @Test("aren't made for batches that can be repeated") func plain() async throws {
    let store = try makeStore(server.transport(), settings: recording)
    _ = try await RemoteWriting.commits(store, [RemoteBatch(writes: [set("notes/a", [:])])])
    #expect(server.commits == [1])
  }

  /// The number of records on the server.
  private func records(_ batches: [RemoteBatch]) -> Int {
    batches.filter { server.document(WriteRecords.path(of: $0.id).text) != nil }.count
  }

  @Test("are deleted by the next stream, when the responses have been saved") func deletion() async throws {
    var client = Client(remote: try makeStore(server.transport(), settings: recording))
    let first = (0..<5).map { RemoteBatch(writes: [increment("notes/n\($0)")]) }
    _ = try await client.send(first)
    #expect(records(first) == 5)
    let saved = client.token
    let second = [RemoteBatch(writes: [set("notes/x", [:])])]
    _ = try await client.send(second)
    #expect(records(first) == 0)
    #expect(RecordToken(client.token).batches.isEmpty)
    // The token wasn't saved in time: the deletion is repeated.
    client.token = saved
    _ = try await client.send([RemoteBatch(writes: [set("notes/y", [:])])])
    let commits = server.commits
    _ = try await client.send([RemoteBatch(writes: [set("notes/z", [:])])])
    #expect(commits.suffix(1) == [6] && server.commits.last == 1)
  }

  @Test("are deleted even if the response to the deletion is lost") func lostDeletion() async throws {
    let lost = Lock<Int?>(nil)
    let transport = server.transport { response, number in
      guard lost.withLock({ $0 == number }) else { return response }
      throw TransportError(.timedOut, "It took too long.")
    }
    var client = Client(remote: try makeStore(transport, settings: recording))
    let first = (0..<5).map { RemoteBatch(writes: [increment("notes/n\($0)")]) }
    _ = try await client.send(first)
    lost.withLock { $0 = server.requests.count + 1 }
    let second = RemoteBatch(writes: [increment("notes/x")])
    _ = try await client.send([second])
    #expect(records(first) == 0 && records([second]) == 1)
    #expect(server.document("notes/x")?.fields == ["n": 1])
    _ = try await client.send([RemoteBatch(writes: [set("notes/y", [:])])])
    #expect(records([second]) == 0 && RecordToken(client.token).batches.isEmpty)
  }

  @Test("never exceed 100: the stream ends, and the next one deletes them") func limit() async throws {
    var client = Client(remote: try makeStore(server.transport(), settings: recording))
    let batches = (0..<350).map { _ in RemoteBatch(writes: [increment("notes/a")]) }
    _ = try await client.send(batches)
    #expect(client.streams == 4 && records(batches) == 50)
    #expect(server.document("notes/a")?.fields == ["n": 350])
  }

  @Test("never exceed 100, also when many batches are committed together", arguments: [2, 9, 64])
  func limitOfGroups(size: Int) async throws {
    let counts = Lock<[Int]>([])
    let batches = (0..<350).map { RemoteBatch(writes: [increment("notes/a\($0 % (size * 2))")]) }
    let transport = server.transport { [self] response, _ in
      let count = records(batches)
      counts.withLock { $0.append(count) }
      return response
    }
    var client = Client(remote: try makeStore(transport, settings: recording))
    _ = try await client.send(batches)
    #expect(counts.withLock { $0.max() } == 100)
    // Several batches were in one commit: each has two writes.
    #expect(server.commits.contains { $0 >= 2 * size })
    for number in 0..<(size * 2) {
      let increments = (0..<350).count { $0 % (size * 2) == number }
      #expect(server.document("notes/a\(number)")?.fields?["n"] == .integer(Int64(increments)))
    }
  }

  @Test("that can't be deleted don't stop writes") func undeletable() async throws {
    let server = RESTServer { request in
      let writes = request.json["writes"]?.array ?? []
      return writes.contains { $0["delete"] != nil } ? StoreRemoteError(.permissionDenied, "No.") : nil
    }
    var client = Client(remote: try makeStore(server.transport(), settings: recording))
    for _ in 0..<3 {
      _ = try await client.send((0..<80).map { _ in RemoteBatch(writes: [increment("notes/a")]) })
    }
    #expect(server.document("notes/a")?.fields == ["n": 240])
    #expect(RecordToken(client.token).batches.count == 80)
  }

  @Test("that can't be created are named in the error") func forbidden() async throws {
    let server = RESTServer { request in
      let isAboutRecords = String(describing: request.json).contains(StoreSyncSettings.recordsCollection)
      return isAboutRecords ? StoreRemoteError(.permissionDenied, "No.") : nil
    }
    let store = try makeStore(server.transport(), settings: recording)
    let error = await #expect(throws: StoreRemoteError.self) {
      _ = try await RemoteWriting.commits(store, [RemoteBatch(writes: [increment("notes/a")])])
    }
    #expect(error?.code == .permissionDenied)
    #expect(error?.message.contains("StoreSyncSettings.recordsWrites") == true)
  }

  @Test("whose documents can't be read give the times") func unreadable() async throws {
    let reads = Lock(0)
    let server = RESTServer { request in
      guard request.method == "batchGet" else { return nil }
      let number = reads.withLock { reads in
        reads += 1
        return reads
      }
      return number == 2 ? StoreRemoteError(.permissionDenied, "No.") : nil
    }
    let transport = server.transport { response, number in
      if number == 1 { throw TransportError(.timedOut, "It took too long.") }
      return response
    }
    var client = Client(remote: try makeStore(transport, settings: recording))
    let commit = try await client.send([RemoteBatch(writes: [increment("notes/a")])])[0]
    #expect(commit.time == server.document("notes/a")?.updateTime)
    #expect(commit.results.map(\.transformResults) == [[]])
  }

  @Test("are listed in a token that other remotes' tokens aren't mistaken for") func tokens() {
    let token = RecordToken(batches: [UUID(), UUID()])
    #expect(RecordToken(token.bytes) == token)
    for other in [nil, Data(), Data("tenon-records-1:x".utf8), Data([255]), Data("1700000000".utf8)] {
      #expect(RecordToken(other).batches.isEmpty)
    }
    #expect(RecordToken(RecordToken().bytes) == RecordToken())
  }
}
