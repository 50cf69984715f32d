/// A component as containers and graphs see it: without its type.
struct ComponentDefinition: Sendable {
  /// The component's place in its container.
  struct ID: Hashable, Sendable, Comparable {
    let index: Int
    static func < (left: ID, right: ID) -> Bool { left.index < right.index }
  }

  let key: ComponentKey
  /// Whether `key` is served; a pure contribution has none.
  let isServed: Bool
  let scope: Scope
  let timing: InstantiationTiming
  let needs: [Need]
  let services: [ComponentKey]
  let contributions: [ComponentKey]
  /// Makes the slots in which the component's instance is created and kept.
  let makeSlots: @Sendable (ID, AppContext?, Logger) -> ComponentSlots

  /// Every key under which the component is served.
  var servedKeys: [ComponentKey] { (isServed ? [key] : []) + services }
}

/// The slots of one component.
struct ComponentSlots: Sendable {
  /// Where the instance itself is.
  let source: any AnySlot
  /// The further types it is served under, in the order of the definition's `services`.
  let services: [any AnySlot]
  /// What it contributes, in the order of the definition's `contributions`.
  let contributions: [any AnySlot]
}

extension Component {
  func definition() -> ComponentDefinition {
    let component = self
    return ComponentDefinition(
      key: key,
      isServed: isServed,
      scope: scope,
      timing: timing,
      needs: needs,
      services: services.map(\.key),
      contributions: contributions.map(\.key)
    ) { id, app, logger in
      let context = ComponentContext(app: app, logger: logger, component: component.key)
      let create = component.create
      let source = Slot<Value>(
        component: id,
        key: component.key,
        scope: component.scope,
        isSource: true,
        deletion: component.deletion
      ) { container in
        try create(container, context)
      }
      return ComponentSlots(
        source: source,
        services: component.services.map { $0.makeSlot(id, source) },
        contributions: component.contributions.map { $0.makeSlot(id, source) }
      )
    }
  }
}
