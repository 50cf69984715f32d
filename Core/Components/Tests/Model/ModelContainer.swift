@testable import TenonCore

/// An instance of the model. It holds what it was made of, as the real one does.
final class ModelInstance {
  let text: String
  let number: Int
  let made: [ModelInstance]
  let home: Int
  let part: Part
  init(_ text: String, _ number: Int, _ made: [ModelInstance], _ home: Int, _ part: Part) {
    (self.text, self.number, self.made, self.home, self.part) = (text, number, made, home, part)
  }
}

/// A naive interpreter of container programs: it derives everything from the declarations with each request.
struct ModelContainers {
  struct Declined: Error {}
  struct Failure: Error { let code: ComponentError.Code }
  /// Where an instance is kept. The layer of a task's overrides has the number of the next child.
  struct Place: Hashable { let home: Int, part: Int, isOverriding: Bool }
  private struct WeakInstance { weak var instance: ModelInstance? }

  var layers: [[Part]]
  /// The layer of a task's overrides, while they are in effect.
  var overridingLayer: Int?
  private var kept: [Place: ModelInstance] = [:]
  private var weak: [Place: WeakInstance] = [:]
  /// The `.graph` instances of the request under way, which releases them when it ends.
  private var resolution: [Place: ModelInstance] = [:]
  private(set) var lastNumber = 0

  init(_ layers: [[Part]]) { self.layers = layers }

  // MARK: Graphs

  func provider(of name: String, in layer: Int) -> (Part, origin: Int)? {
    guard layer >= 0 else { return nil }
    for origin in (0...layer).reversed() {
      if let part = stack(of: name, in: origin).last { return (part, origin) }
    }
    return nil
  }

  /// The parts of one layer that make up the instance of a name: the one that provides it, and its decorators
  /// from the innermost to the outermost. Decorators without anything below them are left out.
  private func stack(of name: String, in layer: Int) -> [Part] {
    let parts = layers[layer].filter { $0.served.contains(name) }
    let decorators = parts.filter { $0.isDecorator && name == "k\($0.key)" }
    let bottom = parts.filter { part in
      !decorators.contains { $0.id == part.id } && !isAbsent(part, in: layer)
    }
    guard !bottom.isEmpty || provider(of: name, in: layer - 1) != nil else { return [] }
    return bottom + decorators
  }

  /// Whether a layer itself has what provides a key.
  func provides(_ key: Int, in layer: Int) -> Bool { !stack(of: "k\(key)", in: layer).isEmpty }

  /// Whether a part is a decorator with nothing to decorate.
  private func isAbsent(_ part: Part, in layer: Int) -> Bool {
    part.isDecorator && !stack(of: "k\(part.key)", in: layer).contains { $0.id == part.id }
  }

  /// What a decorator was declared over.
  private func inner(of part: Part, in origin: Int) -> (Part, origin: Int)? {
    let stack = stack(of: "k\(part.key)", in: origin)
    guard let index = stack.firstIndex(where: { $0.id == part.id }) else { return nil }
    return index > 0 ? (stack[index - 1], origin) : provider(of: "k\(part.key)", in: origin - 1)
  }

  /// The parts of lower layers that a layer creates again, because something that they need differs there.
  /// They include parts whose keys are all overridden: their instances are kept until the part itself is
  /// removed (R9).
  func affected(in layer: Int) -> Set<Int> {
    let present = layers[layer].filter { !isAbsent($0, in: layer) }
    var names = Set(present.flatMap(\.served))
    var collection = present.contains(where: \.contributes)
    var found: Set<Int> = []
    while true {
      let count = found.count
      for (origin, parts) in layers[..<layer].enumerated() {
        for part in parts where !found.contains(part.id) && !isAbsent(part, in: origin) {
          let visible = part.served.filter {
            provider(of: $0, in: layer - 1).map { $0.0.id == part.id && $0.origin == origin } ?? false
          }
          let decorates =
            part.isDecorator && inner(of: part, in: origin).map { found.contains($0.0.id) } ?? false
          guard part.needs.contains(where: names.contains) || (part.collects && collection) || decorates
          else {
            continue
          }
          found.insert(part.id)
          names.formUnion(visible)
          collection = collection || part.contributes
        }
      }
      if found.count == count { return found }
    }
  }

  /// The layer whose instance of a part another layer uses.
  func home(of part: Part, from origin: Int, in layer: Int) -> Int {
    var layer = layer
    while layer > origin, !affected(in: layer).contains(part.id) { layer -= 1 }
    return layer
  }

  /// Whether every required need is provided in every layer.
  var isValid: Bool {
    layers.indices.allSatisfy { layer in
      layers[...layer].enumerated().allSatisfy { origin, parts in
        parts.allSatisfy { part in
          isAbsent(part, in: origin)
            || part.required.map { provider(of: "k\($0)", in: layer) != nil } ?? true
        }
      }
    }
  }

  // MARK: Requests

  mutating func resolve(_ name: String, in layer: Int) throws -> ModelInstance {
    guard let found = provider(of: name, in: layer) else { throw Failure(code: .notProvided) }
    defer { resolution = [:] }
    do { return try instance(of: found.0, from: found.origin, in: layer) } catch is Declined {
      throw Failure(code: .unavailable)
    }
  }

