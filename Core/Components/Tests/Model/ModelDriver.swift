import TenonFoundation
import TenonTesting
import Testing

@testable import TenonCore

/// An instance of the real container, which describes what it was made of.
final class Described: Sendable {
  let text: String
  let number: Int
  let made: [Described]
  let provider: Provider<Described?>?

  init(_ text: String, number: Int = 0, made: [Described] = [], provider: Provider<Described?>? = nil) {
    (self.text, self.number, self.made, self.provider) = (text, number, made, provider)
  }
}

/// What the creations of one program have in common.
final class Creations: Sendable {
  private struct State { var last = 0, deleted: [Int] = [] }
  private let state = Lock(State())

  var deleted: [Int] { state.withLock { $0.deleted } }
  func next() -> Int {
    state.withLock {
      $0.last += 1
      return $0.last
    }
  }
  func delete(_ number: Int) { state.withLock { $0.deleted.append(number) } }
  func forget() { state.withLock { $0.deleted = [] } }

  func component(_ part: Part) -> AnyComponent {
    let optional = Dependency<Described?>.optional(
      Described.self, named: part.optional.map { "k\($0)" } ?? "none")
    let all = Dependency<[Described]>.all(Described.self, named: part.collects ? "all" : "none")
    let provider = Dependency<Provider<Described?>>.optionalProvider(
      Described.self, named: part.provider.map { "k\($0)" } ?? "none")
    let make: @Sendable (Described?, Described?, [Described], Provider<Described?>) throws -> Described = {
      required, optional, all, provider in
      if part.declines { throw ComponentUnavailable("It declines.") }
      return Described(
        "#\(part.id)(\(required?.text ?? "-"),\(optional?.text ?? "-"),\(all.map(\.text)))",
        number: self.next(), made: [required, optional].compactMap { $0 } + all,
        provider: part.provider == nil ? nil : provider)
    }
    var component =
      if let required = part.required {
        Component(
          Described.self, needs: .required(Described.self, named: "k\(required)"), optional, all, provider
        ) { _, required, optional, all, provider in try make(required, optional, all, provider) }
      } else {
        Component(Described.self, needs: optional, all, provider) { _, optional, all, provider in
          try make(nil, optional, all, provider)
        }
      }
    component = component.named("k\(part.key)").scope(part.scope)
    if part.hasAlias { component = component.alias("a\(part.key)") }
    if part.contributes { component = component.contributing(to: Described.self, named: "all") { $0 } }
    if part.scope == .shared { component = component.onDelete { self.delete($0.number) } }
    return AnyComponent(component)
  }
}

/// Drives real containers and the model through one program, and returns the first difference.
struct ModelDriver {
  private let creations = Creations()
  private var model = ModelContainers([])
  private var containers: [ComponentContainer] = []
  private var held: [Described] = []
  private var heldByModel: [ModelInstance] = []
  /// Whether every container of the program was configured.
  private(set) var reachesSteps = false

  /// Returns the first difference, or `nil` if there is none.
  mutating func run(_ program: Program) async throws -> String? {
    for parts in program.layers {
      model.layers.append(parts)
      let components = parts.map(creations.component)
      let make = { [containers] in
        try containers.last?.child { components } ?? ComponentContainer { components }
      }
      guard model.isValid else { return Self.isRefused { _ = try make() } ? nil : "It is configured." }
      containers.append(try make())
    }
    reachesSteps = true
    for step in program.steps {
      if let difference = try await run(step) { return "\(step): \(difference)" }
    }
    held = []
    for layer in containers.indices.reversed() {
      let expected = model.deletions(in: layer)
      creations.forget()
      await containers[layer].delete()
      if creations.deleted != expected { return "\(layer) deletes \(creations.deleted), not \(expected)." }
    }
    return nil
  }

  private static func isRefused(_ body: () throws -> Void) -> Bool {
    do { try body() } catch { return error is ConfigurationError }
    return false
  }

