import TenonSQLite
import TenonTestSupport
import TenonTesting
import Testing

@testable import TenonStore
@testable import TenonStoreEngine

@Suite(.limited)
struct ForeignChangesTests {
  private enum Event: Equatable { case poll, end }

  /// Sends `end` when it is deallocated: when the polling task has ended and released its function.
  private final class Witness: Sendable {
    let events: AsyncStream<Event>.Continuation

    init(_ events: AsyncStream<Event>.Continuation) { self.events = events }
    deinit { events.yield(.end) }
  }

  @Test func pollingEndsWithoutAnotherCallWhenStopped() async throws {
    let (time, connection) = (TestTime(), try Connection.open(nil))
    var waits = time.waits.makeAsyncIterator()
    let (stream, channel) = AsyncStream<Event>.makeStream()
    var events = stream.makeAsyncIterator()
    let changes = ForeignChanges(time.source)
    changes.start(connection) { [witness = Witness(channel)] in witness.events.yield(.poll) }
    #expect(await waits.next() == 0.05)
    time.advance(by: 0.05)
    #expect(await events.next() == .poll)
    #expect(await waits.next() == 0.05)
    #expect(changes.isPolling)
    changes.stop()
    #expect(!changes.isPolling)
    #expect(await events.next() == .end)
  }

  /// The views and targets of the ended listeners end with them, so that later listeners have their own.
  @Test func listenersEndedByAFailedReadLeaveNothingBehind() async throws {
    let directory = try TestDirectory()
    let store = makeStore(directory, remote: FakeStoreRemote())
    try await store.document("c/old").delete()
    let other = try openDatabase(directory.file)
    do {
      let snapshots = Snapshots(store.collection("c").snapshots)
      #expect(try await snapshots.next()?.isEmpty == true)
      try other.run("ALTER TABLE changes RENAME TO hidden")
      await #expect(throws: StoreError.self) { try await snapshots.next { _ in false } }
    }
    try other.run("ALTER TABLE hidden RENAME TO changes")
    #expect(try await store.engine.use { $0.sync.views.isEmpty && $0.sync.remote?.targets.isEmpty == true })
    do {
      let snapshots = Snapshots(store.collection("c").snapshots)
      try await store.document("c/a").setData(["n": 1])
      #expect(try await snapshots.next { !$0.isEmpty }?.ids == ["a"])
      #expect(try await store.engine.use { $0.sync.views.all.count } == 1)
    }
    try await eventually { await !store.engine.isListened }
    #expect(try await store.engine.use { $0.sync.views.isEmpty && $0.sync.remote?.targets.isEmpty == true })
    await store.terminate()
  }

  /// The state of its target can't be saved, and never will be.
  @Test func aListenerThatCannotEndInOrderLeavesNothingBehind() throws {
    let driven = try DrivenSync()
    let listener = try driven.listen()
    try driven.acknowledgeTargets()
    try driven.sendSnapshot(at: 1, ["a"])
    try driven.connection.run("ALTER TABLE targets RENAME TO others")
    #expect(throws: SQLiteError.self) { try driven.sync.unlisten(listener) }
    #expect(driven.sync.views.isEmpty)
    #expect(driven.sync.remote?.targets.isEmpty == true)
    #expect(driven.streams.targets.isEmpty)
    try driven.connection.run("ALTER TABLE others RENAME TO targets")
    _ = try driven.listen()
    #expect(driven.sync.views.all.count == 1)
    #expect(driven.streams.targets.count == 1)
  }
}
