/// Finds what an interop module must not hold: it declares protocols and plain values, and contains no logic.
///
/// The exception are extensions that conform to the protocols in ``valueProtocols`` only, by which values are
/// compared, hashed and printed. The scanner reads the text for braces and keywords; it isn't a parser.
struct InteropScanner {
  /// Something that an interop module must not hold.
  struct Violation {
    enum Kind { case implementation, staticRequirement, defaultBehaviour }
    let kind: Kind
    let position: String.Index
    let message: String
  }

  /// Returns the violations in code without comments and strings.
  ///
  /// - Parameters:
  ///   - code: the code.
  ///   - protocols: the names of the protocols that interop modules declare.
  static func violations(_ code: String, protocols: Set<String>) -> [Violation] {
    var scanner = InteropScanner(code: code, protocols: protocols)
    scanner.walk()
    return scanner.violations
  }

  /// The protocols by which a value compares, hashes and prints.
  private static let valueProtocols: Set<Substring> = [
    "Equatable", "Hashable", "CustomStringConvertible", "CustomDebugStringConvertible", "CustomReflectable",
    "LocalizedError",
  ]

  /// A pair of braces that has been opened.
  private struct Scope {
    /// The keyword of the declaration, or `closure`.
    let kind: Substring
    /// The position of the opening brace.
    let start: String.Index
    /// Whether this is, or is inside, an extension that may contain logic.
    let mayRun: Bool
    /// The protocol of an interop module whose extension this is; `nil` for anything else.
    let extended: String?
  }

  private let code: String
  private let protocols: Set<String>
  private var violations: [Violation] = []
  /// The open scopes, the innermost last.
  private var scopes: [Scope] = []

  private init(code: String, protocols: Set<String>) { (self.code, self.protocols) = (code, protocols) }

  /// Scans the file from brace to brace. The text before an opening brace determines what it opens.
  private mutating func walk() {
    var statement = code.startIndex
    for index in code.indices {
      switch code[index] {
      case "{":
        open(code[statement..<index], at: index)
        statement = code.index(after: index)
      case "}":
        checkStored(code[statement..<index])
        if let scope = scopes.popLast() { close(scope, body: code[code.index(after: scope.start)..<index]) }
        statement = code.index(after: index)
      default: break
      }
    }
    checkStored(code[statement...])
  }

  /// Opens a scope, and reports it if its kind isn't allowed.
  ///
  /// - Parameters:
  ///   - text: the text between the previous brace and this one.
  ///   - brace: the position of the opening brace.
  private mutating func open(_ text: Substring, at brace: String.Index) {
    checkStored(text)
    let keywords = /\b(protocol|struct|enum|class|actor|extension|func|init|subscript|deinit|var|let|case)\b/
    let last = text.matches(of: keywords).last { match in
      // `.init(…)` in a default value isn't a declaration.
      match.range.lowerBound == text.startIndex || text[text.index(before: match.range.lowerBound)] != "."
    }
    let kind = last?.1 ?? "closure"
    let position = last?.range.lowerBound ?? brace
    let mayRun = scopes.last?.mayRun ?? false || (kind == "extension" && Self.isConformanceOfValues(text))
    let extended = kind == "extension" ? extendedProtocol(text) : nil
    let enclosing = scopes.last
    scopes.append(Scope(kind: kind, start: brace, mayRun: mayRun, extended: extended))
    guard !mayRun else { return }
    if let name = enclosing?.extended, ["func", "subscript", "init"].contains(kind) {
      refuse(position, Self.defaultBehaviour(of: name), .defaultBehaviour)
      return
    }
    switch kind {
    case "class", "actor":
      refuse(position, "an interop declares a \(kind); it holds protocols and plain values")
    case "func", "subscript", "deinit":
      refuse(position, "an interop has a \(kind) with a body; it runs nothing")
    case "let", "closure", "case":
      refuse(position, "an interop holds a closure; it runs nothing")
    default: break
    }
  }

  /// Returns the protocol of an interop module that the text before a brace extends.
  private func extendedProtocol(_ text: Substring) -> String? {
    text.matches(of: /\bextension\s+(?:\w+\.)*(\w+)/).last.map { String($0.1) }.flatMap {
      protocols.contains($0) ? $0 : nil
    }
  }

  private static func defaultBehaviour(of name: String) -> String {
    "an interop gives \(name) a default behaviour, which hides what an implementation lacks; make it a requirement"
  }

  /// Whether the text before a brace declares an extension that conforms to ``valueProtocols`` only.
  private static func isConformanceOfValues(_ text: Substring) -> Bool {
    guard let match = text.firstMatch(of: /\bextension\s+[\w.]+\s*:\s*([\w\s,]+)$/) else { return false }
    let conformances = match.1.split { $0 == "," || $0.isWhitespace }
    return !conformances.isEmpty && conformances.allSatisfy(valueProtocols.contains)
  }

  /// Closes a scope, and checks that initializers only assign their arguments and properties are requirements
  /// of protocols.
  private mutating func close(_ scope: Scope, body: Substring) {
    guard !scope.mayRun else { return }
    if let name = scopes.last?.extended {
      if scope.kind == "var" { refuse(scope.start, Self.defaultBehaviour(of: name), .defaultBehaviour) }
      return
    }
    switch scope.kind {
    case "init":
      let assignments = body.split { $0.isNewline || $0 == ";" }.map { $0.trimming(while: \.isWhitespace) }
      let isPlain = assignments.allSatisfy { $0.wholeMatch(of: /(self\.)?\w+ = \w+/) != nil || $0.isEmpty }
      if !isPlain { refuse(scope.start, "an interop's initializer does more than assign its arguments") }
    case "var":
      let accessors = body.split(whereSeparator: \.isWhitespace)
      let isRequirement =
        !accessors.isEmpty && accessors.allSatisfy { ["get", "set", "async", "throws"].contains($0) }
      if scopes.last?.kind != "protocol" || !isRequirement {
        refuse(scope.start, "an interop has a computed property; it runs nothing")
      }
    default: break
    }
  }

  /// Checks the declarations in the text between two braces: stored properties, constants and requirements.
  private mutating func checkStored(_ text: Substring) {
    guard !(scopes.last?.mayRun ?? false) else { return }
    guard scopes.isEmpty || ["protocol", "struct", "enum", "extension"].contains(scopes.last?.kind ?? "")
    else { return }
    if scopes.isEmpty {
      for match in text.matches(of: /(?m)^[ \t]*(?:\w+[ \t]+)*(let|var)\b/) {
        refuse(match.range.lowerBound, "an interop has a global \(match.1); it holds no state")
      }
    }
    if scopes.last?.kind == "protocol" {
      for match in text.matches(of: /\bstatic\b/) {
        refuse(
          match.range.lowerBound,
          "an interop's protocol has a static requirement; what is used depends on the app",
          .staticRequirement
        )
      }
    } else {
      for match in text.matches(of: /\bstatic var\b/) {
        refuse(match.range.lowerBound, "an interop has a static variable; it holds no state")
      }
    }
  }

  /// Reports a violation.
  private mutating func refuse(
    _ position: String.Index, _ message: String, _ kind: Violation.Kind = .implementation
  ) {
    violations.append(Violation(kind: kind, position: position, message: message))
  }
}

extension StringProtocol {
  /// Returns the text without leading and trailing characters that satisfy a condition.
  fileprivate func trimming(while isUnwanted: (Character) -> Bool) -> String {
    String(String(drop(while: isUnwanted).reversed()).drop(while: isUnwanted).reversed())
  }
}
