import TenonTesting

@testable import TenonCore

/// What generated programs contain.
struct Grammar {
  var keys = 7
}

/// Generates programs from a seed.
struct ModelGenerator {
  let grammar: Grammar
  private var random: SeededGenerator
  private var lastPart = 0
  /// The libraries that haven't been adopted.
  private var libraries: [Int]
  /// The keys that the root provides. Components require hardly anything else, so that most programs are
  /// valid.
  private var provided: Set<Int> = []

  init(seed: UInt64, _ grammar: Grammar) {
    self.grammar = grammar
    random = SeededGenerator(seed: seed)
    libraries = LateLibraries.all.indices.shuffled(using: &random)
  }

  private mutating func number(_ range: Range<Int>) -> Int { Int.random(in: range, using: &random) }
  private mutating func isChosen(_ percent: Int) -> Bool { number(0..<100) < percent }

  private mutating func part(_ key: Int, in layer: Int) -> Part {
    lastPart += 1
    var part = Part(id: lastPart, key: key)
    part.scope = [.shared, .shared, .unique, .weak, .graph][number(0..<5)]
    func higher(_ percent: Int, _ me: inout Self) -> Int? {
      key + 1 < me.grammar.keys && me.isChosen(percent) ? me.number(key + 1..<me.grammar.keys) : nil
    }
    let requirable = (key + 1..<max(key + 1, grammar.keys)).filter { provided.contains($0) || isChosen(2) }
    part.required = isChosen(45) ? requirable.randomElement(using: &random) : nil
    part.optional = isChosen(15) ? key : higher(60, &self)
    part.provider = higher(30, &self)
    // The lower half collects what the upper half contributes, so that there are no cycles.
    part.collects = key < grammar.keys / 2 && isChosen(30)
    part.contributes = key >= grammar.keys / 2 && isChosen(30)
    part.hasAlias = isChosen(25)
    part.declines = isChosen(6)
    return part
  }

  private mutating func parts(_ percent: Int, in layer: Int) -> [Part] {
    (0..<grammar.keys).filter { _ in isChosen(percent) }.map { part($0, in: layer) }
  }

  /// The parts of the root, the last key first, because each requires what is provided.
  private mutating func rootParts() -> [Part] {
    var parts: [Part] = []
    for key in (0..<grammar.keys).reversed() where isChosen(70) {
      let part = part(key, in: 0)
      parts.append(part)
      if part.isDecorator {
        var decorated = self.part(key, in: 0)
        decorated.optional = nil
        decorated.hasAlias = decorated.hasAlias && !part.hasAlias
        parts.append(decorated)
      }
      provided.insert(key)
    }
    return parts.reversed()
  }

  private mutating func name() -> String { "\(isChosen(20) ? "a" : "k")\(number(0..<grammar.keys))" }

  /// The parts of a library that is loaded later: mostly what the root lacks. Those that conflict are
  /// refused.
  private mutating func lateParts() -> [Part] {
    guard let library = libraries.popLast() else { return [] }
    let missing = (0..<grammar.keys).filter { !provided.contains($0) }.shuffled(using: &random).prefix(1)
    let keys = missing + provided.sorted().filter { _ in isChosen(3) }
    provided.formUnion(missing)
    return keys.map { key in
      var part = part(key, in: 0)
      part.library = library
      // Decorators of libraries are ordered by dependencies, which the model doesn't know.
      if part.isDecorator { part.optional = nil }
      part.contributes = key >= grammar.keys / 2
      return part
    }
  }

  private mutating func step() -> Step {
    let layer = number(0..<3)
    return switch number(0..<16) {
    case 0...3: .resolve(layer, name())
    case 4, 5: .resolveIfPresent(layer, name())
    case 6: .resolveAll(layer)
    case 7: .ask(layer, name())
    case 8, 9: .replace(layer, part(number(0..<grammar.keys), in: layer))
    case 10: .remove(layer, key: number(0..<grammar.keys))
    case 11: isChosen(50) ? .reset(layer) : .resetKey(layer, key: number(0..<grammar.keys))
    case 12: .release
    case 13, 14: .adopt(lateParts())
    default: .override(layer, parts(25, in: 0), [name(), name(), name()])
    }
  }

  mutating func program() -> Program {
    let layers = [rootParts(), parts(30, in: 1), parts(30, in: 2)]
    let count = number(8..<25)
    return Program(layers: layers, steps: (0..<count).map { _ in step() })
  }
}
