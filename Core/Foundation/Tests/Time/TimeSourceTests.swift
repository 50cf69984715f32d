import TenonFoundation
import TenonTestSupport
import Testing

@Suite(.limited)
struct TimeSourceTests {
  private let time = TestTime()

  @Test func operationThatIsFasterThanTheDeadlineReturnsItsResult() async throws {
    #expect(try await time.source.value(by: time.now + .seconds(1)) { 7 } == 7)
    #expect(try await time.source.value(by: nil) { 8 } == 8)
  }

  @Test func errorOfTheOperationIsThrown() async {
    struct Failure: Error {}
    await #expect(throws: Failure.self) {
      try await time.source.value(by: time.now + .seconds(1)) { throw Failure() }
    }
  }

  /// The operation can't be cancelled, so a task group would wait for it forever.
  @Test func deadlineEndsAnOperationThatIgnoresItsCancellation() async throws {
    let (held, release) = AsyncStream<Void>.makeStream()
    var waits = time.waits.makeAsyncIterator()
    let call = Task { [time] in
      try await time.source.value(by: time.now + .seconds(20)) {
        await Task.detached { for await _ in held {} }.value
        return 1
      }
    }
    #expect(await waits.next() == 20)
    time.advance(by: 20)
    #expect(try await call.value == nil)
    release.finish()
  }

  @Test func deadlineCancelsTheOperation() async throws {
    let (endless, never) = AsyncStream<Void>.makeStream()
    let (ends, ended) = AsyncStream<Bool>.makeStream()
    var waits = time.waits.makeAsyncIterator()
    let call = Task { [time] in
      try await time.source.value(by: time.now + .seconds(20)) {
        for await _ in endless {}
        ended.yield(Task.isCancelled)
      }
    }
    #expect(await waits.next() == 20)
    time.advance(by: 20)
    _ = try await call.value
    for await wasCancelled in ends {
      #expect(wasCancelled)
      break
    }
    never.finish()
  }

  @Test func pollingEndsWhenTheCheckReturnsFalse() async {
    let time = TestTime(advancesItself: true)
    var waits = time.waits.makeAsyncIterator()
    var checks = 0
    await time.source.poll(every: .seconds(2)) {
      checks += 1
      return checks < 3
    }
    #expect(checks == 3)
    for _ in 0..<3 { #expect(await waits.next() == 2) }
  }

  @Test func pollingEndsWhenItsTaskIsCancelled() async {
    let checks = Lock(0)
    var waits = time.waits.makeAsyncIterator()
    let polling = Task { [time] in
      await time.source.poll(every: .seconds(1)) {
        checks.withLock { $0 += 1 }
        return true
      }
    }
    #expect(await waits.next() == 1)
    time.advance(by: 1)
    #expect(await waits.next() == 1)
    polling.cancel()
    await polling.value
    #expect(checks.withLock { $0 } == 1)
  }

  @Test func pollingChecksNothingAfterItsCancellation() async {
    // The sleep ends in time, and the task is cancelled before the check.
    let time = TimeSource(sleep: { _ in withUnsafeCurrentTask { $0?.cancel() } })
    let checks = Lock(0)
    await Task {
      await time.poll(every: .seconds(1)) {
        checks.withLock { $0 += 1 }
        return false
      }
    }.value
    #expect(checks.withLock { $0 } == 0)
  }

  /// Whatever comes first decides; what comes later has no effect.
  @Test(arguments: [false, true])
  func everyOrderOfDeadlineAnswerAndCancellation(obeysCancellation: Bool) async {
    await forEveryOrder { schedule in
      let time = TestTime()
      let answer = Gate()
      let wasCancelled = Lock(false)
      let call = schedule.task {
        try await time.source.value(by: time.now + .seconds(10)) {
          let waiting = Task.detached { try await answer.pass() }
          try await withTaskCancellationHandler {
            try await waiting.value
          } onCancel: {
            wasCancelled.withLock { $0 = true }
            if obeysCancellation { waiting.cancel() }
          }
          return 1
        }
      }
      schedule.event("the deadline passes") { time.advance(by: 10) }
      schedule.event("the operation ends") { answer.open() }
      schedule.event("the caller is cancelled") { call.cancel() }
      await schedule.play()
      #expect(call.result != nil)
      guard schedule.isQuietBetweenEvents else { return }
      switch schedule.order[0] {
      case "the deadline passes": #expect(call.value == .some(nil) && wasCancelled.withLock(\.self))
      case "the operation ends": #expect(call.value == 1 && !wasCancelled.withLock(\.self))
      default: #expect(call.wasCancelled && wasCancelled.withLock(\.self))
      }
    }
  }
}
