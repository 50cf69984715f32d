import TenonBasics

extension ComponentContainer {
  /// Creates a child: a container that has everything this one has, with its own components added or
  /// substituted (R10).
  ///
  /// The child's components override this container's components of the same keys, for the child and for what
  /// it creates: components of this container that need an overridden key, directly or indirectly, are
  /// created again in the child. Everything else is shared with this container, which isn't affected. A
  /// decorator of the child receives this container's instance, or one that the child creates because
  /// something that it needs is overridden; see
  /// ``Component/decorating(_:named:isOptional:needs:file:line:create:)-10p0j``.
  ///
  /// ```swift
  /// let request = try container.child {
  ///   Component(User.self) { _ in user }
  /// }
  /// ```
  ///
  /// The child has its own instances of what it adds, overrides or creates again, and they live as long as
  /// the child. It follows updates of this container, and is deleted with it. Deallocating it runs no
  /// `onDelete` actions; call ``delete()`` for that.
  ///
  /// May be called on any thread, also by a creation.
  ///
  /// - Parameters:
  ///   - name: a name for errors; none by default.
  ///   - components: what the child provides itself.
  /// - Returns: the child, which keeps this container alive.
  /// - Throws: as ``init(named:_:)``; ``ComponentError`` if this container was deleted.
  /// - Complexity: O(*n*) in the number of the child's own components and the components of this container
  ///   that they affect. The first child after an update also examines each component of this container.
  public func child(
    named name: String? = nil,
    @ComponentBuilder _ components: () throws -> [AnyComponent]
  ) throws -> ComponentContainer {
    try child(named: name, components(), refusal: nil, isStandIn: false)
  }

  /// Creates a child and its eager components.
  ///
  /// - Parameters:
  ///   - name: a name for errors.
  ///   - components: what the child provides itself.
  ///   - refusal: decides which of this container's components the child may create; `nil` allows all.
  ///   - isStandIn: whether the child answers requests to this container.
  /// - Throws: ``ConfigurationError`` with every problem of the child's graph; ``ComponentError`` if this
  ///   container was deleted or an eager component can't be created.
  func child(
    named name: String?, _ components: [AnyComponent], refusal: RefusalRule?, isStandIn: Bool
  ) throws -> ComponentContainer {
    // Under the lock, so that no update takes effect between building the child's graph and registering the
    // child, and so that a deletion finds the child or is found here.
    let child = try family.withGraphs {
      guard life.phase == .live else { throw ComponentError.deleted(life.owner, "can't have a child") }
      let child = try ComponentContainer(
        components.map { GraphNode($0) }, name: name, parent: self, refusal: refusal, isStandIn: isStandIn)
      children.withLock { $0.add(child) }
      return child
    }
    // An update that takes effect from here on includes this child.
    try child.createEagerInstances()
    return child
  }

  /// The children that are neither deallocated nor deleted nor being deleted, in order of creation.
  /// Grandchildren aren't included.
  ///
  /// Complexity: O(*n* log *n*) in the number of children.
  var liveChildren: [ComponentContainer] {
    children.withLock { $0.inOrder }.compactMap(\.container).filter { $0.life.phase == .live }
  }
}

/// The children in order of creation, held weakly. Not thread-safe; guarded by the lock of its container.
struct Children {
  /// A child and its position in the order of creation.
  private struct Child {
    let number: Int
    let container: WeakContainer
  }

  private var children: [ObjectIdentifier: Child] = [:]
  /// The number of the child that was created last.
  private var lastNumber = 0

  /// The children in order of creation. Complexity: O(*n* log *n*).
  var inOrder: [WeakContainer] { children.values.ordered { $0.number < $1.number }.map(\.container) }

  /// Adds a child.
  ///
  /// - Parameter child: the child, which isn't retained.
  mutating func add(_ child: ComponentContainer) {
    lastNumber += 1
    children[ObjectIdentifier(child)] = Child(number: lastNumber, container: WeakContainer(container: child))
  }

  /// Removes a child. Does nothing if it isn't listed, as when its creation failed.
  ///
  /// - Parameter child: the identity of the child.
  mutating func remove(_ child: ObjectIdentifier) { children[child] = nil }
}
