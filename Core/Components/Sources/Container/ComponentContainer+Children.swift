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
    named name: String?, _ components: [AnyComponent], refusal: RefusalPolicy?, isStandIn: Bool
  ) throws -> ComponentContainer {
    guard life.phase == .live else {
      throw ComponentError.deleted(life.owner, "can't have a child")
    }
    let definitions = components.map { OwnedDefinition(library: nil, definition: $0.definition) }
    // Under the lock, so that no update comes between what the child sees and its being known as a child.
    return try updates.withLock {
      let child = try ComponentContainer(
        definitions, name: name, parent: self, refusal: refusal, isStandIn: isStandIn)
      children.withLock { children in
        children.removeAll { $0.container == nil }
        children.append(WeakContainer(container: child))
      }
      return child
    }
  }

  /// The children that somebody holds.
  var liveChildren: [ComponentContainer] {
    children.withLock { $0 }.compactMap(\.container).filter { $0.life.phase == .live }
  }
}
