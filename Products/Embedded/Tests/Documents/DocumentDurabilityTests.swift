import Foundation
import TenonDocuments
import TenonSQLite
import TenonStoreInterop
import TenonTestSupport
import TenonTesting
import Testing

@testable import TenonEmbedded

@Suite(.limited) struct DocumentDurabilityTests {
  private let rooms = StructuredQuery(parent: ResourcePath(segments: []), collectionID: "rooms")
  private let den = ResourcePath(segments: ["rooms", "den"])

  private func withBackends(
    _ body: (_ open: (_ clock: TestClock) -> (EmbeddedStoreRemote, Embedded)) async throws -> Void
  ) async throws {
    let directory = TemporaryDirectory()
    defer { directory.remove() }
    try await body { clock in
      let embedded = Backend(directory: directory.path, clock: clock).embedded
      return (EmbeddedStoreRemote(embedded, auth: nil), embedded)
    }
  }

  private func increment(_ path: ResourcePath) -> RemoteBatch {
    RemoteBatch(writes: [
      DocumentWrite(path, .update([:], mask: []), transforms: [FieldTransform("n", .increment(1))])
    ])
  }

  @Test func documentsSurviveReopening() async throws {
    try await withBackends { open in
      let (first, embedded) = open(TestClock())
      let commit = try await first.commit(
        RemoteBatch(writes: [DocumentWrite(den, .set(["n": 1, "at": .timestamp(.init(seconds: 1))]))]),
        in: RemoteContext())
      await embedded.close()

      let (second, again) = open(TestClock())
      let document = try await second.fetch([den], in: RemoteContext()).first
      #expect(document?.fields == ["n": 1, "at": .timestamp(.init(seconds: 1))])
      #expect(document?.updateTime == commit.time && document?.createTime == commit.time)
      let later = try await second.commit(increment(den), in: RemoteContext())
      #expect(later.time.compare(commit.time) > 0)
      await again.close()
    }
  }

  @Test func commitTimesIncreaseWhenTheClockIsSetBack() async throws {
    try await withBackends { open in
      let clock = TestClock()
      let (remote, embedded) = open(clock)
      let first = try await remote.commit(increment(den), in: RemoteContext())
      clock.advance(bySeconds: -1000)
      let second = try await remote.commit(increment(den), in: RemoteContext())
      #expect(second.time.compare(first.time) > 0)
      await embedded.close()
    }
  }

  @Test func aListenerResumesAfterARestart() async throws {
    try await withBackends { open in
      let (first, embedded) = open(TestClock())
      try await embedded.documents().set("rooms/den", ["n": 1])
      try await embedded.documents().set("rooms/attic", ["n": 2])
      var listening = ListenClient(first, RemoteContext())
      listening.add(1, .query(rooms))
      try await listening.until { $0.isCurrent(1) }
      let token = try #require(listening.token(1))
      try await embedded.documents().delete("rooms/den")
      await embedded.close()

      let (second, again) = open(TestClock())
      try await again.documents().set("rooms/cellar", ["n": 3])
      var resumed = ListenClient(second, RemoteContext())
      resumed.keep(1, from: listening)
      resumed.add(1, .query(rooms), .token(token), expectedCount: 2)
      try await resumed.until { $0.isCurrent(1) }
      #expect(resumed.held(1) == ["attic", "cellar"])
      #expect(resumed.wasMentioned("den") && !resumed.wasMentioned("attic") && !resumed.wasReset(1))
      #expect(resumed.filter(1) == nil)
      await again.close()
    }
  }

  @Test func aResumeTokenExpiresAfterAWeek() async throws {
    try await withBackends { open in
      let clock = TestClock()
      let (first, embedded) = open(clock)
      try await embedded.documents().set("rooms/den", ["n": 1])
      var listening = ListenClient(first, RemoteContext())
      listening.add(1, .query(rooms))
      try await listening.until { $0.isCurrent(1) }
      let token = try #require(listening.token(1))
      try await embedded.documents().delete("rooms/den")
      try await embedded.documents().set("rooms/attic", ["n": 2])
      await embedded.close()

      clock.advance(bySeconds: 8 * 24 * 3_600)
      let (second, again) = open(clock)
      var resumed = ListenClient(second, RemoteContext())
      resumed.keep(1, from: listening)
      resumed.add(1, .query(rooms), .token(token))
      try await resumed.until { $0.isCurrent(1) }
      #expect(resumed.wasReset(1))
      #expect(resumed.held(1) == ["attic"])
      let newer = try #require(resumed.token(1))
      resumed.end()
      // Later changes are still available.
      var last = ListenClient(second, RemoteContext())
      last.keep(1, from: resumed)
      last.add(1, .query(rooms), .token(newer))
      try await last.until { $0.isCurrent(1) }
      #expect(!last.wasReset(1) && last.held(1) == ["attic"])
      await again.close()
    }
  }

  /// Returns a database with five commits to one document, and the times of the commits.
  private func withFiveCommits() throws -> (Connection, [Timestamp]) {
    let connection = try Connection.open(nil)
    try connection.migrate(DocumentSchema.migrations)
    try PresentDocuments.create(connection, projectID: "demo", name: "(default)", now: now)
    let table = try table(connection)
    var commitTimes = [table.commitTime]
    for _ in 0..<5 { commitTimes.append(try table.commit(increment(den), now: now) { _, _, _ in }.time) }
    return (connection, commitTimes)
  }

  private let now = Timestamp(seconds: 1000)

  private func table(_ connection: Connection) throws -> PresentDocuments {
    try PresentDocuments(connection, projectID: "demo", name: "(default)")
  }

