import TenonFoundation
import TenonTestSupport
import Testing

@Suite(.limited) struct ScheduleTests {
  @Test(arguments: [(0, 1), (1, 1), (2, 2), (3, 6), (4, 24), (5, 120), (6, 12), (9, 18)])
  func everyEventComesBeforeAndAfterEveryOther(events: Int, orders: Int) async {
    let seen = Lock<Set<[String]>>([])
    let names = (0..<events).map(String.init)
    await forEveryOrder { schedule in
      let played = Lock<[String]>([])
      for name in names { schedule.event(name) { played.withLock { $0.append(name) } } }
      await schedule.play()
      #expect(played.withLock(\.self) == schedule.order && schedule.order.sorted() == names)
      seen.withLock { _ = $0.insert(schedule.order) }
      for name in names.dropFirst() {
        let isFirst = schedule.order.firstIndex(of: name)! < schedule.order.firstIndex(of: "0")!
        #expect(schedule.comes(name, before: "0") == isFirst)
      }
    }
    #expect(seen.withLock(\.count) == orders)
    for first in names {
      for second in names where first != second {
        let isThere = seen.withLock { seen in
          seen.contains { $0.firstIndex(of: first)! < $0.firstIndex(of: second)! }
        }
        #expect(isThere, "\(first) is never before \(second)")
      }
    }
  }

  private actor Counter {
    private(set) var count = 0
    func increment() { count += 1 }
  }

  /// Tasks of every kind, actors, streams and gates are part of what a schedule waits for.
  @Test func nothingIsLeftToRunAfterEachEvent() async {
    await forEveryOrder { schedule in
      let (gate, counter) = (Gate(), Counter())
      let ends = Lock(0)
      for name in ["a", "b"] {
        schedule.event(name) {
          for _ in 0..<3 {
            Task { @Sendable in
              await withTaskGroup { group in
                for _ in 0..<3 { group.addTask { await counter.increment() } }
              }
              let (stream, source) = AsyncStream<Void>.makeStream()
              Task.detached {
                for _ in 0..<5 { await Task.yield() }
                source.finish()
              }
              for await _ in stream {}
              try await gate.pass()
              ends.withLock { $0 += 1 }
            }
          }
        }
      }
      await schedule.play()
      #expect(await counter.count == 18)
      #expect(ends.withLock(\.self) == 0)
      gate.open()
      await schedule.quiet()
      #expect(ends.withLock(\.self) == 6)
    }
  }

  /// A run is the same each time, and the runs of one order differ in how far a task has got.
  @Test func eventsMeetTasksThatHaveNotStarted() async {
    func steps() async -> [[Int]] {
      let all = Lock<[[Int]]>([])
      await forEveryOrder { schedule in
        let step = Lock(0)
        let seen = Lock<[Int]>([])
        let task = schedule.task {
          for _ in 0..<4 {
            step.withLock { $0 += 1 }
            await Task.yield()
          }
        }
        for name in ["a", "b"] { schedule.event(name) { seen.withLock { $0.append(step.withLock(\.self)) } } }
        await schedule.play()
        #expect(task.value != nil)
        all.withLock { $0.append(seen.withLock(\.self)) }
      }
      return all.withLock(\.self)
    }
    let first = await steps()
    #expect(first.prefix(2) == [[4, 4], [0, 0]])
    #expect(first.contains { (1..<4).contains($0[0]) })
    let second = await steps()
    #expect(first == second)
  }

  @Test func endOfATaskIsKnownWithoutWaitingForIt() async {
    struct Failure: Error {}
    await forEveryOrder { schedule in
      let gate = Gate()
      let value = schedule.task { 1 }
      let failure = schedule.task { () throws(Failure) -> Int in throw Failure() }
      let waiting = schedule.task { try await gate.pass() }
      await schedule.play()
      #expect(value.value == 1 && !value.wasCancelled)
      #expect(failure.result != nil && failure.value == nil && !failure.wasCancelled)
      #expect(waiting.result == nil && !waiting.wasCancelled)
      waiting.cancel()
      await schedule.quiet()
      #expect(waiting.wasCancelled)
    }
  }

  /// The time passes when an event says so; the task continues before the next event.
  @Test func timersAreEvents() async {
    await forEveryOrder { schedule in
      let time = TestTime()
      let task = schedule.task { try await time.sleep(for: .seconds(30)) }
      await schedule.quiet()
      schedule.event("the time passes") { time.advance(by: 30) }
      schedule.event("the task is cancelled") { task.cancel() }
      await schedule.play()
      #expect(task.wasCancelled == schedule.comes("the task is cancelled", before: "the time passes"))
      #expect(task.result != nil)
    }
  }

  @Test func failuresNameTheFirstOrderThatFails() async throws {
    struct Failure: Error {}
    let issues = Lock<[String]>([])
    let runs = Lock(0)
    let recording = IssueHandlingTrait.compactMapIssues { issue in
      issues.withLock { $0.append(issue.comments.map(\.rawValue).joined()) }
      return nil
    }
    let test = try #require(Test.current)
    for isThrown in [true, false] {
      try await recording.provideScope(for: test, testCase: Test.Case.current) {
        await forEveryOrder { schedule in
          runs.withLock { $0 += 1 }
          schedule.event("cancel") {}
          schedule.event("answer") {}
          await schedule.play()
          guard schedule.comes("answer", before: "cancel") else { return }
          if isThrown { throw Failure() } else { Issue.record("It failed. ") }
        }
      }
    }
    let order = "In the order: answer → cancel; all is quiet before each"
    #expect(issues.withLock(\.self) == [order, "It failed. \(order)"])
    #expect(runs.withLock(\.self) == 12)
  }
}
