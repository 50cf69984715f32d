import TenonFoundation
import TenonTestSupport
import Testing

/// What callers of a ``SharedTask`` receive, whatever happens first.
@Suite(.limited) struct SharedTaskOrderTests {
  private struct Failure: Error {}

  /// What a caller has received.
  private enum End: Hashable {
    case value(Int)
    case failure
    case cancelled

    init?(_ result: Result<Int, any Error>?) {
      switch result {
      case nil: return nil
      case .success(let value): self = .value(value)
      case .failure(is CancellationError): self = .cancelled
      case .failure: self = .failure
      }
    }
  }

  private static let events = [
    "a cancelled caller comes", "the first caller is cancelled", "the operation returns",
    "the operation throws",
    "another caller comes",
  ]

  /// What the callers of the events 0 and 4 and the first one receive if everything is quiet between the
  /// events.
  private static func ends(
    _ order: [String], runsToCompletion: Bool
  ) -> (cancelled: End?, first: End?, other: End?) {
    var (waiting, outcome): (Set<String>, End?) = (["first"], nil)
    var ends: [String: End] = [:]
    func leave(_ caller: String) {
      guard waiting.remove(caller) != nil else { return }
      ends[caller] = .cancelled
      if waiting.isEmpty, outcome == nil, !runsToCompletion { outcome = .cancelled }
    }
    func end(_ result: End) {
      outcome = outcome ?? result
      for caller in waiting { ends[caller] = outcome }
      waiting = []
    }
    func come(_ caller: String) {
      if let outcome { ends[caller] = outcome } else { waiting.insert(caller) }
    }
    for event in order {
      switch event {
      case events[0]:
        come("cancelled")
        leave("cancelled")
      case events[1]: leave("first")
      case events[2]: end(.value(1))
      case events[3]: end(.failure)
      default: come("other")
      }
    }
    return (ends["cancelled"], ends["first"], ends["other"])
  }

  @Test(arguments: [false, true], [false, true])
  func everyCallerReceivesWhatCameFirst(runsToCompletion: Bool, obeysCancellation: Bool) async {
    await forEveryOrder { schedule in
      let (answers, answer) = AsyncStream<Result<Int, Failure>>.makeStream()
      let runs = Lock(0)
      let shared = SharedTask(runsToCompletion: runsToCompletion) {
        runs.withLock { $0 += 1 }
        let waiting = Task<Int, any Error>.detached {
          for await answer in answers { return try answer.get() }
          throw CancellationError()
        }
        guard obeysCancellation else { return try await waiting.value }
        return try await withTaskCancellationHandler {
          try await waiting.value
        } onCancel: {
          waiting.cancel()
        }
      }
      let first = schedule.task { try await shared.value() }
      let cancelled = Lock<ScheduledTask<Int>?>(nil)
      let other = Lock<ScheduledTask<Int>?>(nil)
      schedule.event(Self.events[0]) {
        let task = schedule.task { try await shared.value() }
        task.cancel()
        cancelled.withLock { $0 = task }
      }
      schedule.event(Self.events[1]) { first.cancel() }
      schedule.event(Self.events[2]) { answer.yield(.success(1)) }
      schedule.event(Self.events[3]) { answer.yield(.failure(Failure())) }
      schedule.event(Self.events[4]) {
        let task = schedule.task { try await shared.value() }
        other.withLock { $0 = task }
      }
      await schedule.play()

      let (early, late) = (cancelled.withLock(\.self)?.result, other.withLock(\.self)?.result)
      let ends = (cancelled: End(early), first: End(first.result), other: End(late))
      if schedule.isQuietBetweenEvents {
        let expected = Self.ends(schedule.order, runsToCompletion: runsToCompletion)
        #expect(ends == expected)
      }
      // The operation has ended, so no caller waits, and all callers that weren't cancelled have received the
      // same result.
      #expect(ends.cancelled != nil && ends.first != nil && ends.other != nil)
      #expect(Set([ends.cancelled, ends.first, ends.other].filter { $0 != .cancelled }).count <= 1)
      #expect(shared.isOver && runs.withLock(\.self) == 1)
      if runsToCompletion { #expect(ends.other != .cancelled) }
      let later = schedule.task { try await shared.value() }
      await schedule.quiet()
      #expect(later.result != nil)
      if ends.other != .cancelled { #expect(End(later.result) == ends.other) }
    }
  }

  /// The cancellation comes before the caller waits, or while it waits. Nothing else ends the wait.
  @Test func cancellationBeforeTheWaitIsNotLost() async {
    await forEveryOrder { schedule in
      let gate = Gate()
      let shared = SharedTask(runsToCompletion: true) { try await gate.pass() }
      let caller = schedule.task { try await shared.value() }
      schedule.event("the caller is cancelled") { caller.cancel() }
      await schedule.play()
      #expect(caller.wasCancelled && !shared.isOver)
      gate.open()
      await schedule.quiet()
      #expect(shared.isOver)
    }
  }
}
