extension Parser {
  /// Reads the whole file.
  mutating func file() -> RulesFile {
    var file = RulesFile()
    if kind == .rulesVersion { version(&file) }
    guard kind != .end else {
      report(token.start, "mismatched input '<EOF>' expecting {'function', 'import', 'service'}")
      return file
    }
    while kind != .end {
      let start = index
      do throws(Failure) {
        switch kind {
        case .service: file.services.append(try service())
        case .function: file.functions.append(try function())
        case .import:
          report(token.start, "Import statements are not allowed.")
          advance()
          if kind == .string { advance() }
          _ = skip(.semicolon)
        default: throw unexpected()
        }
      } catch {
        report(error)
        if index == start { advance() }
        while kind != .end, kind != .service, kind != .function { advance() }
      }
    }
    return file
  }

  /// Reads `rules_version = '2';`.
  private mutating func version(_ file: inout RulesFile) {
    let start = advance().start
    do throws(Failure) {
      try expect(.assign)
      guard kind == .string else {
        throw Failure(place: token.start, message: "mismatched input '\(text(token))' expecting STRING")
      }
      let version = text(advance()).dropFirst().dropLast()
      file.statesVersion = true
      if version == "1" || version == "2" {
        file.version = version == "2" ? 2 : 1
      } else {
        report(start, "Unsupported rules version \(version).")
      }
      _ = skip(.semicolon)
    } catch {
      report(error)
      while kind != .end, kind != .service, kind != .function, kind != .import { advance() }
    }
  }

  private mutating func service() throws(Failure) -> ServiceDeclaration {
    advance()
    let name = try expect(.identifier)
    try expect(.openBrace)
    let block = body(allowsStatements: false)
    if block.isEmpty, kind == .closeBrace {
      report(token.start, "The 'service' body must contain at least one declaration.")
    }
    try close()
    return ServiceDeclaration(name: text(name), block: block.block, place: name.start)
  }

  /// Reads the end of a block.
  private mutating func close() throws(Failure) { try expect(.closeBrace) }

  /// Reads what is inside of a service or a `match`, until its closing brace.
  ///
  /// - Returns: what is inside, and whether nothing was written there.
  private mutating func body(allowsStatements: Bool) -> (block: RulesBlock, isEmpty: Bool) {
    var block = RulesBlock()
    let first = index
    while kind != .closeBrace, kind != .end {
      let start = index
      do throws(Failure) {
        switch kind {
        case .function: block.functions.append(try function())
        case .match:
          advance()
          block.matches.append(try nested { parser throws(Failure) in try parser.match() })
        case .slash, .pathSegment:
          report(token.start, "Missing 'match' keyword before path.")
          block.matches.append(try nested { parser throws(Failure) in try parser.match() })
        case .allow where allowsStatements: block.allows.append(try allow())
        default: throw unexpected()
        }
      } catch {
        report(error)
        recover(from: start)
      }
    }
    return (block, index == first)
  }

  // MARK: - Match

  /// Reads the path of a `match`, and what is inside.
  private mutating func match() throws(Failure) -> MatchDeclaration {
    let place = token.start
    guard kind == .slash || kind == .pathSegment else { throw unexpected() }
    var segments: [MatchDeclaration.Segment] = []
    while kind == .slash || kind == .pathSegment { segments.append(try segment()) }
    try expect(.openBrace)
    let block = body(allowsStatements: true)
    if block.isEmpty, kind == .closeBrace {
      report(token.start, "The 'match' body must contain at least one declaration.")
    }
    try close()
    return MatchDeclaration(segments: segments, block: block.block, place: place)
  }

  private mutating func segment() throws(Failure) -> MatchDeclaration.Segment {
    let start = advance()
    if start.kind == .pathSegment {
      return .init(kind: .text(Self.decoded(text(start).dropFirst())), place: start.start)
    }
    guard kind == .openBrace, kind(after: 1) == .identifier, let length = captureLength() else {
      throw segmentFailure(start)
    }
    let name = text(tokens[index + 1])
    let isRecursive = kind(after: 3) == .recursive
    for _ in 0..<length { advance() }
    return .init(kind: isRecursive ? .recursiveWildcard(name) : .wildcard(name), place: start.start)
  }

