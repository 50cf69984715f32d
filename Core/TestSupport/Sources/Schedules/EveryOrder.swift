package import Testing

/// Runs a scenario with its events in every order.
///
/// A scenario creates the code under test, adds named events to its schedule, lets them happen, and looks at
/// the result, which it may compare with the order:
///
/// ```swift
/// await forEveryOrder { schedule in
///   let answer = Gate()
///   let shared = SharedTask { try await answer.pass() }
///   let caller = schedule.task { try await shared.value() }
///   schedule.event("the answer arrives") { answer.open() }
///   schedule.event("the caller is cancelled") { caller.cancel() }
///   await schedule.play()
///   #expect(caller.result != nil)
/// }
/// ```
///
/// The scenario is run again for each order: for all orders of up to 5 events; of more, for so many that each
/// comes before and after every other one. Each order is run five times: with all jobs done before each
/// event, and with none, one, two or four of them, so that events also meet tasks that are about to start or
/// to continue. A job is at most what a task does between two suspensions.
///
/// Everything runs on one thread and without a clock, so a run is the same each time. What a test does on
/// other threads is outside of it: dispatch queues, the main actor, the system's timers and connections.
/// Replace them, for example by ``TestTime``, `FakeTransport` and ``Gate``.
///
/// The first order that fails is the last; its issues name it. ``ScheduledTask/result`` is `nil` for a task
/// that would wait forever.
///
/// - Parameters:
///   - sourceLocation: where to report that the system isn't supported: at the call by default.
///   - scenario: the scenario. It must call ``Schedule/play()`` once.
package func forEveryOrder(
  sourceLocation: SourceLocation = #_sourceLocation,
  _ scenario: @escaping @Sendable (Schedule) async throws -> Void
) async {
  guard GlobalJobs.areObserved else {
    Issue.record("Schedules aren't supported on this system.", sourceLocation: sourceLocation)
    return
  }
  var number = 0
  var count = 1
  while number < count {
    for jobs in [nil, 0, 1, 2, 4] {
      let schedule = Schedule(number, jobs: jobs)
      guard await schedule.run(scenario) else { return }
      count = schedule.orderCount
    }
    number += 1
  }
}
