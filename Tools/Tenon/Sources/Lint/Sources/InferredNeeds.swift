/// Finds the needs that `Component(from:)` infers from the parameters of a function, in the sources of one
/// module.
///
/// The function is an initializer, a function or a method that is declared once in the module with these
/// labels, the initializer that a structure has without declaring it, or a closure that states the types of
/// its parameters. Nothing is found for any other, nor for a parameter whose type is a function or a tuple.
struct InferredNeeds {
  /// The functions and initializers of the module.
  private let functions: [Functions.Function]
  /// The bodies of the module's types.
  private let bodies: [Functions.Body]

  /// - Parameter sources: the sources of the module, without comments and strings.
  init(of sources: [String]) {
    // Most modules use no such component, and need no further look.
    let all = sources.contains(where: Self.mayInfer) ? sources.map(Functions.init) : []
    functions = all.flatMap(\.functions)
    bodies = all.flatMap(\.bodies)
  }

  /// Returns the needs of the components that a file declares, in their order. Their positions are those of
  /// the components.
  func needs(_ code: String) -> [ComponentNeeds.Need] {
    guard Self.mayInfer(code) else { return [] }
    return code.matches(of: Self.component).flatMap { component in
      let argument = Functions.argument(code[component.range.upperBound...])
      let types =
        argument.hasPrefix("{") ? Functions.closureParameters(argument) : parameters(of: argument, in: code)
      return (types ?? []).compactMap(Self.needed).map {
        ComponentNeeds.Need(type: $0, position: component.range.lowerBound)
      }
    }
  }

  /// Returns whether code has a component whose needs are inferred. Most has none, which the first comparison
  /// finds faster.
  private static func mayInfer(_ code: String) -> Bool {
    code.contains("Component") && code.contains(Self.component)
  }

  /// Matches what is before a function: `Component(from:`, `Component.onMainActor(from:`, or `Component`
  /// before a closure.
  private static var component: Regex<Substring> {
    /\bComponent(?:\s*\.\s*onMainActor)?\s*(?:<[^>]*>)?\s*(?:\(\s*from\s*:\s*|(?=\{\s*(?:@\w+\s*)*(?:\[[^\]]*\]\s*)?\())/
  }

  /// Returns the types of the parameters of a function that is named by an expression such as
  /// `Catalog.init(database:cache:)`.
  private func parameters(of reference: Substring, in code: String) -> [String]? {
    guard let match = reference.wholeMatch(of: /(?:(.+)\.)?(\w+)\s*(?:\(((?:\w+\s*:\s*)+)\))?/) else {
      return nil
    }
    let name = String(match.2)
    let labels = match.3.map { $0.split(separator: ":").map { String($0.filter { !$0.isWhitespace }) } }
    var owner = match.1.flatMap { $0.prefix { !"<(".contains($0) }.split(separator: ".").last }.map(
      String.init)
    if owner == "Self" || owner == "self" {
      owner = Functions.enclosing(reference.startIndex, in: Functions(code).bodies)?.name
    }
    let named = functions.filter { $0.name == name && (labels == nil || $0.labels == labels) }
    let owned = named.filter { $0.owner == owner }
    // A method may be that of a value, whose type isn't known.
    let candidates = owned.isEmpty && name != "init" ? named : owned
    if candidates.isEmpty, name == "init", let labels { return memberwise(owner, labels) }
    return candidates.count == 1 ? candidates[0].types : nil
  }

  /// Returns the types of the parameters of a structure's memberwise initializer.
  private func memberwise(_ owner: String?, _ labels: [String]) -> [String]? {
    let structures = bodies.filter { $0.name == owner && $0.isStructure }
    guard structures.count == 1, let structure = structures.first else { return nil }
    let types = labels.compactMap { structure.properties[$0] }
    return types.count == labels.count ? types : nil
  }

  /// Returns the needed type in the type of a parameter, for example `any AuthInterop` in
  /// `(any AuthInterop)?`; `nil` for a function or a tuple.
  private static func needed(_ parameter: String) -> String? {
    var type = parameter[...]
    while true {
      type = type.trimmed
      if let match = type.wholeMatch(of: /(?:inout|sending|consuming|borrowing|__owned|@\w+)\s+(.+)/) {
        type = match.1
      } else if type.hasSuffix("?") {
        type = type.dropLast()
      } else if let match = type.wholeMatch(of: /\((.*)\)/) ?? type.wholeMatch(of: /\[(.*)\]/)
        ?? type.wholeMatch(of: /(?:\w+\.)*(?:Optional|Array|Provider|Deferred)<(.*)>/)
      {
        type = match.1
      } else if let match = type.wholeMatch(of: /(?:\w+\.)*Factory<(.*)>/) {
        type = Functions.parts(match.1, at: ",").first ?? ""
      } else {
        break
      }
    }
    let isOne = type.wholeMatch(of: /[\w. <>,]+/) != nil && Functions.parts(type, at: ",").count == 1
    return isOne ? String(type) : nil
  }
}
