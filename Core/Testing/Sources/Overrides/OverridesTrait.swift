public import TenonCore
public import Testing

/// A trait that overrides components for a test, or for each test of a suite. See
/// `overrides(others:_:)`.
public struct OverridesTrait: TestTrait, SuiteTrait, TestScoping {
  /// What happens to components that aren't overridden.
  private let others: OtherComponents
  /// Creates the replacements of a test.
  private let components: @Sendable () throws -> [AnyComponent]

  /// Creates a trait. Tests use ``Testing/Trait/overrides(others:_:)``.
  ///
  /// - Parameters:
  ///   - others: what happens to components that aren't overridden.
  ///   - components: creates the replacements. It is called once for each test case.
  init(_ others: OtherComponents, _ components: @escaping @Sendable () throws -> [AnyComponent]) {
    self.others = others
    self.components = components
  }

  /// Whether the trait applies to the tests of a suite: `true`, each test has its own overrides.
  public var isRecursive: Bool { true }

  /// Runs a test with the overrides in effect.
  ///
  /// - Parameters:
  ///   - test: the test.
  ///   - testCase: the case of a parameterized test.
  ///   - function: the test's function.
  /// - Throws: the errors of the closure that creates the replacements, and of the test.
  @concurrent public func provideScope(
    for test: Test, testCase: Test.Case?, performing function: @concurrent @Sendable () async throws -> Void
  ) async throws {
    try await withOverrides(others: others, components, sourceLocation: test.sourceLocation) {
      try await function()
    }
  }
}

extension Trait where Self == OverridesTrait {
  /// Replaces components while the test runs, in every app and container that the test uses. Other tests are
  /// unaffected, so tests with different overrides can run concurrently.
  ///
  /// ```swift
  /// @Test(.overrides { Component((any AuthInterop).self) { _ in FakeAuth() } })
  /// func nobodyIsSignedIn() async throws {
  ///   let auth = try App.default.resolve((any AuthInterop).self)
  ///   #expect(try await auth.currentUserID == nil)
  /// }
  /// ```
  ///
  /// Components that depend on an overridden one are created again for the test, with the override. All other
  /// instances are those of the app. When the test ends, the instances that were created for it are released.
  /// A test can override the overrides of its suite.
  ///
  /// - Parameters:
  ///   - others: what happens to components that aren't overridden. By default, they can be used as usual.
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
  /// The types that may be created although they aren't overridden; all types if `nil`.
  let allowed: [any Any.Type]?

  /// Components that aren't overridden can be used as usual, unless enclosing overrides refuse them.
  public static let asTheyAre = OtherComponents(allowed: nil)

  /// Resolving a component that isn't overridden fails the test and throws
  /// `ComponentError.Code.notOverridden`, so that the test can't use a live component by accident. The
  /// issue and the error name the component and how to override it. In a detached task that continues the
  /// overrides, Swift Testing doesn't know the test: the issue then has the test's place, and names it.
  ///
  /// - Parameter types: the types that may still be created, with any name; usually the type of the component
  ///   under test.
  public static func refused(except types: any Any.Type...) -> OtherComponents {
    OtherComponents(allowed: types)
  }
}

/// Replaces components while an operation runs, as `overrides(others:_:)` does for a whole test.
///
/// The instances that were created for the operation are deleted before this returns or throws. Their
/// `onDelete` actions have then ended.
///
/// ```swift
/// try await withOverrides {
///   Component((any AuthInterop).self) { _ in FakeAuth() }
/// } operation: {
///   let auth = try App.default.resolve((any AuthInterop).self)
///   #expect(auth is FakeAuth)
/// }
/// ```
///
/// - Parameters:
///   - others: what happens to components that aren't overridden. By default, they can be used as usual.
///   - components: the replacements.
///   - sourceLocation: the source location at which refused components are reported.
///   - isolation: the actor on which the operation runs; the caller's actor by default.
///   - operation: the operation. The overrides apply to its task, its child tasks and tasks that it creates
///     with `Task`, but not to detached tasks or threads, unless these continue them with
///     `withEscapedOverrides(_:)` of TenonCore.
/// - Returns: the result of the operation.
/// - Throws: the errors of `components` and of the operation.
public func withOverrides<Result>(
  others: OtherComponents = .asTheyAre,
  @ComponentBuilder _ components: () throws -> [AnyComponent],
  sourceLocation: SourceLocation = #_sourceLocation,
  isolation: isolated (any Actor)? = #isolation,
  operation: () async throws -> Result
) async throws -> Result {
  let test = Test.current
  let policy = others.allowed.map { allowed in
    RefusalPolicy(allowing: allowed) { reason in
      // A detached task has no test, so the issue belongs to none and must name it.
      let isLost = Test.current == nil
      let place = isLost ? test.map { " The test is \($0.name), in a detached task or on a thread." } : nil
      Issue.record(Comment(rawValue: reason + (place ?? "")), sourceLocation: sourceLocation)
    }
  }
  return try await Overrides.with(components(), refusal: policy, operation: operation)
}