  @Test func onlyTheLatestChangesAreKept() throws {
    let (connection, commitTimes) = try withFiveCommits()
    try PresentDocuments.prune(connection, now: now, keeping: .init(count: 2))
    let pruned = try table(connection)
    for commitTime in commitTimes[..<3] { #expect(try pruned.transitions(since: commitTime) == nil) }
    for commitTime in commitTimes[3...] { #expect(try pruned.transitions(since: commitTime) != nil) }
    #expect(try pruned.transitions(since: commitTimes[3])?.first?.before?.fields == ["n": 3])
    #expect(try pruned.transitions(since: commitTimes[5])?.isEmpty == true)
  }

  @Test func theSizeOfTheChangesIsLimited() throws {
    let (connection, commitTimes) = try withFiveCommits()
    // The document doesn't exist before the first commit, and has the same size after each one.
    let size = try table(connection).changeBytes / 4
    #expect(size > 0 && size == DocumentCoding.encode(["n": 1]).count)
    try PresentDocuments.prune(connection, now: now, keeping: .init(bytes: size * 2))
    let pruned = try table(connection)
    #expect(pruned.changeBytes == size * 2)
    #expect(try pruned.transitions(since: commitTimes[2]) == nil)
    #expect(try pruned.transitions(since: commitTimes[3]) != nil)
  }

  @Test func theLastCommitIsNeverPruned() throws {
    let (connection, commitTimes) = try withFiveCommits()
    try PresentDocuments.prune(
      connection, now: Timestamp(seconds: 2_000_000), keeping: .init(count: 0, bytes: 0))
    #expect(try table(connection).transitions(since: commitTimes[4])?.count == 1)
    #expect(try table(connection).transitions(since: commitTimes[3]) == nil)
  }

  @Test func aBatchThatIsResentAfterARestartIsAppliedOnce() async throws {
    try await withBackends { open in
      let clock = TestClock()
      let (first, embedded) = open(clock)
      let batch = increment(den)
      let answer = try await first.commit(batch, in: RemoteContext())
      await embedded.close()

      let (second, again) = open(clock)
      let repeated = try await second.commit(batch, in: RemoteContext())
      #expect(repeated.time == answer.time)
      #expect(repeated.results.map(\.transformResults) == [[1]])
      #expect(try await again.documents().get("rooms/den") == ["n": 1])
      await again.close()

      clock.advance(bySeconds: 8 * 24 * 3_600)
      let (third, last) = open(clock)
      #expect(try await third.commit(batch, in: RemoteContext()).results.map(\.transformResults) == [[2]])
      await last.close()
    }
  }

  @Test func theResultOfABatchIsStoredCompletely() throws {
    let commit = RemoteCommit(
      time: Timestamp(seconds: 5, nanoseconds: 1000),
      results: [
        .init(updateTime: Timestamp(seconds: 2), transformResults: [1, .null, 0.5]), .init(),
        .init(transformResults: [.timestamp(Timestamp(seconds: 5))]),
      ])
    let read = try RemoteCommit(bytes: commit.bytes)
    #expect(read.time == commit.time)
    #expect(read.results.map(\.updateTime) == commit.results.map(\.updateTime))
    #expect(read.results.map(\.transformResults) == commit.results.map(\.transformResults))
  }

  @Test func twoAppsOfADirectoryActAsTwoDevices() async throws {
    try await withBackends { open in
      let (phone, phoneBackend) = open(TestClock())
      let (desk, deskBackend) = open(TestClock())
      var listening = ListenClient(desk, RemoteContext())
      listening.add(1, .query(rooms))
      try await listening.until { $0.isCurrent(1) }
      _ = try await phone.commit(increment(den), in: RemoteContext())
      try await listening.until { $0.held(1) == ["den"] }
      #expect(try await desk.fetch([den], in: RemoteContext()).first?.fields == ["n": 1])
      _ = try await desk.commit(increment(den), in: RemoteContext())
      #expect(try await phone.fetch([den], in: RemoteContext()).first?.fields == ["n": 2])
      await phoneBackend.close()
      await deskBackend.close()
    }
  }

  @Test func listenersReceiveTheCommitsOfOtherProcesses() async throws {
    let directory = TemporaryDirectory()
    defer { directory.remove() }
    let embedded = Backend(directory: directory.path).embedded
    // The second stream begins when there is no other.
    for number in 1...2 {
      var listening = ListenClient(EmbeddedStoreRemote(embedded, auth: nil), RemoteContext())
      listening.add(1, .query(rooms))
      try await listening.until { $0.isCurrent(1) }
      // Like another process, this connection bypasses the backend, which isn't notified.
      let connection = try Connection.open("\(directory.path)/backend/documents.sqlite")
      try connection.transaction {
        let table = try PresentDocuments(connection, projectID: "demo", name: "(default)")
        _ = try table.commit(increment(den), now: Timestamp(seconds: 0)) { _, _, _ in }
      }
      try await listening.until { $0.document("den")?.fields == ["n": .integer(Int64(number))] }
      listening.end()
      try await eventually { await embedded.documentDatabase.listeners.isEmpty }
    }
    await embedded.close()
  }

  @Test func projectsOfADirectoryAreSeparate() async throws {
    let directory = TemporaryDirectory()
    defer { directory.remove() }
    let demo = Embedded(projectID: "demo", directory: directory.path)
    let other = Embedded(projectID: "other", directory: directory.path)
    try await demo.documents().set("rooms/den", ["n": 1])
    #expect(try await other.documents().get("rooms/den") == nil)
    await demo.close()
    await other.close()
  }
}
