import Foundation
import TenonFoundation
import TenonTestSupport
import TenonTesting

/// A TCP proxy on this machine between HTTP clients and a server, which applies the faults of a test to
/// requests and responses.
final class FaultProxy: Sendable {
  /// Returns the fault for a request, counted from 0 since the beginning of the plan; `nil` to forward it
  /// unchanged.
  typealias Plan = @Sendable (_ index: Int, _ random: inout SeededGenerator) -> Fault?

  private let server: LoopbackServer
  private let course: Course

  /// - Parameters:
  ///   - port: the port of the server.
  ///   - seed: the seed of the random choices of faults.
  init(to port: UInt16, seed: UInt64) throws {
    let course = Course(seed: seed)
    self.course = course
    server = try LoopbackServer { request in
      guard let (fault, chance) = course.next() else {
        return [(try? request.forwarded(to: port)).map { .bytes($0) } ?? .hangUp]
      }
      var random = chance
      return (try? fault.steps(&random) { try request.forwarded(to: port) }) ?? [.hangUp]
    }
  }

  var port: UInt16 { server.port }

  /// Runs a closure under the faults of a plan.
  ///
  /// - Returns: the value or the error of the closure, and the faults that occurred.
  func withFaults<Value>(
    _ plan: @escaping Plan, _ body: () async throws -> Value
  ) async -> (result: Result<Value, any Error>, faults: [Fault]) {
    course.begin(plan)
    let result: Result<Value, any Error>
    do { result = .success(try await body()) } catch { result = .failure(error) }
    // Requests whose clients stopped waiting may still have an effect.
    await server.drained()
    return (result, course.end())
  }

  func stop() { server.stop() }
}

/// The current plan and the number of requests so far.
private final class Course: Sendable {
  private struct State {
    var random: SeededGenerator
    var plan: FaultProxy.Plan?
    var count = 0
    var faults: [Fault] = []
  }

  private let state: Lock<State>

  init(seed: UInt64) { state = Lock(State(random: SeededGenerator(seed: seed))) }

  func begin(_ plan: @escaping FaultProxy.Plan) {
    state.withLock { state in
      state.plan = plan
      state.count = 0
      state.faults = []
    }
  }

  func end() -> [Fault] {
    state.withLock { state in
      state.plan = nil
      return state.faults
    }
  }

  /// Returns the fault of the next request, with its own random number generator.
  func next() -> (Fault, SeededGenerator)? {
    state.withLock { state in
      guard let plan = state.plan else { return nil }
      let index = state.count
      state.count += 1
      guard let fault = plan(index, &state.random) else { return nil }
      state.faults.append(fault)
      return (fault, SeededGenerator(seed: state.random.next()))
    }
  }
}
