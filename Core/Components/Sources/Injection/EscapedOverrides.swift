internal import TenonThreads

/// The overrides of a test and the current container of a task, for code that the task starts elsewhere; see
/// ``withEscapedOverrides(_:)``.
public struct EscapedOverrides: Sendable {
  /// The overrides; `nil` without any.
  private let scope: OverrideScope?
  /// The container of ``ComponentContainer/withCurrent(_:operation:)``; `nil` without any.
  private let container: ComponentContainer?

  /// Takes the values of the current task.
  init() {
    scope = Overrides.scope
    container = .current
  }

  /// Runs an operation with the overrides and the current container of the task from which they come. They
  /// replace those of the caller, if it has any.
  ///
  /// - Parameter operation: the operation.
  /// - Returns: what the operation returns.
  /// - Throws: what the operation throws. A request that the operation makes after the overrides have ended
  ///   throws ``ComponentError``.
  public func yield<Result>(_ operation: () throws -> Result) rethrows -> Result {
    tenon_add_overrides(scope == nil ? 0 : 1)
    defer { tenon_add_overrides(scope == nil ? 0 : -1) }
    return try Overrides.$scope.withValue(scope) {
      try ComponentContainer.$current.withValue(container, operation: operation)
    }
  }

  /// Runs an asynchronous operation with the overrides and the current container of the task from which they
  /// come.
  ///
  /// - Parameters:
  ///   - isolation: the actor on which the operation runs; the caller's by default.
  ///   - operation: the operation.
  /// - Returns: what the operation returns.
  /// - Throws: as ``yield(_:)``.
  public func yield<Result>(
    isolation: isolated (any Actor)? = #isolation, _ operation: () async throws -> Result
  ) async rethrows -> Result {
    tenon_add_overrides(scope == nil ? 0 : 1)
    defer { tenon_add_overrides(scope == nil ? 0 : -1) }
    return try await Overrides.$scope.withValue(scope) {
      try await ComponentContainer.$current.withValue(container, operation: operation)
    }
  }
}

/// Passes the overrides and the current container of the task to an operation, which can continue them where
/// they would be lost: in a detached task, on a dispatch queue, on a thread, or in a callback.
///
/// ```swift
/// withEscapedOverrides { overrides in
///   queue.async {
///     overrides.yield { refresh() }
///   }
/// }
/// ```
///
/// Child tasks and tasks that are created with `Task { … }` inherit them and don't need this. Outside of a
/// test and of ``ComponentContainer/withCurrent(_:operation:)``, there is nothing to continue, and the
/// operation runs as usual.
///
/// The overrides end with the operation of the test. What continues them must have ended before.
///
/// - Parameter operation: the operation, which receives the overrides.
/// - Returns: what the operation returns.
/// - Throws: what the operation throws.
public func withEscapedOverrides<Result>(
  _ operation: (EscapedOverrides) throws -> Result
) rethrows -> Result {
  try operation(EscapedOverrides())
}

/// Passes the overrides and the current container of the task to an asynchronous operation; see
/// ``withEscapedOverrides(_:)``.
///
/// - Parameters:
///   - isolation: the actor on which the operation runs; the caller's by default.
///   - operation: the operation, which receives the overrides.
/// - Returns: what the operation returns.
/// - Throws: what the operation throws.
public func withEscapedOverrides<Result>(
  isolation: isolated (any Actor)? = #isolation,
  _ operation: (EscapedOverrides) async throws -> Result
) async rethrows -> Result {
  try await operation(EscapedOverrides())
}
