extension ComponentContainer {
  /// A container that has everything this one has, and its own components besides or instead (R10).
  ///
  /// Its own components override this container's of the same key, for itself and for what it creates: components of
  /// this container that need an overridden key, directly or by others, are created anew in the child. Everything else
  /// is this container's, which is untouched. A component that needs the key that it overrides receives this
  /// container's instance, so it can decorate it.
  ///
  /// ```swift
  /// let request = try container.child {
  ///   Component(User.self) { _ in user }
  /// }
  /// ```
  ///
  /// A child costs in proportion to its own components and to those of this container that they affect. The first child
  /// after an update also costs one look at each component of this container.
  ///
  /// - Parameters:
  ///   - name: a name for errors; none by default.
  ///   - components: what it provides itself.
  /// - Throws: as ``init(named:_:)``; ``ComponentError`` when this container was deleted.
  public func child(
    named name: String? = nil,
    @ComponentBuilder _ components: () throws -> [AnyComponent]
  ) throws -> ComponentContainer {
    try child(named: name, components(), refusal: nil, isStandIn: false)
  }

  func child(
    named name: String?, _ components: [AnyComponent], refusal: RefusalRule?, isStandIn: Bool
  ) throws -> ComponentContainer {
    guard life.phase == .live else {
      throw ComponentError.deleted(life.owner, "can't have a child")
    }
    // Under the lock, so that no update comes between what the child sees and its being known as a child.
    let child = try family.withGraphs {
      let child = try ComponentContainer(
        components.map { GraphNode($0) }, name: name, parent: self, refusal: refusal, isStandIn: isStandIn)
      childList.children.withLock { $0.add(child) }
      return child
    }
    // An update that comes now plans the child's graph anew, as that of any child.
    try child.createEagerInstances()
    return child
  }

  private var childList: ChildList { features.state(ChildList()) }
}

extension Features {
  static func makeChild(
    of parent: ComponentContainer, named name: String?, _ components: [AnyComponent],
    refusal: ComponentContainer.RefusalRule?, isStandIn: Bool
  ) throws -> ComponentContainer {
    try parent.child(named: name, components, refusal: refusal, isStandIn: isStandIn)
  }

  static func children(of container: ComponentContainer) -> [ComponentContainer] {
    guard let list = container.features.existing(ChildList.self) else { return [] }
    return list.children.withLock { $0.inOrder }.compactMap(\.container).filter { $0.life.phase == .live }
  }

  static func standIns(
    in container: ComponentContainer, over base: Wiring, replacedBy own: [GraphNode]
  ) -> [GraphNode] {
    container.standIns(for: base, replacedBy: own)
  }

  static func childEnded(_ child: ObjectIdentifier, of parent: ComponentContainer) {
    parent.features.existing(ChildList.self)?.children.withLock { $0.remove(child) }
  }
}

/// The children of a container. Each takes itself off when it ends.
private final class ChildList: Sendable {
  let children = Lock(Children())
}

private struct Children {
  private struct Child {
    let number: Int
    let container: WeakContainer
  }

  private var children: [ObjectIdentifier: Child] = [:]
  private var lastNumber = 0

  /// In the order in which they were added.
  var inOrder: [WeakContainer] { children.values.sorted { $0.number < $1.number }.map(\.container) }

  mutating func add(_ child: ComponentContainer) {
    lastNumber += 1
    children[ObjectIdentifier(child)] = Child(number: lastNumber, container: WeakContainer(container: child))
  }

  mutating func remove(_ child: ObjectIdentifier) { children[child] = nil }
}
