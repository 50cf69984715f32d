/// A component whose type has been erased, so that components of all types can be listed together.
///
/// ``ComponentBuilder`` erases types by itself; write `AnyComponent(component)` only where an array is built
/// by hand. Containers and graphs work with a declaration in this form.
///
/// Immutable. A declaration belongs to no container: several containers can have components of the same
/// declaration, each with its own instances.
public final class AnyComponent: Sendable {
  /// The key of the component, by which it appears in errors and graphs, also if it isn't served under it.
  let key: ComponentKey
  /// How long an instance is used.
  let scope: Scope
  /// The declared needs: those that the creation receives, in this order, and those that are injected.
  let needs: [Need]
  /// The types of the arguments that `resolve` must pass; empty for most components.
  let arguments: [ComponentKey]
  /// The additional keys under which the instance is served, in order of declaration.
  let services: [ComponentKey]
  /// The keys whose collections contain the instance.
  let contributions: [ComponentKey]
  /// Additional names that are served unless another component claims them; see
  /// ``Component/automaticAliases()``.
  let automaticAliases: [ComponentKey]
  /// The events that release the instance.
  let resetTriggers: [ResetTrigger]
  /// When a shared instance is created.
  let timing: InstantiationTiming
  /// Whether the component is served under `key`. A pure contribution isn't; see
  /// ``Component/contributing()``.
  let isServed: Bool
  /// Whether the component has an `onStart` action.
  let hasStart: Bool
  /// Whether the component has an `onDelete` action.
  let hasDeletion: Bool
  /// Every key that the component claims: `key`, if it is served, and `services`. Automatic aliases aren't
  /// claims.
  let servedKeys: [ComponentKey]
  /// The keys that the component claims and needs: it decorates what else serves them. Empty for most
  /// components. See ``Component/decorating(_:named:isOptional:needs:file:line:create:)-10p0j``.
  let decoratedKeys: [ComponentKey]
  /// The keys that the component takes from others that claim them.
  var replacedKeys: [ComponentKey] { servedKeys.filter { !decoratedKeys.contains($0) } }
  /// Whether the component is left out if one of ``decoratedKeys`` has nothing that it could decorate.
  let isOptionalDecorator: Bool
  /// Where the component is declared.
  var place: DeclarationPlace { typed.place }
  /// The component with its type.
  let typed: any TypedComponent
  /// The error that a source threw instead of returning its components, if this represents such a source;
  /// `nil` for a component.
  let failure: (any Error)?

  /// Erases the type of a component.
  ///
  /// - Parameter component: the component to erase.
  public convenience init<Value>(_ component: Component<Value>) { self.init(component, failure: nil) }

  /// Erases the type of a component, or of one that represents the error of a source.
  ///
  /// - Parameters:
  ///   - component: the component to erase.
  ///   - failure: what the source threw. A container can't be configured with it.
  init<Value>(_ component: Component<Value>, failure: (any Error)?) {
    self.failure = failure
    key = component.key
    isServed = component.isServed
    scope = component.scope
    timing = component.timing
    let injected = component.injectedNeeds
    needs = injected.isEmpty ? component.needs : component.needs + injected
    arguments = component.arguments
    services = component.services.map { $0.key }
    contributions = component.contributions.map { $0.key }
    automaticAliases = component.aliasCandidates
    resetTriggers = component.resetTriggers
    hasStart = component.start != nil
    hasDeletion = component.deletion != nil
    let servedKeys = !isServed ? services : services.isEmpty ? [key] : [key] + services
    self.servedKeys = servedKeys
    var decoratedKeys: [ComponentKey] = []
    var requiredKeys: [ComponentKey] = []
    for need in needs where need.kind.isOfInstance && servedKeys.contains(need.key) {
      // Several needs of one key, such as the one that a decorator has anyway, are one decoration.
      if !decoratedKeys.contains(need.key) { decoratedKeys.append(need.key) }
      if need.kind == .required { requiredKeys.append(need.key) }
    }
    self.decoratedKeys = decoratedKeys
    isOptionalDecorator = decoratedKeys.contains { !requiredKeys.contains($0) }
    typed = component
  }
}

