import Dispatch
import TenonTestSupport
import Testing

@testable import TenonCore

/// The graph of the threads that wait for each other, without real creations.
@Suite(.limited) struct CreationStateTests {
  private let parent = InstanceCell()
  private let child = InstanceCell()
  private var parentID: ObjectIdentifier { ObjectIdentifier(parent) }
  private var childID: ObjectIdentifier { ObjectIdentifier(child) }

  /// A thread that has received an unfinished instance, but hasn't examined the state since, waits for
  /// nothing.
  @Test func aThreadThatWasLentAnInstanceIsNotPartOfACycle() async {
    await withThreads(3) { [parentID, childID] ids in
      var state = CreationState()
      // The first thread creates the parent, which needs the child. The second one has created the child,
      // whose action requests the parent.
      state.creators = [parentID: creator(ids[0]), childID: creator(ids[1])]
      let instance = Motor()
      state.unfinished = [childID: instance]
      let lent = state.wait(ids[0], .init(cell: childID, resets: 0))
      #expect(state.cycle(from: ids[1], [], to: parentID) != nil)
      guard case .wait = state.openCycle(closedBy: ids[1], askingFor: parentID) else {
        Issue.record("The first thread is lent the child.")
        return
      }
      #expect(state.lent[ids[0]] === instance)
      #expect(lent.wait(timeout: .now()) == .success)
      let closing = state.wait(ids[1], .init(cell: parentID, resets: 0))
      #expect(state.waitingFor.mapValues(\.cell) == [ids[1]: parentID])
      #expect(state.cycle(from: ids[2], [], to: parentID) == nil)
      #expect(state.cycle(from: ids[2], [], to: childID) == nil)
      state.release(parentID)
      #expect(closing.wait(timeout: .now()) == .success)
    }
  }

  /// There is no such state, but a search that doesn't end would block every creation of the process.
  @Test func theSearchEndsInACycleOfOtherThreads() async {
    await withThreads(3) { [parentID, childID] ids in
      var state = CreationState()
      state.creators = [parentID: creator(ids[0]), childID: creator(ids[1])]
      _ = state.wait(ids[0], .init(cell: childID, resets: 0))
      _ = state.wait(ids[1], .init(cell: parentID, resets: 0))
      #expect(state.cycle(from: ids[2], [], to: parentID) == nil)
      #expect(state.cycle(from: ids[0], [], to: childID) != nil)
    }
  }

  /// An instance that a reset has named is lent to the requests that were made before the reset, and to those
  /// that had to wait for an earlier creation already.
  @Test func anInstanceThatIsNotKeptIsLentToEarlierRequests() async {
    await withThreads(4) { [parentID] ids in
      var state = CreationState()
      state.creators = [parentID: creator(ids[0], resets: 1)]
      let waits = (0...2).map { state.wait(ids[$0 + 1], .init(cell: parentID, resets: $0)) }
      let instance = Motor()
      state.release(parentID, lending: instance)
      #expect(waits.allSatisfy { $0.wait(timeout: .now()) == .success })
      #expect(state.lent[ids[1]] === instance && state.lent[ids[2]] === instance)
      #expect(state.lent[ids[3]] == nil)
      #expect(state.waitingFor.keys.elementsEqual([ids[3]]) && state.creators.isEmpty)
    }
  }

  /// Calls `body` with the identifiers of threads, which run until it returns.
  private func withThreads(_ count: Int, _ body: @escaping @Sendable ([ThreadID]) -> Void) async {
    let end = DispatchSemaphore(value: 0)
    let (ids, continuation) = AsyncStream<ThreadID>.makeStream()
    async let ended: Void = withTaskGroup { group in
      for _ in 0..<count {
        group.addTask {
          await onThread {
            continuation.yield(CurrentThread.current.id)
            end.wait()
          }
        }
      }
    }
    var running: [ThreadID] = []
    for await id in ids.prefix(count) { running.append(id) }
    body(running)
    for _ in 0..<count { end.signal() }
    await ended
  }
}

private func creator(_ thread: ThreadID, resets: Int = 0) -> CreationState.Creator {
  CreationState.Creator(thread: thread, resets: resets)
}