  private mutating func run(_ step: Step) async throws -> String? {
    switch step {
    case .resolve(let layer, let name):
      return compare(
        Result { [try model.resolve(name, in: layer)] },
        Result { [try containers[layer].resolve(Described.self, named: name)] })
    case .resolveIfPresent(let layer, let name):
      return compare(
        Result { [try model.resolveIfPresent(name, in: layer)].compactMap { $0 } },
        Result { [try containers[layer].resolveIfPresent(Described.self, named: name)].compactMap { $0 } })
    case .resolveAll(let layer):
      return compare(
        Result { try model.resolveAll(in: layer) },
        Result { try containers[layer].resolveAll(Described.self, named: "all") })
    case .ask(let layer, let name):
      let count = heldByModel.count
      if let difference = try await run(.resolve(layer, name)) { return difference }
      guard heldByModel.count > count, let asker = heldByModel.last, let key = asker.part.provider else {
        return nil
      }
      // An instance whose component is gone asks nobody.
      guard model.layers[asker.home...asker.home].joined().contains(where: { $0.id == asker.part.id })
      else { return nil }
      let real = held.last?.provider
      return compare(
        Result { [try model.resolveIfPresent("k\(key)", in: asker.home)].compactMap { $0 } },
        Result { [try real?.get()].compactMap { $0 } })
    case .replace(let layer, let part):
      var next = model
      next.layers[layer].removeAll { !Set($0.served).isDisjoint(with: part.replaced) }
      next.layers[layer].append(part)
      return try await update(layer, next) { [creations] in $0.replace { creations.component(part) } }
    case .remove(let layer, let key):
      guard model.layers[layer].contains(where: { $0.key == key }) else { return nil }
      var next = model
      next.layers[layer].removeAll { $0.key == key }
      return try await update(layer, next) { $0.remove(Described.self, named: "k\(key)") }
    case .adopt(let parts):
      return try adopt(parts)
    case .reset(let layer):
      model.reset(layer)
      await containers[layer].reset()
    case .resetKey(let layer, let key):
      guard model.provides(key, in: layer) else { return nil }
      model.reset(layer, key: key)
      try await containers[layer].reset(Described.self, named: "k\(key)")
    case .release:
      held = []
      heldByModel = []
    case .override(let layer, let parts, let names):
      return try await override(layer, parts, names)
    }
    return nil
  }

  private mutating func update(
    _ layer: Int, _ next: ModelContainers, _ change: (inout ComponentUpdate) -> Void
  ) async throws -> String? {
    guard next.isValid else {
      return Self.isRefused { _ = try containers[layer].update(change) } ? nil : "It is accepted."
    }
    model = next
    model.changed()
    await (try containers[layer].update(change)).value
    return nil
  }

  private mutating func adopt(_ parts: [Part]) throws -> String? {
    guard let library = parts.first?.library else { return nil }
    var next = model
    next.adopt(parts)
    let root = containers[0]
    let install = { [creations] in
      try LateLibraries.$components.withValue(parts.map(creations.component)) {
        try root.install([LateLibraries.all[library]])
      }
    }
    guard next.isValid, !next.hasConflicts else {
      return Self.isRefused { try install() } ? nil : "It is accepted."
    }
    model = next
    model.changed()
    try install()
    return nil
  }

  private mutating func override(_ layer: Int, _ parts: [Part], _ names: [String]) async throws -> String? {
    var next = model
    next.layers = Array(model.layers[...layer]) + [parts]
    guard next.isValid else { return nil }
    let all = model.layers
    model = next
    model.overridingLayer = layer + 1
    let components = parts.map(creations.component)
    let container = containers[layer]
    var difference: String?
    try await withOverrides {
      components
    } operation: {
      for name in names where difference == nil {
        difference = compare(
          Result { [try model.resolve(name, in: layer + 1)] },
          Result { [try container.resolve(Described.self, named: name)] })
      }
    }
    model.endOverrides(over: all)
    return difference
  }

  /// Compares two answers, and holds their instances.
  private mutating func compare(
    _ expected: Result<[ModelInstance], any Error>, _ actual: Result<[Described], any Error>
  ) -> String? {
    func text(_ error: any Error) -> String {
      if let error = error as? ModelContainers.Failure { return "\(error.code)" }
      return (error as? ComponentError).map { "\($0.code)" } ?? "\(error)"
    }
    let right: String
    switch expected {
    case .success(let instances):
      heldByModel += instances
      right = "\(instances.map { "\($0.number)=\($0.text)" })"
    case .failure(let error): right = text(error)
    }
    let found: String
    switch actual {
    case .success(let instances):
      held += instances
      found = "\(instances.map { "\($0.number)=\($0.text)" })"
    case .failure(let error): found = text(error)
    }
    return found == right ? nil : "\(found), expected \(right)"
  }
}