/// The operations that need the component's type.
protocol TypedComponent: Sendable {
  /// Where the component is declared.
  var place: DeclarationPlace { get }
  /// Returns the component without some of the keys under which it is served. Its contributions remain.
  ///
  /// - Parameter keys: the keys.
  func without(_ keys: Set<ComponentKey>) -> AnyComponent
  /// Makes the slots of a component, and passes the slots of its services and contributions to `builder`.
  ///
  /// - Parameters:
  ///   - component: the component as a container has it, whose cells the slots use.
  ///   - node: its keys, its position and its rejection in the graph that is built.
  ///   - builder: the builder that resolves the component's needs.
  /// - Returns: the slot in which the instance is created, bound to what the component needs.
  func makeSlots(
    of component: InstalledComponent, as node: borrowing GraphNode, in builder: WiringBuilder
  ) -> any AnySlot
  /// Creates the instance if necessary and runs the `onStart` action with it. Does nothing if an update has
  /// removed the component, or if its creation decides that the instance isn't kept. If a reset releases the
  /// instance before the action begins, a new one is created.
  ///
  /// - Parameter slot: the source slot of the component.
  /// - Throws: what the creation or the action throws.
  func runStart(_ slot: any AnySlot) async throws
  /// Applies the injections and their hooks to an object that exists.
  ///
  /// - Parameters:
  ///   - object: the object.
  ///   - container: the container that provides what is injected.
  /// - Returns: `false` if the object isn't of the type that the component creates. Nothing is injected then.
  /// - Throws: what the resolution of a value, an injection or a hook throws.
  func inject(into object: Any, from container: ComponentContainer) throws -> Bool
  /// Runs the `onDelete` action. Does nothing for a component without one.
  ///
  /// - Parameter box: the `Box` that holds the instance.
  func runDeletion(_ box: any AnyObject & Sendable) async
}

extension Component: TypedComponent {
  func without(_ keys: Set<ComponentKey>) -> AnyComponent {
    AnyComponent(
      modified { component in
        if keys.contains(component.key) {
          component.isServed = false
          component.hasAutomaticAliases = false
        }
        component.services.removeAll { keys.contains($0.key) }
      })
  }

  func makeSlots(
    of component: InstalledComponent, as node: borrowing GraphNode, in builder: WiringBuilder
  ) -> any AnySlot {
    // A rejected component only throws, and isn't bound to its needs.
    let make: Make<Value> =
      if let error = node.refusal { Make { _ in throw error(key) } } else { bind(builder, component.context) }
    let source = Slot<Value>(
      key,
      of: component,
      cell: component.cell,
      needs: builder.takeNeeds(),
      completion: boundCompletion(builder.container),
      make: make
    )
    for index in services.indices {
      builder.addService(services[index].makeSlot(component, component.serviceCells[index], source), of: node)
    }
    for (index, key) in component.automaticAliases.enumerated() {
      let cell = component.serviceCells[services.count + index]
      builder.addService(Service(key) { (value: Value) in value }.makeSlot(component, cell, source), of: node)
    }
    for index in contributions.indices {
      builder.addContribution(
        contributions[index].makeSlot(component, component.contributionCells[index], source), of: node)
    }
    return source
  }

  /// Returns the injections and the `onCreate` action bound to their container, which they don't keep alive.
  /// They are omitted if the container has been deallocated.
  ///
  /// - Parameter container: the container that creates the instance.
  /// - Returns: what completes an instance; `nil` for a component without injections and without an action.
  private func boundCompletion(_ container: WeakContainer) -> (@Sendable (Value) throws -> Void)? {
    guard completion != nil || injection != nil else { return nil }
    return { [self] value in
      guard let container = container.container else { return }
      try runInjections(into: value, from: container)
      try completion?(value, container)
    }
  }

  func inject(into object: Any, from container: ComponentContainer) throws -> Bool {
    guard let value = object as? Value else { return false }
    try runInjections(into: value, from: container)
    return true
  }

  func runStart(_ slot: any AnySlot) async throws {
    let life = slot.component.life
    // Retries if a reset releases the new instance before the action begins.
    while !slot.component.isRemoved {
      let isKept =
        isOnMainActor ? try await MainActor.run { try slot.create(.current) } : try slot.create(.current)
      guard isKept else { return }
      guard let start = life.beginStart(of: slot.component) else { continue }
      do {
        try await self.start?(Box<Value>.known(start.box).value)
        life.end(start, isStarted: true)
        return
      } catch {
        life.end(start, isStarted: false)
        throw error
      }
    }
  }

  func runDeletion(_ box: any AnyObject & Sendable) async { await deletion?(Box<Value>.known(box).value) }
}

/// An additional type under which a component's instance is served, or to which it contributes. Each has its
/// own cell and slot, whose creation is a call of `view` with the component's instance.
struct Service: Sendable {
  let key: ComponentKey
  /// Makes the slot of the service from the component, the cell to use, and the source slot.
  let makeSlot: @Sendable (InstalledComponent, InstanceCell, any AnySlot) -> any AnySlot

  /// Creates a service.
  ///
  /// - Parameters:
  ///   - key: the additional key, whose type must be `Interface`.
  ///   - view: converts the instance to the additional type. If it or the creation of the instance throws
  ///     ``ComponentUnavailable``, the service declines.
  init<Value: Sendable, Interface: Sendable>(
    _ key: ComponentKey, _ view: @escaping @Sendable (Value) throws -> Interface
  ) {
    self.key = key
    makeSlot = { component, cell, source in
      let source = source.typed(Value.self)
      let make = Make { thread in
        do {
          return try view(try source.value(thread))
        } catch let error as ComponentError where error.declines(source) {
          // If the instance declines, then so does every type under which it is served.
          throw ComponentUnavailable(error.reason)
        }
      }
      return Slot<Interface>(key, of: component, cell: cell, source: source, make: make)
    }
  }
}
