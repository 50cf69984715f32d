/// A component whose type has been erased, so that components of all types can stand in one list.
///
/// Containers and graphs know a declaration in this form.
public final class AnyComponent: Sendable {
  let key: ComponentKey
  /// Whether `key` is served; a pure contribution has none.
  let isServed: Bool
  let scope: Scope
  let timing: InstantiationTiming
  let needs: [Need]
  let arguments: [ComponentKey]
  /// The further keys under which the instance is served.
  let services: [ComponentKey]
  let contributions: [ComponentKey]
  /// Names under which the instance is served too where nobody else uses them.
  let automaticAliases: [ComponentKey]
  let resetTriggers: Set<ResetTrigger>
  let hasStart: Bool
  let hasDeletion: Bool
  /// Every key under which the component asks to be served.
  let servedKeys: [ComponentKey]
  /// The component with its type.
  let typed: any TypedComponent

  /// Erases the type of a component.
  public init<Value>(_ component: Component<Value>) {
    key = component.key
    isServed = component.isServed
    scope = component.scope
    timing = component.timing
    needs = component.needs
    arguments = component.arguments
    services = component.services.map { $0.key }
    contributions = component.contributions.map { $0.key }
    automaticAliases = component.aliasCandidates
    resetTriggers = component.resetTriggers
    hasStart = component.start != nil
    hasDeletion = component.deletion != nil
    servedKeys = !isServed ? services : services.isEmpty ? [key] : [key] + services
    typed = component
  }
}

/// What only the component with its type can do.
protocol TypedComponent: Sendable {
  /// Makes the slots of a component and gives those under which it is served as something else to `builder`.
  ///
  /// - Returns: the slot in which the instance is created, bound to what the component needs.
  func makeSlots(of component: InstalledComponent, in builder: WiringBuilder) -> any AnySlot
  /// Runs the `onStart` action with the instance of the source slot, unless an update removes the component.
  func runStart(_ slot: any AnySlot) async throws
  /// Runs the `onDelete` action with the instance in a box.
  func runDeletion(_ box: any AnyObject & Sendable) async
}

extension Component: TypedComponent {
  func makeSlots(of component: InstalledComponent, in builder: WiringBuilder) -> any AnySlot {
    let source = Slot<Value>(
      key,
      of: component,
      cell: component.cell,
      isRefused: builder.refusal != nil,
      completion: boundCompletion(builder.container),
      make: boundCreation(component, builder)
    )
    for index in services.indices {
      builder.addService(services[index].makeSlot(component, component.serviceCells[index], source))
    }
    for (index, key) in component.automaticAliases.enumerated() {
      let cell = component.serviceCells[services.count + index]
      builder.addService(Service(key) { (value: Value) in value }.makeSlot(component, cell, source))
    }
    for index in contributions.indices {
      builder.addContribution(
        contributions[index].makeSlot(component, component.contributionCells[index], source))
    }
    return source
  }

  private func boundCreation(_ component: InstalledComponent, _ builder: WiringBuilder) -> Make<Value> {
    guard let refuse = builder.refusal else { return bind(builder, component.context) }
    let key = key
    return Make { _ in throw refuse(key) }
  }

  private func boundCompletion(_ container: WeakContainer) -> (@Sendable (Value) throws -> Void)? {
    guard let completion else { return nil }
    return { value in
      if let container = container.container { try completion(value, container) }
    }
  }

  func runStart(_ slot: any AnySlot) async throws {
    let life = slot.component.life
    // Again when a reset gives the new instance up at once.
    while !slot.component.isRemoved {
      if isOnMainActor {
        try await MainActor.run { try slot.create(.current) }
      } else {
        try slot.create(.current)
      }
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

/// A further type under which a component's instance is served.
struct Service: Sendable {
  let key: ComponentKey
  /// Makes a slot from that of the instance.
  let makeSlot: @Sendable (InstalledComponent, InstanceCell, any AnySlot) -> any AnySlot

  init<Value: Sendable, Interface: Sendable>(
    _ key: ComponentKey, _ view: @escaping @Sendable (Value) throws -> Interface
  ) {
    self.key = key
    makeSlot = { component, cell, source in
      let source = source.typed(Value.self)
      let make = Make { thread in
        do {
          return try view(try source.value(thread))
        } catch let error as ComponentError where error.declines(source.key) {
          // The instance declines, and so does every type it is served under.
          throw ComponentUnavailable(error.reason)
        }
      }
      return Slot<Interface>(key, of: component, cell: cell, source: source, make: make)
    }
  }
}
