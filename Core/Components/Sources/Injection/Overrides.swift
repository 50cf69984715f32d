public import TenonThreads

/// What the present task overrides, in every container that it asks: how tests replace components without meeting each
/// other.
@usableFromInline
package enum Overrides {
  @TaskLocal private static var scope: OverrideScope?

  /// Whether there are any in the process, so that a look-up outside tests doesn't pay for reading a task-local value.
  @inlinable static var areInUse: Bool { tenon_overrides_in_use() != 0 }

  /// The container that answers instead of `container` in the present task.
  static func container(for container: ComponentContainer) throws -> ComponentContainer {
    guard areInUse, let scope else { return container }
    return try scope.container(for: container)
  }

  /// Overrides components while `operation` runs, in this task and its children.
  ///
  /// - Parameters:
  ///   - components: what is provided instead. They add to the overrides that are in force already.
  ///   - refusal: what may be created besides; everything when `nil`.
  package static func with<Result>(
    _ components: [AnyComponent],
    refusal: RefusalPolicy? = nil,
    isolation: isolated (any Actor)? = #isolation,
    operation: () async throws -> Result
  ) async throws -> Result {
    let new = OverrideScope(components, inside: scope, refusal: refusal)
    tenon_add_overrides(1)
    defer { tenon_add_overrides(-1) }
    do {
      let result = try await $scope.withValue(new, operation: operation)
      await new.end()
      return result
    } catch {
      await new.end()
      throw error
    }
  }
}

/// The children that stand in for containers while overrides are in force.
private final class OverrideScope: Sendable {
  private let components: [AnyComponent]
  private let refusal: RefusalPolicy?
  private let containers = Lock<[ObjectIdentifier: ComponentContainer]>([:])

  init(_ components: [AnyComponent], inside outer: OverrideScope?, refusal: RefusalPolicy?) {
    let keys = Set(components.flatMap(\.definition.servedKeys))
    let kept = outer?.components.filter { !$0.definition.servedKeys.contains(where: keys.contains) } ?? []
    self.components = kept + components
    self.refusal = refusal ?? outer?.refusal
  }

  func container(for container: ComponentContainer) throws -> ComponentContainer {
    // A stand-in answers for itself, and so do its children.
    guard !container.isStandIn else { return container }
    if let known = containers.withLock({ $0[ObjectIdentifier(container)] }) { return known }
    let new = try container.child(
      named: container.name, components, refusal: refusal, isStandIn: true)
    return containers.withLock { containers in
      // Another thread may have been faster; nothing has been created in the new one yet.
      let known = containers[ObjectIdentifier(container)] ?? new
      containers[ObjectIdentifier(container)] = known
      return known
    }
  }

  /// Gives up what was created under the overrides.
  func end() async {
    for container in containers.withLock({ Array($0.values) }) { await container.delete() }
  }
}
