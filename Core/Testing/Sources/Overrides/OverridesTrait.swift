public import TenonCore
public import Testing

/// A trait that overrides components for a test, or for each test of a suite. See ``Testing/Trait/overrides(others:_:)``.
public struct OverridesTrait: TestTrait, SuiteTrait, TestScoping {
  private let others: OtherComponents
  private let components: @Sendable () throws -> [AnyComponent]

  init(_ others: OtherComponents, _ components: @escaping @Sendable () throws -> [AnyComponent]) {
    self.others = others
    self.components = components
  }

  /// `true`: each test of a suite gets overrides of its own.
  public var isRecursive: Bool { true }

  /// Runs a test with the overrides in effect.
  @concurrent public func provideScope(
    for test: Test, testCase: Test.Case?, performing function: @concurrent @Sendable () async throws -> Void
  ) async throws {
    try await withOverrides(others: others, components) { try await function() }
  }
}

extension Trait where Self == OverridesTrait {
  /// Replaces components while the test runs, in every app and container that the test uses. Other tests are unaffected:
  /// tests with different overrides can run concurrently.
  ///
  /// ```swift
  /// @Test(.overrides { Component((any AuthInterop).self) { _ in FakeAuth() } })
  /// func greetsTheUser() async throws { … App.default … }
  /// ```
  ///
  /// Components that depend on an overridden one are created again for the test, with the override. All other instances are
  /// those of the app. When the test ends, the instances that were created for it are deleted. The tests of a suite can
  /// override its overrides.
  ///
  /// - Parameters:
  ///   - others: what happens to components that aren't overridden. By default they remain as they are.
  ///   - components: the replacements, which are created for each test.
  public static func overrides(
    others: OtherComponents = .asTheyAre,
    @ComponentBuilder _ components: @escaping @Sendable () throws -> [AnyComponent]
  ) -> OverridesTrait {
    OverridesTrait(others, components)
  }
}

/// What happens to components that a test doesn't override.
public struct OtherComponents: Sendable {
  let allowed: [any Any.Type]?

  /// They can be used as usual.
  public static let asTheyAre = OtherComponents(allowed: nil)

  /// Resolving one fails the test and throws ``TenonCore/ComponentError/Code/notOverridden``, so that the test can't use a
  /// live component by accident.
  ///
  /// - Parameter types: the types that may be created nevertheless, with any name; usually the component under test.
  public static func refused(except types: any Any.Type...) -> OtherComponents {
    OtherComponents(allowed: types)
  }
}

/// Replaces components while `operation` runs, as ``Testing/Trait/overrides(others:_:)`` does for a whole test.
///
/// - Parameters:
///   - others: what happens to components that aren't overridden. By default they remain as they are.
///   - components: the replacements.
///   - sourceLocation: where to report refused components.
///   - isolation: the actor on which `operation` runs; the caller's.
///   - operation: runs with the overrides, which apply to its task and child tasks.
/// - Returns: the result of `operation`.
/// - Throws: what `components` and `operation` throw.
public func withOverrides<Result>(
  others: OtherComponents = .asTheyAre,
  @ComponentBuilder _ components: () throws -> [AnyComponent],
  sourceLocation: SourceLocation = #_sourceLocation,
  isolation: isolated (any Actor)? = #isolation,
  operation: () async throws -> Result
) async throws -> Result {
  let refusal = others.allowed.map { allowed in
    RefusalPolicy(allowing: allowed) { reason in
      Issue.record(Comment(rawValue: reason), sourceLocation: sourceLocation)
    }
  }
  return try await Overrides.with(components(), refusal: refusal, operation: operation)
}
