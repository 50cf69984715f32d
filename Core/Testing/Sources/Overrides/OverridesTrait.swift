public import TenonCore
public import Testing

/// Overrides components for a test, or for each test of a suite; see ``Testing/Trait/overrides(others:_:)``.
public struct OverridesTrait: TestTrait, SuiteTrait, TestScoping {
  private let others: OtherComponents
  private let components: @Sendable () throws -> [AnyComponent]

  init(_ others: OtherComponents, _ components: @escaping @Sendable () throws -> [AnyComponent]) {
    self.others = others
    self.components = components
  }

  /// On a suite, each of its tests has overrides of its own.
  public var isRecursive: Bool { true }

  /// Runs a test with the overrides in force.
  @concurrent public func provideScope(
    for test: Test, testCase: Test.Case?, performing function: @concurrent @Sendable () async throws -> Void
  ) async throws {
    try await withOverrides(others: others, components) { try await function() }
  }
}

extension Trait where Self == OverridesTrait {
  /// Replaces components while the test runs, in every app and container that the test asks, and for nobody else: tests
  /// with different overrides run at the same time.
  ///
  /// ```swift
  /// @Test(.overrides { Component((any AuthInterop).self) { _ in FakeAuth() } })
  /// func greetsTheUser() async throws { … App.default … }
  /// ```
  ///
  /// What needs an overridden component is created anew for the test, with the override; everything else is the app's.
  /// When the test ends, what was created for it is deleted. Overrides of a suite hold for its tests, which may override
  /// them in turn.
  ///
  /// - Parameters:
  ///   - others: what becomes of components that aren't overridden; they stay as they are by default.
  ///   - components: what is provided instead, made anew for each test.
  public static func overrides(
    others: OtherComponents = .asTheyAre,
    @ComponentBuilder _ components: @escaping @Sendable () throws -> [AnyComponent]
  ) -> OverridesTrait {
    OverridesTrait(others, components)
  }
}

/// What becomes of components that a test does not override.
public struct OtherComponents: Sendable {
  let allowed: [any Any.Type]?

  /// They can be used as ever.
  public static let asTheyAre = OtherComponents(allowed: nil)

  /// Asking for one fails the test and throws ``TenonCore/ComponentError/Code/notOverridden``, so that nothing real is
  /// reached by accident.
  ///
  /// - Parameter types: what may be created all the same, under whatever name: mostly the component that the test is
  ///   about.
  public static func refused(except types: any Any.Type...) -> OtherComponents {
    OtherComponents(allowed: types)
  }
}

/// Replaces components while `operation` runs, as ``Testing/Trait/overrides(others:_:)`` does for a whole test.
///
/// - Parameters:
///   - others: what becomes of components that aren't overridden; they stay as they are by default.
///   - components: what is provided instead.
///   - operation: what runs with the overrides, in this task and its children.
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
