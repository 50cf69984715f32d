import Foundation
import TenonCore
import TenonTesting

/// A TCP proxy on this machine, between clients of HTTP and a server, which does to requests and answers what a test
/// tells it.
final class FaultProxy: Sendable {
  /// What happens to a request, counted from 0 since the plan began; `nil` lets it through.
  typealias Plan = @Sendable (_ index: Int, _ random: inout SeededGenerator) -> Fault?

  private let server: LoopbackServer
  private let course: Course

  /// - Parameters:
  ///   - port: the server's.
  ///   - seed: decides the chance of the faults.
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

  /// Runs something while the faults of a plan happen.
  ///
  /// - Returns: what it gave or threw, and the faults that happened.
  func withFaults<Value>(
    _ plan: @escaping Plan, _ body: () async throws -> Value
  ) async -> (result: Result<Value, any Error>, faults: [Fault]) {
    course.begin(plan)
    let result: Result<Value, any Error>
    do { result = .success(try await body()) } catch { result = .failure(error) }
    // What nobody waits for any more may still have an effect.
    await server.drained()
    return (result, course.end())
  }

  func stop() { server.stop() }
}

/// The plan in force, and how far it has come.
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

  /// The fault of the next request, with chance of its own.
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
