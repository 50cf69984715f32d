import TenonTestSupport
import Testing

@testable import TenonFoundation

@Suite(.limited)
struct DeadlineTimerTests {
  private let timer = DeadlineTimer()

  @Test func actionsRunInTheOrderOfTheirDeadlines() async {
    let (calls, called) = AsyncStream<Int>.makeStream()
    let now = ContinuousClock.now
    for number in [3, 1, 4, 0, 2] {
      _ = timer.schedule(at: now + .milliseconds(20 * number)) { called.yield(number) }
    }
    var order: [Int] = []
    for await number in calls {
      order.append(number)
      if order.count == 5 { break }
    }
    #expect(order == [0, 1, 2, 3, 4])
    #expect(timer.pendingCount == 0)
  }

  @Test func actionNeverRunsBeforeItsDeadline() async {
    let (calls, called) = AsyncStream<ContinuousClock.Instant>.makeStream()
    let deadline = ContinuousClock.now + .milliseconds(30)
    _ = timer.schedule(at: deadline) { called.yield(.now) }
    for await instant in calls {
      #expect(instant >= deadline)
      break
    }
  }

  @Test(arguments: [Duration.zero, .seconds(-10), .seconds(-3_600)])
  func deadlineInThePastIsDueAtOnce(offset: Duration) async {
    let (calls, called) = AsyncStream<Void>.makeStream()
    _ = timer.schedule(at: .now + offset) { called.yield() }
    for await _ in calls { break }
    #expect(timer.pendingCount == 0)
  }

  /// An earlier deadline must rearm a timer that is armed for a later one.
  @Test func earlierDeadlineDoesNotWaitForALaterOne() async {
    let (calls, called) = AsyncStream<Void>.makeStream()
    let later = timer.schedule(at: .now + .seconds(3_600)) {}
    _ = timer.schedule(at: .now + .milliseconds(5)) { called.yield() }
    for await _ in calls { break }
    #expect(timer.pendingCount == 1)
    timer.cancel(later)
  }

  @Test func laterDeadlineSurvivesTheCancellationOfAnEarlierOne() async {
    let (calls, called) = AsyncStream<String>.makeStream()
    // Far enough in the future that it can't be due before its cancellation.
    let earlier = timer.schedule(at: .now + .seconds(3_600)) { called.yield("earlier") }
    _ = timer.schedule(at: .now + .seconds(7_200)) { called.yield("latest") }
    timer.cancel(earlier)
    _ = timer.schedule(at: .now + .milliseconds(10)) { called.yield("later") }
    var iterator = calls.makeAsyncIterator()
    #expect(await iterator.next() == "later")
    #expect(timer.pendingCount == 1)
  }

  @Test func cancelledActionIsReleasedAtOnce() async {
    final class Mark: Sendable {}
    weak var mark: Mark?
    let token: DeadlineTimer.Token
    do {
      let held = Mark()
      mark = held
      token = timer.schedule(at: .now + .seconds(3_600)) { [held] in _ = held }
    }
    #expect(mark != nil)
    timer.cancel(token)
    timer.cancel(token)
    #expect(mark == nil)
    #expect(timer.pendingCount == 0)
  }

  @Test func sleepEndsAtItsDeadline() async throws {
    let deadline = ContinuousClock.now + .milliseconds(10)
    try await timer.sleep(until: deadline)
    #expect(ContinuousClock.now >= deadline)
  }

  @Test func cancelledSleepEndsAtOnceAndLeavesNothingBehind() async {
    let sleeps = (0..<1_000).map { _ in Task { try await timer.sleep(until: .now + .seconds(3_600)) } }
    for sleep in sleeps { sleep.cancel() }
    for sleep in sleeps { await #expect(throws: CancellationError.self) { try await sleep.value } }
    #expect(timer.pendingCount == 0)
  }

  @Test func sleepOfACancelledTaskDoesNotBegin() async {
    let sleep = Task {
      withUnsafeCurrentTask { $0?.cancel() }
      try await timer.sleep(until: .now + .seconds(3_600))
    }
    await #expect(throws: CancellationError.self) { try await sleep.value }
    #expect(timer.pendingCount == 0)
  }

  /// Random deadlines from several tasks. Deadlines that are cancelled long before they are due never run,
  /// and all others run once.
  @Test func everyDeadlineIsReachedOrCancelledOnce() async {
    let (calls, called) = AsyncStream<Bool>.makeStream()
    let (tasks, deadlines) = (8, 500)
    await withTaskGroup(of: Void.self) { [timer] group in
      for _ in 0..<tasks {
        group.addTask {
          for _ in 0..<deadlines {
            let cancelled = timer.schedule(at: .now + .seconds(.random(in: 3_600..<7_200))) {
              called.yield(false)
            }
            _ = timer.schedule(at: .now + .microseconds(.random(in: 0..<20_000))) { called.yield(true) }
            timer.cancel(cancelled)
          }
        }
      }
    }
    var count = 0
    for await isExpected in calls {
      #expect(isExpected)
      count += 1
      if count == tasks * deadlines { break }
    }
    #expect(timer.pendingCount == 0)
  }
}
