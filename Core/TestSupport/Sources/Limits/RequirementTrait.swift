import Foundation
import TenonFoundation
package import Testing

/// A trait with which tests are skipped on a machine that lacks what they need, and which says so at the end
/// of the run, in one line for each thing that is missing. See `requires(_:if:)`.
package struct RequirementTrait: TestTrait, SuiteTrait {
  /// Why the tests can't run, and what to do about it.
  let reason: String
  let isMet: @Sendable () async throws -> Bool

  /// Whether the trait applies to the tests of a suite: `true`, so that each of them is counted.
  package var isRecursive: Bool { true }

  /// Skips the test if the requirement isn't met.
  ///
  /// - Parameter test: the test.
  /// - Throws: what skips a test; the errors of the condition.
  package func prepare(for test: Test) async throws {
    guard try await !isMet() else { return }
    if !test.isSuite { SkippedTests.shared.add(test, reason) }
    try await ConditionTrait.disabled(Comment(rawValue: reason)).prepare(for: test)
  }
}

extension Trait where Self == RequirementTrait {
  /// Skips the tests if a requirement isn't met.
  ///
  /// - Parameters:
  ///   - reason: why the tests can't run then, and what to do about it, for example "Chromium isn't
  ///     installed; Tools/bootstrap --all installs it".
  ///   - isMet: whether it is met. It is called for each test, so the answer should be kept.
  package static func requires(_ reason: String, if isMet: @escaping @Sendable () async throws -> Bool)
    -> Self
  {
    RequirementTrait(reason: reason, isMet: isMet)
  }

  /// Includes the tests in deep runs only (`TENON_DEEP=1`).
  package static var deep: Self {
    .requires("they are part of deep runs only; TENON_DEEP=1 swift test includes them") {
      DeepTests.areIncluded
    }
  }
}

/// The tests of this run that were skipped, which it lists at its end.
final class SkippedTests: Sendable {
  static let shared = SkippedTests()

  /// The tests by the reasons.
  private let tests = Lock<[String: Set<Test.ID>]>([:])

  private init() {
    atexit {
      for line in SkippedTests.shared.lines { print(line) }
    }
  }

  /// Notes a test. It may be noted several times.
  func add(_ test: Test, _ reason: String) {
    _ = tests.withLock { $0[reason, default: []].insert(test.id) }
  }

  /// A line for each reason.
  var lines: [String] {
    tests.withLock { tests in
      tests.sorted { $0.key < $1.key }.map { reason, tests in
        "\(tests.count) test\(tests.count == 1 ? "" : "s") skipped: \(reason)."
      }
    }
  }
}
