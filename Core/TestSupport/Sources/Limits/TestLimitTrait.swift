import TenonCore
import TenonFoundation
import TenonTesting
package import Testing

/// A trait with which only a few tests run at the same time, and each fails by name if it doesn't end in
/// time. See `limited(to:of:)`.
package struct TestLimitTrait: TestTrait, SuiteTrait, TestScoping {
  /// The time that the test may take once it has begun, on a machine that isn't overloaded.
  let limit: Duration
  /// What the test uses.
  let kind: TestKind

  /// Whether the trait applies to the tests of a suite: `true`, each test takes its own turn.
  package var isRecursive: Bool { true }

  /// The turn of the test that the task runs.
  @TaskLocal static var turn: TestTurn?

  /// Waits for the test's turn and runs it within the limit.
  ///
  /// - Parameters:
  ///   - test: the test.
  ///   - testCase: the case of a parameterized test.
  ///   - function: the test's function.
  /// - Throws: the errors of the test.
  @concurrent package func provideScope(
    for test: Test, testCase: Test.Case?, performing function: @concurrent @Sendable () async throws -> Void
  ) async throws {
    if let turn = Self.turn {
      // The suite's trait has begun the turn, and the test's own trait changes its limit. Waiting for a turn
      // of another kind as well could end in a deadlock.
      turn.limit.withLock { $0 = limit }
      return try await function()
    }
    try await kind.turns.run {
      let turn = TestTurn(
        of: ([test.id.moduleName] + test.id.nameComponents).joined(separator: "/"), at: test.sourceLocation,
        limit: limit)
      try await Self.$turn.withValue(turn) { try await turn.run(function) }
    }
  }
}

extension Trait where Self == TestLimitTrait {
  /// Runs only a few tests at a time, each for at most a minute, or ten in a deep run (``DeepTests``).
  package static var limited: Self { .limited() }

  /// Runs only a few tests of one kind at a time, each for a limited time, which begins with the test and not
  /// while it waits for its turn.
  ///
  /// A test that exceeds its limit is cancelled and fails. If it doesn't end then, its name is printed and
  /// the process ends with an error, because nothing else would end it.
  ///
  /// ```swift
  /// @Suite(.limited) struct ParserTests {}
  /// @Suite(.limited(to: .seconds(300), of: .processes)) struct ServerTests {}
  /// ```
  ///
  /// Unlike `timeLimit(_:)`, it doesn't count the time in which a test waits for others, and it is longer on
  /// an overloaded machine (see `MachineLoad.patience`). A test's own trait changes the limit, and the kind
  /// stays that of its suite.
  ///
  /// - Parameters:
  ///   - limit: the time that each case of a test may take: a minute by default, or ten in a deep run.
  ///   - kind: what the tests use: ``TestKind/ordinary`` by default.
  package static func limited(
    to limit: Duration = DeepTests.areIncluded ? .seconds(600) : .seconds(60), of kind: TestKind = .ordinary
  ) -> Self {
    TestLimitTrait(limit: limit, kind: kind)
  }
}

/// What a test uses, which determines how many tests of its kind run at a time.
package struct TestKind: Sendable {
  /// The turns of these tests.
  let turns: Turns

  /// Tests inside the process: at most twice as many as there are processors run at a time.
  package static let ordinary = TestKind(turns: Turns(count: 2 * MachineLoad.processors))

  /// Tests that start processes or use much of the machine in other ways: at most as many as there are
  /// processors run at a time.
  package static let processes = TestKind(turns: Turns(count: MachineLoad.processors))

  /// Tests that measure what others would disturb, for example the process's memory or open files: one of
  /// them runs at a time.
  package static let measurements = TestKind(turns: Turns(count: 1))
}
