extension Parser {
  /// Reads an expression.
  mutating func expression() throws(Failure) -> Expression {
    try nested { parser throws(Failure) in
      let condition = try parser.binary(minimum: 0)
      guard parser.kind == .question else { return condition }
      parser.advance()
      let first = try parser.expression()
      try parser.expect(.colon)
      let second = try parser.expression()
      return try parser.node(
        .conditional(condition, first, second), from: condition.range.start, to: second.range.end)
    }
  }

  /// Creates an expression whose height is limited.
  private func node(
    _ kind: Expression.Kind, from start: SourcePlace, to end: Int
  ) throws(Failure) -> Expression {
    let expression = Expression(kind, SourceRange(start: start, end: end))
    guard expression.height <= Self.heightLimit else {
      throw Failure(place: start, message: "Expression is too complex to evaluate safely.")
    }
    return expression
  }

  // MARK: - Operators

  /// The operator of a token with its precedence, which is higher the more tightly it binds.
  ///
  /// `in` binds less tightly than `==`, unlike in the documentation: the compiler does so.
  private static func binaryOperator(_ kind: Token.Kind) -> (BinaryOperator, Int)? {
    switch kind {
    case .or: (.or, 1)
    case .and: (.and, 2)
    case .in: (.contains, 3)
    case .equal: (.equal, 4)
    case .notEqual: (.notEqual, 4)
    case .less: (.less, 5)
    case .lessOrEqual: (.lessOrEqual, 5)
    case .greater: (.greater, 5)
    case .greaterOrEqual: (.greaterOrEqual, 5)
    case .plus: (.add, 6)
    case .minus: (.subtract, 6)
    case .times: (.multiply, 7)
    case .slash: (.divide, 7)
    case .percent: (.remainder, 7)
    default: nil
    }
  }

  /// Reads operators that bind at least as tightly as `minimum`, all from left to right.
  private mutating func binary(minimum: Int) throws(Failure) -> Expression {
    var left = try unary()
    while true {
      if kind == .is, minimum <= 4 {
        advance()
        left = try typeTest(left)
        continue
      }
      guard let (operation, precedence) = Self.binaryOperator(kind), precedence >= minimum else {
        return left
      }
      advance()
      guard kind.startsExpression else {
        throw Failure(place: token.start, message: mismatch("an expression"))
      }
      let right = try nested { parser throws(Failure) in try parser.binary(minimum: precedence + 1) }
      left = try node(.binary(operation, left, right), from: left.range.start, to: right.range.end)
    }
  }

  private func mismatch(_ expected: String) -> String {
    "mismatched input '\(kind == .end ? "<EOF>" : text(token))' expecting \(expected)"
  }

  /// Reads the name of a type after `is`.
  private mutating func typeTest(_ value: Expression) throws(Failure) -> Expression {
    guard kind == .identifier else {
      throw Failure(place: token.start, message: mismatch("the name of a type"))
    }
    let name = advance()
    let type = text(name)
    if !Self.types.contains(type) {
      // At the last letter of the name, as Google's compiler does.
      var place = name.start
      place.column += type.unicodeScalars.count - 1
      report(
        place,
        "An unsupported type identifier was used with the 'is' operator. Received \(type). Expected one of \(Self.types.joined(separator: ","))"
      )
    }
    return try node(.typeTest(value, type: type), from: value.range.start, to: name.end)
  }

  private static let types = [
    "bool", "bytes", "constraint", "duration", "float", "int", "latlng", "list", "vector", "set", "number",
    "map",
    "string", "timestamp", "path", "map_diff",
  ]

  private mutating func unary() throws(Failure) -> Expression {
    switch kind {
    case .not:
      let start = advance().start
      let operand = try nested { parser throws(Failure) in try parser.unary() }
      return try node(.unary(.not, operand), from: start, to: operand.range.end)
    case .minus:
      let start = advance().start
      // Neither `- -1` nor `-!a` is an expression.
      guard kind != .minus, kind != .not else { throw unexpected() }
      let operand = try nested { parser throws(Failure) in
        // The least integer, whose absolute value isn't one.
        guard parser.kind == .integer, let least = Int64("-" + parser.text(parser.token)), least == .min
        else {
          return try parser.postfix(try parser.primary())
        }
        let number = parser.advance()
        return try parser.postfix(
          try parser.node(.integer(least), from: number.start, to: number.end))
      }
      return try node(.unary(.negate, operand), from: start, to: operand.range.end)
    case .increment, .decrement:
      throw Failure(
        place: token.start, message: "Increment (++) and decrement (--) operators are not supported.")
    default: return try postfix(try primary())
    }
  }

  // MARK: - Members, elements and calls

