import Foundation
import TenonCore
import TenonFoundation
import TenonTestSupport
import TenonTesting
import Testing

/// The page of the error of a test that reaches a component which it doesn't override. Its sample is a test
/// that fails.
@Suite(.limited) struct NotOverriddenPageTests {
  @Test func thePageShowsTheTestBelow() throws {
    let regions = Samples.regions(of: try String(contentsOf: URL(filePath: #filePath), encoding: .utf8))
    #expect(try ErrorPage("TENON-211").sample.code + "\n" == regions["notOverridden"])
  }

  @Suite(.failing(as: "TENON-211")) struct Sample {
    // sample: notOverridden
    @Test(.overrides(others: .refused()) { Component(Engine.self) { _ in Engine() } })
    func theCarStarts() throws { _ = try App.default.resolve(Car.self) }
    // sample: end
  }
}

private final class Engine: Sendable {}

private struct Car {
  let engine: Engine
}

private enum Garage: Library {
  static let name = "garage"
  static let version = SemanticVersion(1, 0, 0)
  @ComponentBuilder static var components: [AnyComponent] {
    Component(Engine.self) { _ in Engine() }
    Component(Car.self, needs: .required(Engine.self)) { _, engine in Car(engine: engine) }
  }
}

/// Runs the tests of a suite with a default app, and expects that each throws and reports the error that a
/// page shows.
private struct FailsAsPageSays: SuiteTrait, TestTrait, TestScoping {
  let number: String
  var isRecursive: Bool { true }

  func provideScope(
    for test: Test, testCase: Test.Case?, performing function: @concurrent @Sendable () async throws -> Void
  ) async throws {
    let expected = try ErrorPage(number).sample.output
    let app = try App.configure(
      options: AppOptions(projectID: "garage", data: .memory), libraries: [Garage.self])
    let thrown = Lock(0)
    let reported = Lock(0)
    do {
      try await withKnownIssue {
        try await function()
      } matching: { issue in
        if let error = issue.error {
          thrown.withLock { $0 += 1 }
          return "\(error)" == expected
        }
        reported.withLock { $0 += 1 }
        return issue.comments.map(\.rawValue) == [expected]
      }
    } catch {
      await app.delete()
      throw error
    }
    await app.delete()
    #expect(thrown.withLock { $0 } == 1 && reported.withLock { $0 } == 1)
  }
}

extension Trait where Self == FailsAsPageSays {
  fileprivate static func failing(as number: String) -> Self { Self(number: number) }
}
