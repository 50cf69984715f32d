/// A component as containers and graphs see it: without its type.
struct ComponentDefinition: Sendable {
  let key: ComponentKey
  /// Whether `key` is served; a pure contribution has none.
  let isServed: Bool
  let scope: Scope
  let timing: InstantiationTiming
  let needs: [Need]
  let arguments: [ArgumentType]
  let services: [ComponentKey]
  let contributions: [ComponentKey]
  /// Names under which the instance is served too where nobody else uses them.
  let automaticAliases: [ComponentKey]
  let resetTriggers: Set<ResetTrigger>
  let hasCompletion: Bool
  let hasDeletion: Bool
  /// Runs the `onStart` action, if there is one, with the instance in the source slot.
  let start: (@Sendable (any AnySlot) async throws -> Void)?
  /// Runs the `onDelete` action with the instance in a box.
  let delete: @Sendable (any AnyObject & Sendable) async -> Void
  /// Makes the cells in which the instance is kept.
  let makeCells: @Sendable (_ automaticAliases: Int) -> ComponentCells
  /// Makes the slots in which the instance is created, each bound to what the component needs.
  let makeSlots: @Sendable (InstalledComponent, WiringBuilder) -> ComponentSlots

  /// Every key under which the component asks to be served.
  var servedKeys: [ComponentKey] { isServed ? [key] + services : services }
}

extension Component {
  func definition() -> ComponentDefinition {
    let component = self
    let deletion = component.deletion
    return ComponentDefinition(
      key: key,
      isServed: isServed,
      scope: scope,
      timing: timing,
      needs: needs,
      arguments: arguments,
      services: services.map(\.key),
      contributions: contributions.map(\.key),
      automaticAliases: aliasCandidates,
      resetTriggers: resetTriggers,
      hasCompletion: completion != nil,
      hasDeletion: deletion != nil,
      start: starting,
      delete: { box in await deletion?(Box<Value>.known(box).value) },
      makeCells: { component.cells(automaticAliases: $0) },
      makeSlots: { component.slots(of: $0, in: $1) }
    )
  }

  private var starting: (@Sendable (any AnySlot) async throws -> Void)? {
    guard let start else { return nil }
    let isOnMainActor = isOnMainActor
    return { slot in
      let slot = slot.typed(Value.self)
      let instance =
        isOnMainActor ? try await MainActor.run { try slot.request(.current) } : try slot.request(.current)
      try await start(instance)
    }
  }

  private func cells(automaticAliases: Int) -> ComponentCells {
    ComponentCells(
      source: InstanceCell<Value>(scope: scope),
      services: services.map { $0.makeCell(scope) }
        + (0..<automaticAliases).map { _ in InstanceCell<Value>(scope: scope) },
      contributions: contributions.map { $0.makeCell(scope) }
    )
  }

  private func slots(of component: InstalledComponent, in builder: WiringBuilder) -> ComponentSlots {
    let cells = component.cells
    let source = Slot<Value>(
      key,
      of: component,
      cell: cells.source.typed(Value.self),
      isSource: true,
      completion: boundCompletion(builder.container),
      make: boundCreation(component, builder)
    )
    var services: [any AnySlot] = []
    for (service, cell) in zip(self.services, cells.services) {
      services.append(service.makeSlot(component, cell, source))
    }
    for (key, cell) in zip(component.automaticAliases, cells.services.dropFirst(self.services.count)) {
      services.append(Service<Value>(key) { $0 }.makeSlot(component, cell, source))
    }
    var contributions: [any AnySlot] = []
    for (contribution, cell) in zip(self.contributions, cells.contributions) {
      contributions.append(contribution.makeSlot(component, cell, source))
    }
    return ComponentSlots(source: source, services: services, contributions: contributions)
  }

  private func boundCreation(_ component: InstalledComponent, _ builder: WiringBuilder) -> Make<Value> {
    guard let refuse = builder.refusal else { return bind(builder, component.context) }
    let key = key
    return { _ in throw refuse(key) }
  }

  private func boundCompletion(_ container: WeakContainer) -> (@Sendable (Value) throws -> Void)? {
    guard let completion else { return nil }
    return { value in
      if let container = container.container { try completion(value, container) }
    }
  }
}

/// A further type under which a component's instance is served.
struct Service<Value: Sendable>: Sendable {
  let key: ComponentKey
  let makeCell: @Sendable (Scope) -> any AnyCell
  let makeSlot: @Sendable (InstalledComponent, any AnyCell, Slot<Value>) -> any AnySlot

  init<Interface: Sendable>(_ key: ComponentKey, _ view: @escaping @Sendable (Value) throws -> Interface) {
    self.key = key
    makeCell = { InstanceCell<Interface>(scope: $0) }
    makeSlot = { component, cell, source in
      Slot<Interface>(key, of: component, cell: cell.typed(Interface.self)) { thread in
        do {
          return try view(try source.value(thread))
        } catch let error as ComponentError where error.declines(source.key) {
          // The instance declines, and so does every type it is served under.
          throw ComponentUnavailable(error.reason)
        }
      }
    }
  }
}
