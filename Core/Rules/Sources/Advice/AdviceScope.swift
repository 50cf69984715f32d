/// The names that are visible in a block.
final class AdviceScope {
  private let parent: AdviceScope?
  private let functions: [String: FunctionDeclaration]
  /// The types of the wildcards.
  private let wildcards: [String: String]

  init(parent: AdviceScope?, functions: [FunctionDeclaration], wildcards: [String: String]) {
    self.parent = parent
    self.functions = Dictionary(functions.map { ($0.name, $0) }, uniquingKeysWith: { first, _ in first })
    self.wildcards = wildcards
  }

  /// Returns the type of a wildcard.
  func wildcard(_ name: String) -> String? { wildcards[name] ?? parent?.wildcard(name) }

  /// Returns a function, and the scope in which it was declared.
  func function(_ name: String) -> (FunctionDeclaration, AdviceScope)? {
    if let function = functions[name] { return (function, self) }
    return parent?.function(name)
  }
}
