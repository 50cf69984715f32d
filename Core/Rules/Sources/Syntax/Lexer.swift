/// Splits the text of a rules file into tokens, in linear time.
///
/// A slash that a letter follows begins a segment of a path, so `a /b` isn't a division but `a / b` is, as in
/// Google's grammar.
struct Lexer {
  private let bytes: [UInt8]
  private var place = SourcePlace.start
  /// What isn't a token, for example `#`.
  private(set) var problems: [RulesProblem] = []

  /// Creates a lexer.
  init(_ bytes: [UInt8]) { self.bytes = bytes }

  /// Returns all tokens; the last one is the end.
  mutating func tokens() -> [Token] {
    var tokens: [Token] = []
    while true {
      skipSpace()
      guard let byte = peek() else {
        tokens.append(Token(kind: .end, start: place, end: place.offset))
        return tokens
      }
      let start = place
      if let kind = next(byte, after: tokens.last?.kind) {
        tokens.append(Token(kind: kind, start: start, end: place.offset))
      }
    }
  }

  /// Reads one token, or returns `nil` for what isn't one.
  private mutating func next(_ byte: UInt8, after previous: Token.Kind?) -> Token.Kind? {
    switch byte {
    case UInt8(ascii: "b"), UInt8(ascii: "B"):
      if let quote = peek(1), quote == UInt8(ascii: "'") || quote == UInt8(ascii: "\"") {
        let start = place
        advance()
        if quoted(quote) == .string { return .bytes }
        // `b` is a name then, and the quote is reported by itself.
        place = start
      }
      return word(after: previous)
    case UInt8(ascii: "$") where !(peek(1).map { Self.isWordStart($0) || Self.isDigit($0) } ?? false):
      return take(1, .dollar)
    case _ where Self.isWordStart(byte): return word(after: previous)
    case UInt8(ascii: "0")...UInt8(ascii: "9"): return number()
    case UInt8(ascii: "."):
      if let digit = peek(1), Self.isDigit(digit) { return number() }
      return take(1, .dot)
    case UInt8(ascii: "'"), UInt8(ascii: "\""): return quoted(byte)
    case UInt8(ascii: "/"): return slash()
    default: return sign(byte)
    }
  }

  private mutating func word(after previous: Token.Kind?) -> Token.Kind {
    let start = place.offset
    advance { Self.isWordStart($0) || Self.isDigit($0) }
    if previous == .service {
      // The name of a service: words with dots between.
      while peek() == UInt8(ascii: "."), let next = peek(1), Self.isWordStart(next) {
        advance()
        advance { Self.isWordStart($0) || Self.isDigit($0) }
      }
    }
    return Token.Kind(word: Substring(decoding: bytes[start..<place.offset], as: UTF8.self))
  }

  private mutating func number() -> Token.Kind {
    if peek() == UInt8(ascii: "0") { advance() } else { advance(Self.isDigit) }
    guard peek() == UInt8(ascii: ".") else { return .integer }
    advance()
    advance(Self.isDigit)
    return .float
  }

  /// Reads a text in quotes, or as much as precedes what can't belong to one.
  private mutating func quoted(_ quote: UInt8) -> Token.Kind {
    advance()
    while let byte = peek(), byte != UInt8(ascii: "\n"), byte != UInt8(ascii: "\r") {
      if byte == quote { return take(1, .string) }
      guard byte == UInt8(ascii: "\\") else {
        advance()
        continue
      }
      guard let length = escapeLength() else {
        advance()
        return .unclosedString
      }
      for _ in 0..<length { advance() }
    }
    return .unclosedString
  }

  /// Returns the length of the escape sequence here, or `nil` if it isn't one.
  private func escapeLength() -> Int? {
    switch peek(1) {
    case UInt8(ascii: "b"), UInt8(ascii: "f"), UInt8(ascii: "n"), UInt8(ascii: "r"), UInt8(ascii: "t"),
      UInt8(ascii: "'"), UInt8(ascii: "\""), UInt8(ascii: "\\"):
      return 2
    case UInt8(ascii: "u"): return areDigits(4, radix: 16) ? 6 : nil
    case UInt8(ascii: "x"): return areDigits(2, radix: 16) ? 4 : nil
    case UInt8(ascii: "0"), UInt8(ascii: "1"), UInt8(ascii: "2"), UInt8(ascii: "3"):
      return areDigits(3, radix: 8, from: 1) ? 4 : nil
    default: return nil
    }
  }

  private func areDigits(_ count: Int, radix: UInt8, from start: Int = 2) -> Bool {
    (start..<start + count).allSatisfy { index in
      guard let value = peek(index).flatMap(hexadecimalDigit) else { return false }
      return value < radix
    }
  }

  /// Reads what begins with a slash, which isn't a comment.
  private mutating func slash() -> Token.Kind {
    advance()
    if peek() == UInt8(ascii: "(") {
      var length = 1
      while let step = segmentLength(at: length) { length += step }
      guard length > 1, peek(length) == UInt8(ascii: ")") else { return .slash }
      for _ in 0...length { advance() }
      return .pathSegment
    }
    guard let length = segmentLength(at: 0) else { return .slash }
    for _ in 0..<length { advance() }
    while let length = segmentLength(at: 0) { for _ in 0..<length { advance() } }
    return .pathSegment
  }

