@testable import TenonCore

/// A component of a generated program. Its key is `k<key>`; it needs components with higher numbers only.
struct Part: CustomStringConvertible {
  var id: Int
  var key: Int
  var scope: Scope = .shared
  /// The key of a required need.
  var required: Int?
  /// The key of an optional need. The part's own key makes it a decorator.
  var optional: Int?
  /// The key that the instance asks later, by a provider.
  var provider: Int?
  var collects = false
  var contributes = false
  var hasAlias = false
  var declines = false
  /// The number of the library to which the part belongs; `nil` for none.
  var library: Int?

  /// The names under which the part is served.
  var served: [String] { hasAlias ? ["k\(key)", "a\(key)"] : ["k\(key)"] }
  /// The names that it takes from other parts.
  var replaced: [String] { isDecorator ? Array(served.dropFirst()) : served }
  /// The names that it needs. A decorator is bound to a part instead.
  var needs: [String] {
    [required, isDecorator ? nil : optional, provider].compactMap { $0.map { "k\($0)" } }
  }
  var isDecorator: Bool { optional == key }

  var description: String {
    var text = "#\(id) k\(key) \(scope)"
    if let required { text += " needs k\(required)" }
    if let optional { text += isDecorator ? " decorates" : " needs k\(optional)?" }
    if let provider { text += " asks k\(provider)" }
    if collects { text += " collects" }
    if contributes { text += " contributes" }
    if hasAlias { text += " alias a\(key)" }
    if let library { text += " of library \(library)" }
    return declines ? text + " declines" : text
  }
}

/// One step of a program. A layer is a container: 0 is the root, and each next one is the child of the
/// former.
enum Step: CustomStringConvertible {
  case resolve(Int, String)
  case resolveIfPresent(Int, String)
  case resolveAll(Int)
  /// Resolves a component and the provider that its instance holds.
  case ask(Int, String)
  case replace(Int, Part)
  case remove(Int, key: Int)
  /// Adds the parts of a library that is loaded later to the root.
  case adopt([Part])
  case reset(Int)
  /// Resets one component of a container.
  case resetKey(Int, key: Int)
  /// Lets go of every instance that was resolved.
  case release
  /// Resolves keys of a container while a task overrides parts.
  case override(Int, [Part], [String])

  var description: String {
    switch self {
    case .resolve(let layer, let name): "\(layer): resolve \(name)"
    case .resolveIfPresent(let layer, let name): "\(layer): resolve \(name) if present"
    case .resolveAll(let layer): "\(layer): resolve all"
    case .ask(let layer, let name): "\(layer): ask the provider of \(name)"
    case .replace(let layer, let part): "\(layer): replace by \(part)"
    case .remove(let layer, let key): "\(layer): remove k\(key)"
    case .adopt(let parts): "0: adopt \(parts)"
    case .reset(let layer): "\(layer): reset"
    case .resetKey(let layer, let key): "\(layer): reset k\(key)"
    case .release: "release what was resolved"
    case .override(let layer, let parts, let names): "\(layer): override by \(parts), resolve \(names)"
    }
  }
}

/// Containers and what is done with them.
struct Program: CustomStringConvertible {
  var layers: [[Part]]
  var steps: [Step]

  var description: String {
    let containers = layers.enumerated().flatMap { layer, parts in parts.map { "\(layer): \($0)" } }
    return (containers + ["--"] + steps.map(\.description)).joined(separator: "\n")
  }
}
