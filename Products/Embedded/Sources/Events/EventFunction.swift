import TenonDocuments
import TenonFoundation
import TenonValues

/// A registered function that receives events.
struct EventFunction: Sendable {
  /// The name.
  let name: String
  /// The events.
  let kind: EventKind
  /// The database of the documents, or the bucket; empty for all of them.
  var place = ""
  /// The pattern of the documents' paths.
  var pattern = ""
  /// The schedule of a scheduled function.
  var schedule: Schedule?
  /// How often it is attempted.
  let retry: RetryConfig
  /// The maximum duration of an attempt.
  let timeout: Duration
  /// The function.
  let handler: @Sendable (StoredEvent) async throws -> Void
}

/// The functions of this process that receive events.
final class EventRegistry: Sendable {
  private struct State {
    /// The functions by their names.
    var functions: [String: EventFunction] = [:]
    /// The number of changes for each database.
    var versions: [EventKind.Source: Int] = [:]
    /// The next times of scheduled functions.
    var schedules: [String: Timestamp] = [:]
  }

  private let state = Lock(State())
  private let isEnabled = Lock(true)
  private let waking = Lock<(@Sendable (EventKind.Source) -> Void)?>(nil)

  /// The greatest number of functions.
  private static let mostFunctions = 1_000

  /// Adds a function.
  ///
  /// - Parameters:
  ///   - function: the function.
  ///   - now: the current time, after which the first time of a schedule is.
  /// - Throws: ``FunctionRegistrationError`` with `alreadyExists`, or `invalidName` if there are too many.
  func add(_ function: EventFunction, now: Timestamp) throws {
    try state.withLock { state in
      guard state.functions[function.name] == nil else {
        throw FunctionRegistrationError(
          .alreadyExists,
          "A function with the name \(function.name) is registered already. Choose another name, or remove it with removeFunction."
        )
      }
      guard state.functions.count < Self.mostFunctions else {
        throw FunctionRegistrationError(
          .invalidName,
          "\(Self.mostFunctions) functions are registered already; \(function.name) is too many.")
      }
      state.functions[function.name] = function
      state.versions[function.kind.source, default: 0] += 1
      state.schedules[function.name] = function.schedule?.next(after: now)
    }
  }

  /// Removes a function, and returns the database of its events; `nil` if there is none.
  func remove(_ name: String) -> EventKind.Source? {
    state.withLock { state in
      guard let function = state.functions.removeValue(forKey: name) else { return nil }
      state.schedules[name] = nil
      return function.kind.source
    }
  }

  /// Whether the writes of this process are events for functions.
  var areEnabled: Bool {
    get { isEnabled.withLock { $0 } }
    set { isEnabled.withLock { $0 = newValue } }
  }

  /// Sets the closure that makes the functions of a database look for events.
  func setWaking(_ wake: @escaping @Sendable (EventKind.Source) -> Void) { waking.withLock { $0 = wake } }

  /// Makes the functions of a database look for events.
  func wake(_ source: EventKind.Source) { waking.withLock { $0 }?(source) }

  /// Returns a function; `nil` if there is none.
  func function(_ name: String) -> EventFunction? { state.withLock { $0.functions[name] } }

  /// Returns the functions for events of a database.
  func functions(of source: EventKind.Source) -> [EventFunction] {
    state.withLock { $0.functions.values.filter { $0.kind.source == source } }.sorted { $0.name < $1.name }
  }

  /// The number of functions that were added for a database.
  func version(of source: EventKind.Source) -> Int { state.withLock { $0.versions[source] ?? 0 } }

  /// Returns the scheduled functions whose time has come, with that time, and determines the next ones. Times
  /// that were missed because the process was suspended are skipped, except for the first one.
  func dueSchedules(now: Timestamp) -> [(EventFunction, Timestamp)] {
    state.withLock { state in
      var due: [(EventFunction, Timestamp)] = []
      for (name, time) in state.schedules where time.compare(now) <= 0 {
        guard let function = state.functions[name] else { continue }
        due.append((function, time))
        state.schedules[name] = function.schedule?.next(after: now)
      }
      return due
    }
  }

  /// The next time of any schedule; `nil` if there is none.
  var nextSchedule: Timestamp? { state.withLock { $0.schedules.values.min { $0.compare($1) < 0 } } }
}
