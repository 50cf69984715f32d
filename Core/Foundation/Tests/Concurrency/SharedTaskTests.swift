import TenonFoundation
import TenonTestSupport
import Testing

@Suite(.limited) struct SharedTaskTests {
  private struct Failure: Error {}

  @Test func allCallersReceiveTheSameResult() async throws {
    let runs = Lock(0)
    let task = SharedTask {
      runs.withLock { count in
        count += 1
        return count
      }
    }
    let callers = (0..<100).map { _ in Task { try await task.value() } }
    for caller in callers { #expect(try await caller.value == 1) }
    #expect(task.isOver)
    #expect(try await task.value() == 1)
    let failing = SharedTask<Int> { throw Failure() }
    for _ in 0..<2 { await #expect(throws: Failure.self) { try await failing.value() } }
  }

  @Test func operationIsCancelledWhenTheLastCallerLeaves() async throws {
    let (started, starting) = AsyncStream<Void>.makeStream()
    let (ended, ending) = AsyncStream<Bool>.makeStream()
    let (endless, never) = AsyncStream<Void>.makeStream()
    let task = SharedTask {
      starting.yield()
      // Ends when this task is cancelled.
      for await _ in endless {}
      ending.yield(Task.isCancelled)
    }
    let callers = (0..<2).map { _ in Task { try await task.value() } }
    for await _ in started { break }
    callers[0].cancel()
    await #expect(throws: CancellationError.self) { try await callers[0].value }
    callers[1].cancel()
    await #expect(throws: CancellationError.self) { try await callers[1].value }
    for await wasCancelled in ended {
      #expect(wasCancelled)
      break
    }
    #expect(task.isOver)
    never.finish()
  }

  @Test func operationThatRunsToCompletionContinuesWithoutCallers() async throws {
    let (started, starting) = AsyncStream<Void>.makeStream()
    let (held, release) = AsyncStream<Void>.makeStream()
    let task = SharedTask(runsToCompletion: true) {
      starting.yield()
      for await _ in held {}
      return Task.isCancelled
    }
    let caller = Task { try await task.value() }
    for await _ in started { break }
    caller.cancel()
    await #expect(throws: CancellationError.self) { try await caller.value }
    #expect(!task.isOver)
    release.finish()
    #expect(try await task.value() == false)
  }
}