  /// The mistake of a slash that begins no segment.
  func segmentFailure(_ slash: Token) -> Failure {
    if kind == .openBrace, kind(after: 1) == .identifier {
      let name = tokens[index + 1]
      return Failure(place: name.start, message: "mismatched input '\(text(name))' expecting '}'")
    }
    return Failure(
      place: slash.start, message: "Forward slash '/' found where identifier or binding expected.")
  }

  /// The number of tokens of `{name}`, `{name=*}` or `{name=**}`, or `nil` for anything else.
  func captureLength() -> Int? {
    guard kind == .openBrace, kind(after: 1) == .identifier else { return nil }
    if kind(after: 2) == .closeBrace { return 3 }
    let isPattern = kind(after: 3) == .recursive || kind(after: 3) == .times
    return kind(after: 2) == .assign && isPattern && kind(after: 4) == .closeBrace ? 5 : nil
  }

  // MARK: - Allow

  private mutating func allow() throws(Failure) -> AllowStatement {
    let place = advance().start
    var methods: [(name: String, place: SourcePlace)] = []
    if kind == .identifier {
      let name = advance()
      methods.append((text(name), name.start))
      while kind == .comma, kind(after: 1) == .identifier {
        advance()
        let name = advance()
        methods.append((text(name), name.start))
      }
    } else {
      report(token.start, "Expected at least one 'operation' after 'allow'.")
    }
    var condition: Expression?
    if skip(.colon) {
      if skip(.if) {
        condition = try self.condition()
      } else if kind.startsExpression {
        report(token.start, "Missing 'if' before conditional expression.")
        condition = try expression()
      } else {
        throw unexpected()
      }
    } else if kind == .if {
      report(token.start, "Missing ':' before 'if' condition.")
      advance()
      condition = try self.condition()
    }
    _ = skip(.semicolon)
    return AllowStatement(methods: methods, condition: condition, place: place)
  }

  private mutating func condition() throws(Failure) -> Expression? {
    guard kind.startsExpression else {
      report(token.start, "Missing conditional expression after 'if'.")
      return nil
    }
    return try expression()
  }

  // MARK: - Function

  private mutating func function() throws(Failure) -> FunctionDeclaration {
    advance()
    guard kind == .identifier else {
      throw kind == .openParenthesis
        ? Failure(place: token.start, message: "Missing 'function' id") : unexpected()
    }
    let name = advance()
    guard kind == .openParenthesis else {
      throw kind == .openBrace
        ? Failure(place: token.start, message: "Missing 'function' signature") : unexpected()
    }
    let parameters = try parameters()
    try expect(.openBrace)
    if kind == .closeBrace { throw Failure(place: token.start, message: "Missing 'function' body") }
    var variables: [FunctionDeclaration.Variable] = []
    while kind == .let { variables.append(try variable()) }
    try expect(.return)
    let result = try expression()
    _ = skip(.semicolon)
    try close()
    return FunctionDeclaration(
      name: text(name), parameters: parameters, variables: variables, result: result, place: name.start)
  }

  private mutating func parameters() throws(Failure) -> [(name: String, place: SourcePlace)] {
    advance()
    var parameters: [(name: String, place: SourcePlace)] = []
    if skip(.closeParenthesis) { return parameters }
    repeat {
      let name = try expect(.identifier)
      parameters.append((text(name), name.start))
    } while skip(.comma)
    try expect(.closeParenthesis)
    return parameters
  }

  private mutating func variable() throws(Failure) -> FunctionDeclaration.Variable {
    let start = advance().start
    guard kind == .identifier else {
      throw Failure(place: token.start, message: "mismatched input '\(text(token))' expecting IDENTIFIER")
    }
    let name = advance()
    try expect(.assign)
    let value = try expression()
    if !skip(.semicolon) {
      guard kind == .let || kind == .return else { throw unexpected() }
      report(token.start, "missing ';' at '\(text(token))'")
    }
    return .init(
      name: text(name), value: value, place: name.start,
      range: SourceRange(start: start, end: value.range.end))
  }
}
