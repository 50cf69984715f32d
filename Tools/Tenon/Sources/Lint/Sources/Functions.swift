/// The functions and initializers that a file declares, with their parameters.
struct Functions {
  /// A function or an initializer.
  struct Function {
    /// The name; `init` for an initializer.
    let name: String
    /// The type in whose body or extension it is declared; `nil` outside of types.
    let owner: String?
    /// The labels of the arguments; `_` for none.
    let labels: [String]
    /// The types of the parameters as they are written.
    let types: [String]
  }

  /// The body of a type or an extension.
  struct Body {
    /// The name of the type, without the types around it.
    let name: String
    let isStructure: Bool
    let range: Range<String.Index>
    /// The types of the properties that have one in their declaration, by their names.
    let properties: [String: String]
  }

  let functions: [Function]
  let bodies: [Body]

  /// - Parameter code: the source without comments and strings.
  init(_ code: String) {
    let bodies = Self.bodies(code)
    self.bodies = bodies
    functions = code.matches(of: /\b(?:func\s+(\w+)|(init)[?!]?)\s*(?:<[^>(]*>)?\s*\(/).compactMap { head in
      guard let name = head.1 ?? head.2, !Self.isReference(head.range.lowerBound, in: code) else {
        return nil
      }
      let parameters = Self.parameters(Self.enclosed(code[head.range.upperBound...]))
      return Function(
        name: String(name), owner: Self.enclosing(head.range.lowerBound, in: bodies)?.name,
        labels: parameters.map(\.label), types: parameters.map(\.type))
    }
  }

  /// Returns the innermost body around a position.
  static func enclosing(_ position: String.Index, in bodies: [Body]) -> Body? {
    bodies.last { $0.range.contains(position) }
  }

  /// Whether `init` is that of an expression, such as `Catalog.init(…)`.
  private static func isReference(_ position: String.Index, in code: String) -> Bool {
    position > code.startIndex && code[code.index(before: position)] == "."
  }

  /// Returns the bodies of types in the order in which they begin, so that an inner one is behind the one
  /// around it.
  private static func bodies(_ code: String) -> [Body] {
    code.matches(
      of: /\b(struct|class|enum|actor|extension)\s+(?!func\b|var\b|let\b|subscript\b)([\w.]+)[^{}]*\{/
    ).map {
      head in
      let body = enclosed(code[head.range.upperBound...])
      return Body(
        name: String(head.2.split(separator: ".").last ?? ""), isStructure: head.1 == "struct",
        range: body.startIndex..<body.endIndex, properties: head.1 == "struct" ? properties(body) : [:])
    }
  }

  private static func properties(_ body: Substring) -> [String: String] {
    var depth = 0
    // Only what is directly in the body.
    let outermost = String(
      body.map { character in
        if character == "{" { depth += 1 }
        if character == "}" { depth -= 1 }
        return depth > 0 && !character.isNewline ? " " : character
      })
    let found = outermost.matches(of: /\b(?:let|var)\s+(\w+)\s*:([^=\n;{}]+)/).map {
      (String($0.1), String($0.2))
    }
    return Dictionary(found) { first, _ in first }
  }

  // MARK: - Parameters

  /// Returns the parameters in the text between the parentheses of a declaration.
  static func parameters(_ text: Substring) -> [(label: String, type: String)] {
    parts(text, at: ",").compactMap { parameter in
      let halves = parts(parts(parameter, at: "=").first ?? "", at: ":")
      guard let names = halves.first, halves.count == 2 else { return nil }
      let label = names.split(whereSeparator: \.isWhitespace).first { !$0.hasPrefix("@") } ?? "_"
      return (String(label.filter { $0 != "`" }), String(halves[1].trimmed))
    }
  }

  /// Returns the types of the parameters of a closure; `nil` if it doesn't state them.
  static func closureParameters(_ closure: Substring) -> [String]? {
    guard let head = closure.prefixMatch(of: /\{\s*(?:@\w+\s*)*(?:\[[^\]]*\]\s*)?\(/) else { return nil }
    let text = enclosed(closure[head.range.upperBound...])
    guard
      closure[text.endIndex...].prefixMatch(of: /\)\s*(?:throws(?:\([^)]*\))?\s*)?(?:->[^{}]*?)?\bin\b/)
        != nil
    else { return nil }
    return parameters(text).map(\.type)
  }

  // MARK: - Brackets

  /// Returns the text up to the bracket that closes one before it.
  static func enclosed(_ text: Substring) -> Substring {
    var depth = 1
    return text.prefix { character in
      depth += nesting(character)
      return depth > 0
    }
  }

  /// Returns the first of the arguments of a call, without white space around it; a closure as a whole.
  static func argument(_ text: Substring) -> Substring {
    var depth = 0
    let argument = text.prefix { character in
      depth += nesting(character)
      return depth >= 0 && !(depth == 0 && character == ",")
    }
    return argument.trimmed
  }

  /// Returns the parts between separators that are outside of brackets, including those of generic arguments.
  static func parts(_ text: Substring, at separator: Character) -> [Substring] {
    var (depth, previous) = (0, Character(" "))
    return text.split(omittingEmptySubsequences: false) { character in
      defer { previous = character }
      depth += nesting(character)
      if character == "<" { depth += 1 }
      if character == ">", previous != "-" { depth -= 1 }
      return depth == 0 && character == separator
    }
  }

  private static func nesting(_ character: Character) -> Int {
    "([{".contains(character) ? 1 : ")]}".contains(character) ? -1 : 0
  }
}

extension Substring {
  /// The text without white space around it.
  var trimmed: Substring {
    var text = drop(while: \.isWhitespace)
    while text.last?.isWhitespace == true { text.removeLast() }
    return text
  }
}
