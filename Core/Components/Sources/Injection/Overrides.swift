import TenonBasics
public import TenonThreads

/// The components that the current task overrides in every container that it uses, so that parallel tests can
/// replace components independently. `TenonTesting` builds its traits on it.
///
/// Each container that a task uses gets a stand-in: a child with the overriding components, which answers the
/// requests that the task and its child tasks make to the container. Everything else that uses the container
/// isn't affected. While any task of the process overrides components, lookups take a slower path, because
/// they must read a task-local value.
package enum Overrides {
  /// The overrides of the current task.
  @TaskLocal static var scope: OverrideScope?

  /// Returns the container that answers in place of `container` in the current task; `container` itself
  /// without overrides.
  ///
  /// - Parameter container: the container that received a request.
  /// - Throws: what the creation of that container throws.
  static func container(for container: ComponentContainer) throws -> ComponentContainer {
    guard Redirection.isInUse, let scope else { return container }
    return try scope.container(for: container)
  }

  /// Overrides components while `operation` runs, in this task and its child tasks. The instances that were
  /// created during that time are deleted before this returns.
  ///
  /// - Parameters:
  ///   - components: the replacements, in addition to the overrides that are in effect.
  ///   - refusal: decides what else may be created; `nil` inherits the decision of the enclosing overrides.
  ///   - isolation: the actor on which the operation runs; the caller's by default.
  ///   - operation: the operation.
  /// - Returns: what the operation returns.
  /// - Throws: what the operation throws.
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

/// The child containers that answer for others while overrides are in effect. Thread-safe.
final class OverrideScope: Sendable {
  /// The replacements, including those of the enclosing scope, without the keys that this one replaces.
  private let components: [AnyComponent]
  /// Decides what else may be created; `nil` allows all.
  private let refusal: RefusalPolicy?
  /// The child containers, by the container for which they answer; `nil` when the operation has ended.
  private let containers = Lock<[ObjectIdentifier: ComponentContainer]?>([:])

  /// Creates a scope.
  ///
  /// - Parameters:
  ///   - components: the replacements.
  ///   - outer: the enclosing scope.
  ///   - refusal: decides what else may be created; that of `outer` if `nil`.
  init(_ components: [AnyComponent], inside outer: OverrideScope?, refusal: RefusalPolicy?) {
    let keys = Set(components.flatMap(\.replacedKeys))
    // One that serves other keys as well still replaces those, so that they aren't the live ones again.
    let kept = outer?.components.compactMap { component in
      guard component.servedKeys.contains(where: keys.contains) else { return component }
      let rest = component.typed.without(keys)
      return rest.servedKeys.isEmpty && rest.contributions.isEmpty ? nil : rest
    }
    self.components = (kept ?? []) + components
    self.refusal = refusal ?? outer?.refusal
  }

  /// Returns the child that answers for a container, created with the first request.
  ///
  /// Of several threads that make the first request, each may create a child, of which one is used.
  ///
  /// - Parameter container: the container that received a request.
  /// - Returns: the child; `container` itself if it answers for another one, or if its deletion has begun,
  ///   so that its own error says so.
  /// - Throws: ``ConfigurationError`` if the replacements don't fit into the graph; ``ComponentError`` if the
  ///   container was deleted, the overrides have ended, or an eager replacement can't be created.
  func container(for container: ComponentContainer) throws -> ComponentContainer {
    // A stand-in answers for itself, and so do its children.
    guard !container.isStandIn, container.life.isLive else { return container }
    guard let containers = containers.withLock({ $0 }) else {
      throw ComponentError.overridesEnded(container.life.owner)
    }
    if let known = containers[ObjectIdentifier(container)] { return known }
    let new = try container.child(
      named: container.name, components, refusal: refusal?.rule, isStandIn: true)
    let known = self.containers.withLock { containers in
      // Another thread may have been first. Nothing has been created in the new container yet.
      let known = containers?[ObjectIdentifier(container)] ?? new
      containers?[ObjectIdentifier(container)] = known
      return containers == nil ? nil : known
    }
    guard let known else { throw ComponentError.overridesEnded(container.life.owner) }
    return known
  }

  /// Deletes the child containers and waits for their `onDelete` actions.
  func end() async {
    let all = containers.withLock { containers in
      defer { containers = nil }
      return containers ?? [:]
    }
    for container in all.values { await container.delete() }
  }
}

/// Decides which components of its parent a container may create, so that a test can't use a component by
/// accident.
package struct RefusalPolicy: Sendable {
  /// The types whose components may be created.
  private let allowed: Set<ObjectIdentifier>
  /// Receives the description of each rejection.
  private let report: @Sendable (String) -> Void

  /// Creates a policy.
  ///
  /// - Parameters:
  ///   - allowed: types whose components may be created, under any name.
  ///   - report: receives a text for each component that is rejected.
  package init(allowing allowed: [any Any.Type], report: @escaping @Sendable (String) -> Void) {
    self.allowed = Set(allowed.map { ObjectIdentifier($0) })
    self.report = report
  }

  /// The policy in the form that a container uses.
  var rule: ComponentContainer.RefusalRule {
    { definition in
      if definition.servedKeys.contains(where: { allowed.contains($0.type) }) { return nil }
      return { refuse($0) }
    }
  }

  /// Reports a component, and returns the error for its request.
  ///
  /// - Parameter key: the key of the component.
  private func refuse(_ key: ComponentKey) -> any Error {
    let error = ComponentError.notOverridden(key)
    report(error.description)
    return error
  }
}

extension ComponentError {
  /// The error (``Code/containerDeleted``) of a request with overrides whose operation has ended.
  ///
  /// - Parameter owner: what the container belongs to.
  static func overridesEnded(_ owner: ContainerOwner) -> ComponentError {
    ComponentError(
      .containerDeleted,
      ComponentKey(ComponentContainer.self),
      "\(owner.title) can't be used with overrides that have ended.",
      repairs: ["Wait for everything that continues the overrides before their operation returns."]
    )
  }

  /// The error for a component that the test doesn't override and the policy doesn't allow.
  ///
  /// - Parameter key: the key of the component.
  static func notOverridden(_ key: ComponentKey) -> ComponentError {
    ComponentError(
      .notOverridden,
      key,
      "\(key) was reached, but the test doesn't override it.",
      repairs: [
        "Override it: .overrides { \(key.declaration) }.",
        "Allow it with .refused(except: \(key.typeExpression)) if the test is about it.",
      ]
    )
  }
}

/// Whether requests may be answered by a container other than the one that received them.
@usableFromInline
enum Redirection {
  /// Whether any task of the process overrides components, so that other requests don't pay for reading a
  /// task-local value.
  @export(implementation) static var isInUse: Bool { tenon_overrides_in_use() != 0 }
}
