import Foundation
import TenonCore
import TenonDocuments
import TenonFoundation
import TenonStoreInterop
import TenonTestSupport
import TenonTesting
import Testing

@testable import TenonStore
@testable import TenonStoreEngine

/// Good news ends the backoff: after an outage, a client is current soon after the remote has answered anything.
@Suite(.limited) struct RecoveryTests {
  private static var refused: StoreRemoteError {
    var error = StoreRemoteError(.unavailable, "The connection to 127.0.0.1:8080 was refused.")
    error.isUnsent = true
    return error
  }

  /// The lengths of outages in seconds: the last one ends in the longest backoff.
  static let outages: [Double] = [10, 180, 3_600]

  /// Returns an engine with a listener and a pending write, whose streams have failed for some time and wait.
  private func cut(for seconds: Double, _ error: StoreRemoteError = refused) throws -> DrivenSync {
    let driven = try DrivenSync()
    _ = try driven.listen()
    try driven.acknowledgeTargets()
    try driven.sync.write([DocumentWrite(ResourcePath(document: "c/d"), .set(["n": 1]))]) { _ in }
    let begin = driven.time.now
    try fail(driven, error)
    while driven.time.now - begin < .seconds(seconds) {
      let delays = driven.timers.waiting.filter { [.listenBackoff, .writeBackoff].contains($0.key) }
      let next = try #require(delays.min { $0.value.delay < $1.value.delay })
      driven.time.advance(by: max(next.value.delay / .seconds(1), 0.1))
      for timer in delays.keys { driven.timers.fire(timer) }
      try fail(driven, error)
    }
    return driven
  }

  private func fail(_ driven: DrivenSync, _ error: StoreRemoteError) throws {
    try driven.sync.remote?.listenCloses(error)
    try driven.sync.remote?.writeCloses(error)
  }

  private func delay(_ timer: SyncTimer, _ driven: DrivenSync) -> Duration? {
    driven.timers.waiting[timer]?.delay
  }