  /// Returns the length of the character of a path's segment, or `nil` if there is none.
  private func segmentLength(at index: Int) -> Int? {
    guard let byte = peek(index) else { return nil }
    switch byte {
    case UInt8(ascii: "@"), UInt8(ascii: "&"), UInt8(ascii: "*"), UInt8(ascii: "+"), UInt8(ascii: "'"),
      UInt8(ascii: "~"), UInt8(ascii: ":"), UInt8(ascii: "."), UInt8(ascii: "-"), UInt8(ascii: "_"):
      return 1
    case UInt8(ascii: "%"): return areDigits(2, radix: 16, from: index + 1) ? 3 : nil
    case UInt8(ascii: "$"): return nil
    default: return Self.isWordStart(byte) || Self.isDigit(byte) ? 1 : nil
    }
  }

  private mutating func sign(_ byte: UInt8) -> Token.Kind? {
    let next = peek(1)
    switch byte {
    case UInt8(ascii: "{"): return take(1, .openBrace)
    case UInt8(ascii: "}"): return take(1, .closeBrace)
    case UInt8(ascii: "["): return take(1, .openBracket)
    case UInt8(ascii: "]"): return take(1, .closeBracket)
    case UInt8(ascii: "("): return take(1, .openParenthesis)
    case UInt8(ascii: ")"): return take(1, .closeParenthesis)
    case UInt8(ascii: ":"): return take(1, .colon)
    case UInt8(ascii: ";"): return take(1, .semicolon)
    case UInt8(ascii: ","): return take(1, .comma)
    case UInt8(ascii: "?"): return take(1, .question)
    case UInt8(ascii: "%"): return take(1, .percent)
    case UInt8(ascii: "@"): return take(1, .other)
    case UInt8(ascii: "*"): return next == byte ? take(2, .recursive) : take(1, .times)
    case UInt8(ascii: "+"): return next == byte ? take(2, .increment) : take(1, .plus)
    case UInt8(ascii: "-"): return next == byte ? take(2, .decrement) : take(1, .minus)
    case UInt8(ascii: "="): return next == byte ? take(2, .equal) : take(1, .assign)
    case UInt8(ascii: "!"): return next == UInt8(ascii: "=") ? take(2, .notEqual) : take(1, .not)
    case UInt8(ascii: "<"): return next == UInt8(ascii: "=") ? take(2, .lessOrEqual) : take(1, .less)
    case UInt8(ascii: ">"): return next == UInt8(ascii: "=") ? take(2, .greaterOrEqual) : take(1, .greater)
    case UInt8(ascii: "&") where next == byte: return take(2, .and)
    case UInt8(ascii: "|") where next == byte: return take(2, .or)
    default:
      // Google's lexer reports the sign after a single `&` or `|`, with which it expected a pair.
      if byte == UInt8(ascii: "&") || byte == UInt8(ascii: "|"), next != nil { advance() }
      let start = place
      advance()
      // The rest of a character of several bytes.
      advance { $0 & 0xC0 == 0x80 }
      let text = String(decoding: bytes[start.offset..<place.offset], as: UTF8.self)
      if problems.count < RulesError.problemLimit {
        problems.append(RulesProblem(start, "Unexpected character '\(text)'."))
      }
      return nil
    }
  }

  // MARK: - Characters

  private mutating func skipSpace() {
    while let byte = peek() {
      switch byte {
      case UInt8(ascii: " "), UInt8(ascii: "\t"), UInt8(ascii: "\n"), UInt8(ascii: "\r"), 0x0C: advance()
      case UInt8(ascii: "/") where peek(1) == UInt8(ascii: "/"):
        advance { $0 != UInt8(ascii: "\n") && $0 != UInt8(ascii: "\r") }
      case UInt8(ascii: "/") where peek(1) == UInt8(ascii: "*"):
        guard let end = commentEnd() else { return }
        while place.offset < end { advance() }
      default: return
      }
    }
  }

  /// The end of the comment here. A file with one comment that doesn't end has no further ones that do, so
  /// the search is remembered.
  private mutating func commentEnd() -> Int? {
    if let unclosed = unclosedComment, place.offset >= unclosed { return nil }
    var index = place.offset + 2
    while index + 1 < bytes.count {
      if bytes[index] == UInt8(ascii: "*"), bytes[index + 1] == UInt8(ascii: "/") { return index + 2 }
      index += 1
    }
    unclosedComment = place.offset
    return nil
  }
  private var unclosedComment: Int?

  private func peek(_ distance: Int = 0) -> UInt8? {
    let index = place.offset + distance
    return index < bytes.count ? bytes[index] : nil
  }

  private mutating func take(_ count: Int, _ kind: Token.Kind) -> Token.Kind {
    for _ in 0..<count { advance() }
    return kind
  }

  private mutating func advance(_ condition: (UInt8) -> Bool) {
    while let byte = peek(), condition(byte) { advance() }
  }

  private mutating func advance() {
    let byte = bytes[place.offset]
    place.offset += 1
    if byte == UInt8(ascii: "\n") {
      place.line += 1
      place.column = 1
    } else if byte & 0xC0 != 0x80 {
      place.column += 1
    }
  }

  private static func isDigit(_ byte: UInt8) -> Bool {
    (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(byte)
  }

  private static func isWordStart(_ byte: UInt8) -> Bool {
    switch byte {
    case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"), UInt8(ascii: "_"),
      UInt8(ascii: "$"):
      true
    default: false
    }
  }
}

/// Returns the value of a hexadecimal digit.
func hexadecimalDigit(_ byte: UInt8) -> UInt8? {
  switch byte {
  case UInt8(ascii: "0")...UInt8(ascii: "9"): byte - UInt8(ascii: "0")
  case UInt8(ascii: "a")...UInt8(ascii: "f"): byte - UInt8(ascii: "a") + 10
  case UInt8(ascii: "A")...UInt8(ascii: "F"): byte - UInt8(ascii: "A") + 10
  default: nil
  }
}
