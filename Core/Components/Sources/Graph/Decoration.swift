import TenonBasics

/// Decides what each decorator of a graph receives (R10).
///
/// The components that claim a key form a stack: the one that only provides it, here or in the parent's
/// graph, and above it the decorators, each of which receives the instance of the one below. Only the
/// uppermost serves the key. A decorator refers to the component below it, not to its key, so what a child
/// changes about that component changes what the decorator receives there.
enum Decoration {
  /// Returns the optional decorators that have nothing to decorate and are left out of the graph, by index.
  ///
  /// - Parameters:
  ///   - nodes: the container's own components, in order of declaration.
  ///   - base: the parent's graph; `nil` without a parent.
  /// - Complexity: O(*n*) in the number of components for each decorator that is left out.
  static func absentees(among nodes: [GraphNode], over base: Wiring?) -> Set<Int> {
    guard nodes.contains(where: { $0.definition.isOptionalDecorator }) else { return [] }
    let optional = nodes.indices.filter { nodes[$0].definition.isOptionalDecorator }
    var absent: Set<Int> = []
    var isComplete = false
    // One that is left out may provide what another one decorates.
    while !isComplete {
      isComplete = true
      for index in optional where !absent.contains(index) {
        let decorated = nodes[index].definition.decoratedKeys
        let isAbsent = decorated.contains { key in
          base?.slot(key) == nil
            && !nodes.indices.contains { provides(nodes[$0], key) && !absent.contains($0) }
        }
        guard isAbsent else { continue }
        absent.insert(index)
        isComplete = false
      }
    }
    return absent
  }

  /// Returns the components of a container without a parent, bound to what they decorate, for a graph that is
  /// examined without being built.
  ///
  /// - Parameter nodes: the components, in order of declaration.
  static func bound(_ nodes: [GraphNode]) -> [GraphNode] {
    let absentees = absentees(among: nodes, over: nil)
    var present = nodes.indices.filter { !absentees.contains($0) }.map { nodes[$0] }
    bind(&present, over: nil)
    return present
  }

  /// Returns whether a component provides a key that something else can decorate. An optional decorator
  /// needs something below it, too.
  private static func provides(_ node: GraphNode, _ key: ComponentKey) -> Bool {
    guard node.servedKeys.contains(key) else { return false }
    return !node.definition.decoratedKeys.contains(key) || !node.definition.isOptionalDecorator
  }

  /// Binds decorators to what they decorate, and leaves a decorated key to the uppermost decorator.
  ///
  /// A required decorator with nothing below it remains without ``GraphNode/inner``, which validation
  /// reports. If several components provide a decorated key, they keep it and their decorators don't serve
  /// it, so that validation reports these components only.
  ///
  /// - Parameters:
  ///   - nodes: the components, those that replace components of the parent first. These refer to what they
  ///     decorate in the parent's graph.
  ///   - base: the parent's graph; `nil` without a parent.
  /// - Complexity: O(*n*) in the number of components and needs.
  static func bind(_ nodes: inout [GraphNode], over base: Wiring?) {
    guard nodes.contains(where: { !$0.definition.decoratedKeys.isEmpty }) else { return }
    var standIns: [ObjectIdentifier: Int] = [:]
    var decorators: [ComponentKey: [Int]] = [:]
    for index in nodes.indices {
      if let origin = nodes[index].origin {
        standIns[ObjectIdentifier(origin)] = index
      } else {
        for key in nodes[index].definition.decoratedKeys { decorators[key, default: []].append(index) }
      }
    }
    /// Returns what this graph has in place of a slot of the parent's.
    func current(_ slot: any AnySlot) -> Inner {
      standIns[ObjectIdentifier(slot.component)].map(Inner.planned) ?? .built(slot)
    }
    for index in standIns.values where !nodes[index].inner.isEmpty {
      nodes[index].inner = nodes[index].inner.mapValues { inner in
        if case .built(let slot) = inner { current(slot) } else { inner }
      }
    }
    guard !decorators.isEmpty else { return }
    let ranks = decorators.values.contains { $0.count > 1 } ? ranks(of: nodes) : [:]
    let providers = Dictionary(
      nodes.indices.flatMap { index in
        nodes[index].isStandIn ? [] : nodes[index].servedKeys.map { ($0, [index]) }
      }, uniquingKeysWith: +)
    for (key, found) in decorators {
      let stack = found.ordered { rank($0) < rank($1) }
      func rank(_ index: Int) -> (Int, Int) {
        (nodes[index].library.flatMap { ranks[$0.name] } ?? .max, index)
      }
      let bottom = (providers[key] ?? []).filter { !stack.contains($0) }
      var inner = bottom.first.map(Inner.planned) ?? base?.slot(key).map(current)
      for index in stack {
        nodes[index].inner[key] = inner
        inner = .planned(index)
      }
      for index in bottom.count > 1 ? stack : bottom + stack.dropLast() {
        nodes[index].servedKeys.removeAll { $0 == key }
      }
    }
  }

  /// Returns the positions of libraries in the order of their dependencies: a library comes after those whose
  /// components its own components need, unless they depend on each other. Otherwise, the order is that of
  /// declaration.
  private static func ranks(of nodes: [GraphNode]) -> [String: Int] {
    var names: [String] = []
    var numbers: [String: Int] = [:]
    var providers: [ComponentKey: Set<Int>] = [:]
    for node in nodes where !node.isStandIn {
      guard let name = node.library?.name else { continue }
      let number = numbers[name] ?? names.count
      if numbers.updateValue(number, forKey: name) == nil { names.append(name) }
      // A decorated key says nothing about which of its libraries depends on which.
      for key in node.servedKeys where !node.definition.decoratedKeys.contains(key) {
        providers[key, default: []].insert(number)
      }
      for key in node.definition.contributions { providers[key, default: []].insert(number) }
    }
    var needed = [Set<Int>](repeating: [], count: names.count)
    for node in nodes where !node.isStandIn {
      guard let number = node.library.flatMap({ numbers[$0.name] }) else { continue }
      for need in node.definition.needs where !node.definition.decoratedKeys.contains(need.key) {
        needed[number].formUnion(providers[need.key] ?? [])
      }
      needed[number].remove(number)
    }
    let order = DependencyOrder(count: names.count) { index, add in needed[index].ordered().forEach(add) }
      .order
    return Dictionary(uniqueKeysWithValues: order.enumerated().map { (names[$1], $0) })
  }
}