  private mutating func postfix(_ object: Expression) throws(Failure) -> Expression {
    var object = object
    while true {
      switch kind {
      case .dot:
        guard kind(after: 1).isWord else {
          advance()
          throw unexpected()
        }
        advance()
        let name = advance()
        if kind == .openParenthesis {
          guard name.kind == .identifier else { throw unexpected() }
          let arguments = try arguments()
          object = try node(
            .method(object, name: text(name), arguments, place: name.start), from: object.range.start,
            to: arguments.last?.range.end ?? name.end)
        } else {
          object = try node(.member(object, name: text(name)), from: object.range.start, to: name.end)
        }
      case .openBracket: object = try element(of: object)
      case .increment, .decrement:
        throw Failure(
          place: token.start, message: "Increment (++) and decrement (--) operators are not supported.")
      default: return object
      }
    }
  }

  /// Reads `[key]` or `[from:to]`.
  private mutating func element(of object: Expression) throws(Failure) -> Expression {
    advance()
    let from = kind == .colon ? nil : try expression()
    guard skip(.colon) else {
      try expect(.closeBracket)
      guard let from else { throw unexpected() }
      return try node(.index(object, from), from: object.range.start, to: from.range.end)
    }
    let to = kind == .closeBracket ? nil : try expression()
    try expect(.closeBracket)
    return try node(
      .slice(object, from: from, to: to), from: object.range.start,
      to: to?.range.end ?? from?.range.end ?? object.range.end)
  }

  /// Reads arguments in parentheses; a comma may follow the last one.
  private mutating func arguments() throws(Failure) -> [Expression] {
    try expect(.openParenthesis)
    return try elements(until: .closeParenthesis)
  }

  private mutating func elements(until end: Token.Kind) throws(Failure) -> [Expression] {
    var elements: [Expression] = []
    while kind != end {
      elements.append(try expression())
      guard skip(.comma) else { break }
    }
    try expect(end)
    return elements
  }

  // MARK: - Values

  private mutating func primary() throws(Failure) -> Expression {
    let token = self.token
    switch kind {
    case .true, .false:
      advance()
      return try node(.boolean(token.kind == .true), from: token.start, to: token.end)
    case .null:
      advance()
      return try node(.null, from: token.start, to: token.end)
    case .integer:
      advance()
      guard let value = Int64(text(token)) else {
        report(token.start, "Invalid number literal \(text(token)).")
        return try node(.integer(0), from: token.start, to: token.end)
      }
      return try node(.integer(value), from: token.start, to: token.end)
    case .float:
      advance()
      return try node(.float(Self.float(text(token))), from: token.start, to: token.end)
    case .string:
      advance()
      return try node(.string(Self.unescaped(text(token))), from: token.start, to: token.end)
    case .bytes:
      advance()
      guard let value = Self.unescapedBytes(text(token)) else {
        report(token.start, "Invalid bytes literal \(text(token)).")
        return try node(.bytes([]), from: token.start, to: token.end)
      }
      return try node(.bytes(value), from: token.start, to: token.end)
    case .unclosedString:
      advance()
      throw Failure(place: self.token.start, message: "Missing a closing \(text(token).prefix(1))")
    case .openParenthesis:
      advance()
      var inner = try expression()
      try expect(.closeParenthesis)
      inner.parentheses += 1
      inner.height += 1
      return inner
    case .openBracket:
      advance()
      let elements = try elements(until: .closeBracket)
      return try node(.list(elements), from: token.start, to: elements.last?.range.end ?? token.end)
    case .openBrace: return try map()
    case .slash, .pathSegment: return try path()
    case .identifier:
      advance()
      let name = text(token)
      guard kind == .openParenthesis else {
        return try node(.variable(name), from: token.start, to: token.end)
      }
      let arguments = try arguments()
      return try node(
        .call(name: name, arguments), from: token.start, to: arguments.last?.range.end ?? token.end)
    default: throw unexpected()
    }
  }

  private mutating func map() throws(Failure) -> Expression {
    let start = advance()
    var entries: [(key: Expression, value: Expression)] = []
    while kind != .closeBrace {
      let key = try expression()
      try expect(.colon)
      entries.append((key, try expression()))
      guard skip(.comma) else { break }
    }
    try expect(.closeBrace)
    return try node(.map(entries), from: start.start, to: entries.last?.value.range.end ?? start.end)
  }

  private mutating func path() throws(Failure) -> Expression {
    let start = token.start
    var parts: [Expression.PathPart] = []
    var end = token.end
    while kind == .slash || kind == .pathSegment {
      // After the first segment, a slash that begins none is a division.
      if kind == .slash, !parts.isEmpty, kind(after: 1) != .dollar, kind(after: 1) != .openBrace { break }
      let slash = advance()
      if slash.kind == .pathSegment {
        parts.append(.text(Self.decoded(text(slash).dropFirst())))
        end = slash.end
      } else if kind == .dollar, kind(after: 1) == .openParenthesis, kind(after: 2) != .closeParenthesis {
        advance()
        advance()
        let value = try expression()
        try expect(.closeParenthesis)
        parts.append(.interpolation(value))
        end = value.range.end
      } else if let length = captureLength() {
        parts.append(
          .capture(name: text(tokens[index + 1]), isRecursive: kind(after: 3) == .recursive))
        for _ in 0..<length { end = advance().end }
      } else {
        throw segmentFailure(slash)
      }
    }
    return try node(.path(parts), from: start, to: end)
  }
}
