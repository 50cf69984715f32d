/// Finds what the components in a file need.
enum ComponentNeeds {
  /// A need as it is declared, for example `.optional((any AuthInterop).self)`.
  struct Need {
    /// The type, for example `any AuthInterop`.
    let type: String
    let position: String.Index
    var isExistential: Bool { type.hasPrefix("any ") }
    /// The name of the type without `any`, its module, the types around it, and its arguments, for example
    /// `AuthInterop`.
    var name: String {
      let bare = isExistential ? type.dropFirst("any ".count) : type[...]
      return String(bare.prefix { $0 != "<" }.split(separator: ".").last ?? "")
    }
  }

  /// Returns the needs in code without comments and strings, in their order.
  static func needs(_ code: String) -> [Need] {
    guard code.contains("Component") else { return [] }
    return code.matches(of: /\bComponent(?:\s*\.\s*onMainActor)?\s*(?:<[^>]*>)?\(/).flatMap { component in
      let arguments = parenthesized(code[component.range.upperBound...])
      return arguments.matches(
        of:
          /\.\s*(?:required|optional|all|provider|optionalProvider|allProvider|deferred|factory)\s*\(\s*\(?\s*([\w. <>,]+?)\s*\)?\s*\.\s*self\b/
      ).map { Need(type: String($0.1), position: $0.range.lowerBound) }
    }
  }

  /// Returns the text up to the parenthesis that closes an opened one.
  private static func parenthesized(_ text: Substring) -> Substring {
    var depth = 1
    return text.prefix { character in
      if character == "(" { depth += 1 }
      if character == ")" { depth -= 1 }
      return depth > 0
    }
  }
}