  @Test(arguments: outages) func anAnswerToAReadOpensBothStreams(seconds: Double) throws {
    let driven = try cut(for: seconds)
    if seconds > 100 { #expect(try #require(delay(.writeBackoff, driven)) > .seconds(2)) }
    driven.sync.remote?.remoteIsHeard()
    for timer in [SyncTimer.listenBackoff, .writeBackoff] {
      #expect(try #require(delay(timer, driven)) <= .seconds(2))
    }
  }

  @Test(arguments: outages) func anEventOfTheListenStreamOpensTheWriteStream(seconds: Double) throws {
    let driven = try cut(for: seconds)
    driven.timers.fire(.listenBackoff)
    try driven.acknowledgeTargets()
    #expect(try #require(delay(.writeBackoff, driven)) <= .seconds(2))
  }

  @Test(arguments: outages) func anAnswerToAWriteOpensTheListenStream(seconds: Double) throws {
    let driven = try cut(for: seconds)
    driven.timers.fire(.writeBackoff)
    try driven.sync.remote?.receive(.opened(token: nil))
    if seconds > 100 { #expect(try #require(delay(.listenBackoff, driven)) > .seconds(2)) }
    try driven.sync.remote?.receive(.committed(RemoteCommit(time: .zero, results: [.init()]), token: nil))
    #expect(try #require(delay(.listenBackoff, driven)) <= .seconds(2))
  }

  @Test(arguments: outages) func enablingTheNetworkAgainTriesImmediately(seconds: Double) throws {
    let driven = try cut(for: seconds)
    let openings = driven.streams.openings
    driven.sync.remote?.enableNetwork()
    #expect(driven.streams.openings == openings + 1)
    #expect(delay(.listenBackoff, driven) == nil && delay(.writeBackoff, driven) == nil)
    #expect(delay(.onlineState, driven) == OnlineStateTracker.timeout)
  }

  /// Also while the first attempt fails: the network may work again a little later than the first good answer.
  @Test func eachGoodNewsShortensTheWaitOfAStreamThatReachesNothing() throws {
    let driven = try cut(for: 3_600)
    for _ in 0..<20 {
      driven.sync.remote?.remoteIsHeard()
      #expect(try #require(delay(.writeBackoff, driven)) <= .seconds(2))
      driven.timers.fire(.writeBackoff)
      try driven.sync.remote?.writeCloses(Self.refused)
    }
  }

  /// A remote that answers reads, and is too busy for writes, must not be asked all the time.
  @Test func attemptsThatGoodNewsBringsForwardHaveABackoff() throws {
    let driven = try cut(for: 3_600, StoreRemoteError(.unavailable, "The server is busy."))
    var delays: [Duration] = []
    for _ in 0..<12 {
      for _ in 0..<100 { driven.sync.remote?.remoteIsHeard() }
      delays.append(try #require(delay(.writeBackoff, driven)))
      driven.timers.fire(.writeBackoff)
      try driven.sync.remote?.writeCloses(StoreRemoteError(.unavailable, "The server is busy."))
    }
    #expect(delays == delays.sorted() && delays[0] == .zero && delays[11] > .seconds(10), "\(delays)")
  }

  @Test func anExhaustedQuotaWaitsAsLongAsItCan() throws {
    let driven = try cut(for: 0, StoreRemoteError(.resourceExhausted, "Quota exceeded."))
    let longest = Duration.seconds(30)
    #expect(delay(.listenBackoff, driven) == longest && delay(.writeBackoff, driven) == longest)
    driven.sync.remote?.remoteIsHeard()
    #expect(delay(.listenBackoff, driven) == longest && delay(.writeBackoff, driven) == longest)
  }

  /// An attempt that began while packets were lost can take much longer than a new one.
  @Test func goodNewsReplacesAListenAttemptThatHangsOnce() throws {
    let driven = try cut(for: 180)
    driven.timers.fire(.listenBackoff)
    let openings = driven.streams.openings
    driven.time.advance(by: 1)
    driven.sync.remote?.remoteIsHeard()
    #expect(driven.streams.openings == openings, "It may be answered soon.")
    driven.time.advance(by: 3)
    driven.sync.remote?.remoteIsHeard()
    #expect(driven.streams.openings == openings + 1 && driven.streams.targets.count == 1)
    driven.time.advance(by: 30)
    driven.sync.remote?.remoteIsHeard()
    #expect(driven.streams.openings == openings + 1, "A slow server needs its time.")
  }

  // MARK: - Why

  @Test func anOutageIsLoggedWhenItBeginsOnceAMinuteAndWhenItEnds() throws {
    let driven = try cut(for: 310)
    let warnings = driven.log.messages(.warning)
    #expect((5...7).contains(warnings.count), "\(warnings)")
    #expect(warnings[0].contains("The connection to 127.0.0.1:8080 was refused."))
    #expect(driven.log.messages(.notice).isEmpty)
    for _ in 0..<3 { driven.sync.remote?.remoteIsHeard() }
    let notices = driven.log.messages(.notice)
    #expect(notices.count == 1 && notices[0].contains("answers again"))
  }

  /// Servers end streams regularly.
  @Test func theEndOfAStreamThatWorkedIsNotAnOutage() throws {
    let driven = try DrivenSync()
    _ = try driven.listen()
    for _ in 0..<5 {
      try driven.acknowledgeTargets()
      try driven.sync.remote?.listenCloses(StoreRemoteError(.unavailable, "The server has ended it."))
      driven.timers.fire(.listenBackoff)
    }
    #expect(driven.log.messages(.warning).isEmpty)
  }

  @Test func errorsAndTheQueueSayWhyTheRemoteIsNotReached() async throws {
    let remote = FakeStoreRemote()
    let log = LogRecorder()
    let store = makeStore(remote: remote, logger: log.logger)
    #expect(try await store.pendingWrites.state == .empty)
    remote.fail(with: Self.refused)
    let error = await #expect(throws: StoreError.self) {
      _ = try await store.document("c/d").getDocument(source: .server)
    }
    #expect(error?.code == .unavailable && error?.message.contains(Self.refused.message) == true)
    #expect((error?.underlying as? StoreRemoteError)?.message == Self.refused.message)
    try await store.document("c/d").setData(["n": 1])
    // Not read again: an attempt may begin meanwhile.
    let pending = try await eventually {
      try await store.pendingWrites
    } satisfies: {
      $0.state == .backingOff
    }
    #expect(pending.count == 1 && pending.oldest != nil && pending.nextAttempt != nil)
    #expect(pending.failure?.message == Self.refused.message)
    #expect("\(pending)".contains("1 pending write, sent again at "))
    try await store.disableNetwork()
    #expect(try await store.pendingWrites.state == .networkDisabled)
    let disabled = await #expect(throws: StoreError.self) {
      _ = try await store.document("c/d").getDocument(source: .server)
    }
    #expect(disabled?.message.contains("enableNetwork()") == true)
    remote.fail(with: nil)
    try await store.enableNetwork()
    try await store.waitForPendingWrites()
    #expect(try await store.pendingWrites.state == .empty)
    await store.terminate()
  }

  @Test func theQueueNamesTheProcessThatSends() async throws {
    let directory = try TestDirectory()
    let remote = FakeStoreRemote()
    let lock = FileLock("\(directory.file)-queue")
    let store = makeStore(directory, remote: remote)
    #expect(try lock.acquire())
    try await store.document("c/d").setData(["n": 1])
    let pending = try await store.pendingWrites
    #expect(pending.state == .otherProcess && pending.count == 1)
    #if os(Linux)
      #expect(pending.process == Int(ProcessInfo.processInfo.processIdentifier))
    #endif
    lock.release()
    try await store.waitForPendingWrites()
    await store.terminate()
  }

  @Test func aProcessThatKeepsTheQueueWithoutSendingIsLoggedOnce() throws {
    let driven = try DrivenSync()
    let lease = HeldLease()
    let sync = SyncEngine(
      local: driven.local,
      environment: SyncEngine.Environment(
        streams: driven.streams, timers: driven.timers, time: driven.time.source, logger: driven.log.logger,
        lease: lease))
    sync.remote?.enableNetwork()
    try sync.write([DocumentWrite(ResourcePath(document: "c/d"), .set(["n": 1]))]) { _ in }
    withExtendedLifetime(sync) {
      for _ in 0..<200 {
        driven.time.advance(by: 1)
        driven.timers.fire(.queueLease)
      }
    }
    let warnings = driven.log.messages(.warning)
    #expect(warnings.count == 1 && warnings[0].contains("Process 4711"), "\(warnings)")
  }

  /// A lease that another process holds.
  private final class HeldLease: SendingLease {
    func acquire() -> Bool { false }
    func release() {}
    var holder: Int? { 4711 }
  }

  /// As when a machine is connected to another network.
  @Test func aChangeOfTheMachinesNetworkTriesImmediately() async throws {
    let (remote, time) = (FakeStoreRemote(), TestTime())
    let (changes, change) = AsyncStream<Void>.makeStream()
    remote.fail(with: Self.refused)
    var configuration = StoreEngine.Configuration(
      logger: LogRecorder().logger, remote: remote, settings: TestEncryption.added(to: StoreSettings()),
      time: time.source)
    configuration.networkChanges = { changes }
    let store = Store(StoreEngine(configuration))
    try await store.document("c/d").setData(["n": 1])
    try await eventually {
      // The first repetition has no delay.
      time.advance(by: 0)
      return try await store.pendingWrites.nextAttempt ?? .distantPast > time.date
    }
    remote.fail(with: nil)
    change.yield()
    try await store.waitForPendingWrites()
    await store.terminate()
  }
}