  mutating func resolveIfPresent(_ name: String, in layer: Int) throws -> ModelInstance? {
    guard let found = provider(of: name, in: layer) else { return nil }
    defer { resolution = [:] }
    return try unlessDeclined(found.0, from: found.origin, in: layer)
  }

  mutating func resolveAll(in layer: Int) throws -> [ModelInstance] {
    var all: [ModelInstance] = []
    for (part, origin) in contributions(in: layer) {
      defer { resolution = [:] }
      if let instance = try unlessDeclined(part, from: origin, in: layer) { all.append(instance) }
    }
    return all
  }

  private func contributions(in layer: Int) -> [(Part, Int)] {
    (0...layer).flatMap { origin in
      layers[origin].filter { $0.contributes && !isAbsent($0, in: origin) }.map { ($0, origin) }
    }
  }

  private mutating func unlessDeclined(_ part: Part, from origin: Int, in layer: Int) throws -> ModelInstance?
  {
    do { return try instance(of: part, from: origin, in: layer) } catch is Declined { return nil }
  }

  private mutating func instance(of part: Part, from origin: Int, in layer: Int) throws -> ModelInstance {
    let home = home(of: part, from: origin, in: layer)
    let place = Place(home: home, part: part.id, isOverriding: home == overridingLayer)
    if let found = kept[place] ?? weak[place]?.instance ?? resolution[place] { return found }
    let instance = try make(part, from: origin, in: place.home)
    switch part.scope {
    case .shared: kept[place] = instance
    case .weak: weak[place] = WeakInstance(instance: instance)
    case .graph: resolution[place] = instance
    default: break
    }
    return instance
  }

  private mutating func make(_ part: Part, from origin: Int, in home: Int) throws -> ModelInstance {
    var required: ModelInstance?
    if let key = part.required, let found = provider(of: "k\(key)", in: home) {
      do { required = try instance(of: found.0, from: found.origin, in: home) } catch is Declined {
        throw Failure(code: .unavailable)
      }
    }
    var optional: ModelInstance?
    if let key = part.optional {
      let found = part.isDecorator ? inner(of: part, in: origin) : provider(of: "k\(key)", in: home)
      if let found { optional = try unlessDeclined(found.0, from: found.origin, in: home) }
    }
    var all: [ModelInstance] = []
    if part.collects {
      for (part, origin) in contributions(in: home) {
        if let instance = try unlessDeclined(part, from: origin, in: home) { all.append(instance) }
      }
    }
    if part.declines { throw Declined() }
    lastNumber += 1
    let text = "#\(part.id)(\(required?.text ?? "-"),\(optional?.text ?? "-"),\(all.map(\.text)))"
    let made = [required, optional].compactMap { $0 } + all
    return ModelInstance(text, lastNumber, made, home, part)
  }

  // MARK: Changes

  /// Adds the parts of a library to the root. Libraries come first, in the order of their names.
  mutating func adopt(_ parts: [Part]) {
    let all = layers[0] + parts
    let libraries = Set(all.compactMap(\.library)).sorted()
    layers[0] =
      libraries.flatMap { library in all.filter { $0.library == library } } + all.filter { $0.library == nil }
  }

  /// Whether two parts of one layer serve the same key.
  var hasConflicts: Bool {
    layers.contains { parts in
      let served = parts.flatMap(\.replaced)
      return Set(served).count < served.count
    }
  }

  /// Releases the instances of parts that a layer neither has nor creates again.
  mutating func changed() {
    let live = Set(
      layers.indices.flatMap { layer in
        (layers[layer].filter { !isAbsent($0, in: layer) }.map(\.id)
          + (layer > 0 ? Array(affected(in: layer)) : [])).map {
            Place(home: layer, part: $0, isOverriding: false)
          }
      })
    kept = kept.filter { live.contains($0.key) }
    weak = weak.filter { live.contains($0.key) }
  }

  /// Forgets the instances of a layer, or that of the part that serves a key, including weak ones that
  /// something still holds.
  mutating func reset(_ layer: Int, key: Int? = nil) {
    var meant: Set<Int> = []
    var next = key.flatMap { provider(of: "k\($0)", in: layer) }
    // What a decorator decorates is forgotten with it, if it belongs to the layer.
    while let (part, origin) = next, home(of: part, from: origin, in: layer) == layer {
      meant.insert(part.id)
      next = part.isDecorator ? inner(of: part, in: origin) : nil
    }
    func isMeant(_ place: Place) -> Bool { place.home == layer && (key == nil || meant.contains(place.part)) }
    kept = kept.filter { !isMeant($0.key) }
    weak = weak.filter { !isMeant($0.key) }
  }

  /// The instances that a layer keeps, the newest first: the order in which they are deleted.
  func deletions(in layer: Int) -> [Int] {
    kept.filter { $0.key.home == layer }.map(\.value.number).sorted(by: >)
  }

  /// Ends the layer of a task's overrides, with its instances, and continues with the layers that were there
  /// before.
  mutating func endOverrides(over layers: [[Part]]) {
    // The layer above has the same number, and its instances must survive: see `Place`.
    kept = kept.filter { !$0.key.isOverriding }
    weak = weak.filter { !$0.key.isOverriding }
    self.layers = layers
    overridingLayer = nil
  }
}
