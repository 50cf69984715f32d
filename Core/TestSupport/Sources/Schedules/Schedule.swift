import TenonFoundation
import Testing

/// One run of concurrent code in which a test decides the order of events. See
/// ``forEveryOrder(sourceLocation:_:)``.
package final class Schedule: Sendable {
  private struct Event {
    let name: String
    let action: @Sendable () -> Void
  }

  private struct State {
    var events: [Event] = []
    /// Cancels the tasks of ``task(_:)``.
    var cancellations: [@Sendable () -> Void] = []
  }

  private let state = Lock(State())
  private let executor = ScheduleExecutor()
  /// The number of the order, less than ``orderCount``.
  private let number: Int
  /// How many jobs run before each event; `nil` if all do.
  private let jobs: Int?

  init(_ number: Int, jobs: Int?) {
    self.number = number
    self.jobs = jobs
  }

  /// The number of orders of the events.
  var orderCount: Int {
    let count = state.withLock { $0.events.count }
    return count <= 5 ? (1...max(1, count)).reduce(1, *) : 2 * count
  }

  /// Adds an event.
  ///
  /// - Parameters:
  ///   - name: the name, which differs from those of the other events.
  ///   - action: what happens, for example opening a ``Gate``, advancing a ``TestTime``, cancelling or
  ///     starting a task.
  package func event(_ name: String, _ action: @escaping @Sendable () -> Void) {
    state.withLock { $0.events.append(Event(name: name, action: action)) }
  }

  /// Starts a task whose end the test can look at without waiting for it. It is cancelled when the scenario
  /// ends.
  package func task<Value: Sendable>(
    _ operation: @escaping @Sendable () async throws -> Value
  ) -> ScheduledTask<Value> {
    let task = ScheduledTask(operation)
    state.withLock { $0.cancellations.append(task.cancel) }
    return task
  }

  /// Lets the events happen in the order of this run, and returns when nothing is left to run.
  package func play() async {
    for event in events {
      await executor.settle(after: jobs)
      event.action()
    }
    await quiet()
  }

  /// Returns when nothing is left to run: every task has ended or waits for an event.
  package func quiet() async { await executor.settle(after: nil) }

  /// Whether nothing is left to run before each event. Otherwise, several events can meet a task that has yet
  /// to start or to continue, and the result may be that of another order.
  package var isQuietBetweenEvents: Bool { jobs == nil }

  /// The names of the events in the order of this run.
  package var order: [String] { events.map(\.name) }

  /// Returns whether an event comes before another one in this run.
  package func comes(_ event: String, before other: String) -> Bool {
    let order = order
    guard let first = order.firstIndex(of: event), let second = order.firstIndex(of: other) else {
      preconditionFailure("The schedule has no event \"\(event)\" or \"\(other)\", but \(order).")
    }
    return first < second
  }

  /// The events in the order of this run: of up to 5, the permutation with the run's number; of more, a
  /// rotation of the order in which they were added, or of its reverse.
  private var events: [Event] {
    var rest = state.withLock { $0.events }
    guard rest.count <= 5 else {
      if number >= rest.count { rest.reverse() }
      let start = number % rest.count
      return Array(rest[start...] + rest[..<start])
    }
    var number = number
    return (0..<rest.count).map { _ in
      defer { number /= rest.count + 1 }
      return rest.remove(at: number % rest.count)
    }
  }

  /// Runs a scenario and adds the order to the issues that it records.
  ///
  /// - Returns: whether it recorded none.
  func run(_ scenario: @escaping @Sendable (Schedule) async throws -> Void) async -> Bool {
    let hasFailed = Lock(false)
    let trait = IssueHandlingTrait.compactMapIssues { issue in
      hasFailed.withLock { $0 = true }
      var issue = issue
      issue.comments.append("In the order: \(self.description)")
      return issue
    }
    let work: @Sendable () async -> Void = {
      let task = Task(executorPreference: self.executor) {
        do { try await scenario(self) } catch {
          // Testing has recorded the failure of a requirement.
          if !(error is ExpectationFailedError) { Issue.record(error) }
        }
        for cancel in self.state.withLock({ $0.cancellations }) { cancel() }
        await self.quiet()
      }
      await withTaskCancellationHandler {
        await task.value
      } onCancel: {
        task.cancel()
      }
    }
    defer { executor.close() }
    do {
      guard let test = Test.current else {
        await work()
        return true
      }
      try await trait.provideScope(for: test, testCase: Test.Case.current, performing: work)
    } catch { Issue.record(error) }
    return !hasFailed.withLock(\.self)
  }

  private var description: String {
    order.joined(separator: " → ")
      + (jobs.map { "; \($0) jobs run before each" } ?? "; all is quiet before each")
  }
}

/// A task of a ``Schedule``.
package final class ScheduledTask<Value: Sendable>: Sendable {
  private let outcome = Lock(Result<Value, any Error>?.none)
  private let task = Lock(Task<Void, Never>?.none)

  init(_ operation: @escaping @Sendable () async throws -> Value) {
    let started = Task {
      let result: Result<Value, any Error>
      do { result = .success(try await operation()) } catch { result = .failure(error) }
      self.outcome.withLock { $0 = result }
    }
    task.withLock { $0 = started }
  }

  /// What the task returned or threw; `nil` if it hasn't ended.
  package var result: Result<Value, any Error>? { outcome.withLock(\.self) }

  /// What the task returned; `nil` if it hasn't ended or has thrown.
  package var value: Value? { try? result?.get() }

  /// Whether the task has thrown `CancellationError`.
  package var wasCancelled: Bool {
    if case .failure(is CancellationError) = result { true } else { false }
  }

  /// Cancels the task.
  package func cancel() { task.withLock(\.self)?.cancel() }
}
