/// Reads a rules file.
///
/// After a mistake, it continues with the next statement, so that one run reports the mistakes of all
/// statements. The places are those of Google's compiler.
struct Parser {
  let bytes: [UInt8]
  let tokens: [Token]
  var index = 0
  /// What is wrong, in the order in which it was found.
  var problems: [RulesProblem]
  /// How deeply blocks and expressions are nested here.
  var depth = 0

  /// The most levels of nested blocks and expressions, more than Google's compiler accepts.
  static let depthLimit = 200
  /// The most members, elements and calls in a row, as in `a.b.c`, which Google doesn't limit.
  static let heightLimit = 500
  /// The largest file that Google accepts, in bytes of UTF-8.
  static let sizeLimit = 256 * 1024

  /// A mistake that ends a statement.
  struct Failure: Error {
    let place: SourcePlace
    let message: String
  }

  /// Reads a file.
  ///
  /// - Throws: ``RulesError`` with all problems if there are any.
  static func parse(_ source: String) throws(RulesError) -> RulesFile {
    let (file, problems) = try parseWithProblems(source)
    if !problems.isEmpty { throw RulesError(problems) }
    return file
  }

  /// Reads a file and returns what is wrong with it.
  ///
  /// - Throws: ``RulesError`` if the file is empty or too large.
  static func parseWithProblems(_ source: String) throws(RulesError) -> (RulesFile, [RulesProblem]) {
    let bytes = Array(source.utf8)
    guard !bytes.isEmpty else {
      throw RulesError([
        RulesProblem(SourcePlace(offset: 0, line: 0, column: 0), "Rules content empty. Compilation aborted.")
      ])
    }
    guard bytes.count <= sizeLimit else {
      throw RulesError([
        RulesProblem(
          .start, "The file has \(bytes.count) bytes; at most \(sizeLimit) are allowed.", code: .limit)
      ])
    }
    var lexer = Lexer(bytes)
    let tokens = lexer.tokens()
    var parser = Parser(bytes: bytes, tokens: tokens, problems: [])
    let file = parser.file()
    // What isn't a token is reported only if nothing else is wrong, as by Google.
    return (file, parser.problems.isEmpty ? lexer.problems : parser.problems)
  }

  // MARK: - Tokens

  var token: Token { tokens[index] }
  var kind: Token.Kind { tokens[index].kind }

  /// The kind of a later token.
  func kind(after count: Int) -> Token.Kind {
    index + count < tokens.count ? tokens[index + count].kind : .end
  }

  /// Skips the current token, except the end, and returns it.
  @discardableResult mutating func advance() -> Token {
    let token = tokens[index]
    if token.kind != .end { index += 1 }
    return token
  }

  /// Skips a token if it is the current one.
  mutating func skip(_ kind: Token.Kind) -> Bool {
    guard self.kind == kind else { return false }
    advance()
    return true
  }

  /// Skips a token that must be the current one.
  @discardableResult mutating func expect(_ kind: Token.Kind) throws(Failure) -> Token {
    guard self.kind == kind else { throw unexpected() }
    return advance()
  }

  /// The text of a token.
  func text(_ token: Token) -> String {
    String(decoding: bytes[token.start.offset..<token.end], as: UTF8.self)
  }

  /// The end of the last token, for the range of what ends there.
  var lastEnd: Int { index > 0 ? tokens[index - 1].end : 0 }

  // MARK: - Mistakes

  func unexpected() -> Failure {
    Failure(place: token.start, message: "Unexpected '\(kind == .end ? "<EOF>" : shortened(text(token)))'.")
  }

  private func shortened(_ text: String) -> String {
    text.count > 60 ? text.prefix(60) + "…" : text
  }

  mutating func report(_ place: SourcePlace, _ message: String, code: RulesProblem.Code = .syntax) {
    guard problems.count < RulesError.problemLimit else { return }
    problems.append(RulesProblem(place, message, code: code))
  }

  mutating func report(_ failure: Failure) { report(failure.place, failure.message) }

  /// Calls a function one level deeper.
  mutating func nested<Result>(
    _ body: (inout Parser) throws(Failure) -> Result
  ) throws(Failure) -> Result {
    guard depth < Self.depthLimit else {
      throw Failure(place: token.start, message: "Expression is too complex to evaluate safely.")
    }
    depth += 1
    defer { depth -= 1 }
    return try body(&self)
  }

  /// Continues after a mistake: with the next statement of the block, or its end.
  mutating func recover(from start: Int) {
    if index == start { advance() }
    var open = 0
    while kind != .end {
      switch kind {
      case .openBrace: open += 1
      case .closeBrace:
        if open == 0 { return }
        open -= 1
      case .semicolon where open == 0:
        advance()
        return
      case .allow, .match, .function, .service:
        if open == 0, tokens[index - 1].kind != .dot { return }
      default: break
      }
      advance()
    }
  }
}
