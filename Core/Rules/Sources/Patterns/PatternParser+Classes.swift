extension PatternParser {
  /// Reads what follows a backslash outside of brackets.
  mutating func escape() throws(PatternError) {
    let offset = position
    let next = offset + 1 < scalars.count ? scalars[offset + 1] : nil
    switch next {
    case "A": append(.assert(.textStart))
    case "z": append(.assert(.textEnd))
    case "b": append(.assert(.wordBoundary))
    case "B": append(.assert(.noWordBoundary))
    case "Q":
      position += 2
      while let scalar = peek, !follows("\\E") {
        position += 1
        literal(scalar)
      }
      position = min(position + 2, scalars.count)
      return
    default:
      if let part = try namedClass() {
        append(.characterClass(add(CharacterClass([part]))))
      } else {
        literal(try escapedCharacter())
      }
      return
    }
    position += 2
  }

  /// Reads a class in brackets, and returns its number.
  mutating func bracket() throws(PatternError) -> Int {
    let start = position
    position += 1
    let negated = take("^")
    var parts: [CharacterClass.Part] = []
    var isFirst = true
    while true {
      guard peek != nil else { throw error("There is no \"]\" for this \"[\".", at: start) }
      if !isFirst, take("]") { break }
      isFirst = false
      if let part = try asciiClass() {
        parts.append(part)
        continue
      }
      if let part = try namedClass() {
        parts.append(part)
        continue
      }
      let offset = position
      let low = try classCharacter(start)
      var high = low
      if peek == "-", position + 1 < scalars.count, scalars[position + 1] != "]" {
        position += 1
        high = try classCharacter(start)
      }
      guard low <= high else { throw error("The range of characters ends before it starts.", at: offset) }
      parts.append(.init(set: .ranges([low...high]), ignoresCase: flags.ignoresCase))
    }
    return add(CharacterClass(parts, negated: negated))
  }

  private mutating func classCharacter(_ start: Int) throws(PatternError) -> UInt32 {
    guard let scalar = peek else { throw error("There is no \"]\" for this \"[\".", at: start) }
    if scalar == "\\" { return try escapedCharacter() }
    position += 1
    return scalar.value
  }

  /// Reads `[:alpha:]`; returns `nil` and reads nothing if it's something else.
  private mutating func asciiClass() throws(PatternError) -> CharacterClass.Part? {
    guard follows("[:") else { return nil }
    let start = position
    var end = start + 2
    while end + 1 < scalars.count, scalars[end] != ":" || scalars[end + 1] != "]" { end += 1 }
    guard end + 1 < scalars.count else { return nil }
    var name = String.UnicodeScalarView()
    name.append(contentsOf: scalars[(start + 2)..<end])
    let negated = name.first == "^"
    if negated { name.removeFirst() }
    guard let ranges = Self.asciiClasses[String(name)] else {
      throw error("There is no class \"[:\(String(name)):]\".", at: start)
    }
    position = end + 2
    return .init(set: .ranges(ranges), isNegated: negated, ignoresCase: flags.ignoresCase)
  }

  /// Reads `\d`, `\pL` or `\p{Greek}`; returns `nil` and reads nothing if it's something else.
  private mutating func namedClass() throws(PatternError) -> CharacterClass.Part? {
    guard peek == "\\", position + 1 < scalars.count else { return nil }
    let start = position
    let letter = scalars[position + 1]
    if let ranges = Self.perlClasses[letter.properties.lowercaseMapping], letter.isASCII {
      position += 2
      return .init(
        set: .ranges(ranges), isNegated: letter.properties.isUppercase, ignoresCase: flags.ignoresCase)
    }
    guard letter == "p" || letter == "P" else { return nil }
    position += 2
    var name = String.UnicodeScalarView()
    if take("{") {
      while let scalar = peek, scalar != "}" {
        name.append(scalar)
        position += 1
      }
      guard take("}") else { throw error("There is no \"}\" for this \"\\\(letter){\".", at: start) }
    } else if let scalar = peek {
      name.append(scalar)
      position += 1
    }
    var negated = letter == "P"
    if name.first == "^" {
      negated.toggle()
      name.removeFirst()
    }
    guard let set = UnicodeClasses.characters(named: String(name)) else {
      throw error(
        "There is no Unicode class \"\(String(name))\". Use a category such as \"Lu\" "
          + "or a script such as \"Greek\".", at: start)
    }
    return .init(set: set, isNegated: negated, ignoresCase: flags.ignoresCase)
  }

  /// Reads an escape sequence.
  private mutating func escapedCharacter() throws(PatternError) -> UInt32 {
    let start = position
    position += 1
    guard let scalar = peek else { throw error("There is nothing after the last \"\\\".", at: start) }
    position += 1
    switch scalar {
    case "a": return 0x07
    case "f": return 0x0C
    case "t": return 0x09
    case "n": return 0x0A
    case "r": return 0x0D
    case "v": return 0x0B
    case "0"..."7":
      // "\1" would be a reference to a group, which RE2 doesn't have.
      guard scalar == "0" || peek.map({ ("0"..."7").contains($0) }) == true else { break }
      var value = scalar.value - 0x30
      for _ in 0..<2 {
        guard let digit = peek, ("0"..."7").contains(digit) else { break }
        value = value * 8 + digit.value - 0x30
        position += 1
      }
      return value
    case "x":
      if let value = hexadecimal() { return value }
    default:
      if scalar == "_" || !CharacterClass.isWord(scalar) { return scalar.value }
    }
    throw error("\"\\\(scalar)\" isn't an escape sequence of RE2.", at: start)
  }

  /// Reads the digits of `\x41` or `\x{1F600}`.
  private mutating func hexadecimal() -> UInt32? {
    func digit(_ scalar: Unicode.Scalar?) -> UInt32? {
      scalar.flatMap { UInt32(String($0), radix: 16) }
    }
    guard take("{") else {
      guard position + 1 < scalars.count, let high = digit(peek), let low = digit(scalars[position + 1])
      else {
        return nil
      }
      position += 2
      return high * 16 + low
    }
    var value: UInt32?
    while let digit = digit(peek) {
      value = (value ?? 0) * 16 + digit
      guard let value, value <= 0x10FFFF else { return nil }
      position += 1
    }
    return take("}") ? value : nil
  }

  private static let perlClasses: [String: [ClosedRange<UInt32>]] = [
    "d": [0x30...0x39],
    "s": [0x09...0x0A, 0x0C...0x0D, 0x20...0x20],
    "w": [0x30...0x39, 0x41...0x5A, 0x5F...0x5F, 0x61...0x7A],
  ]

  private static let asciiClasses: [String: [ClosedRange<UInt32>]] = [
    "alnum": [0x30...0x39, 0x41...0x5A, 0x61...0x7A],
    "alpha": [0x41...0x5A, 0x61...0x7A],
    "ascii": [0x00...0x7F],
    "blank": [0x09...0x09, 0x20...0x20],
    "cntrl": [0x00...0x1F, 0x7F...0x7F],
    "digit": [0x30...0x39],
    "graph": [0x21...0x7E],
    "lower": [0x61...0x7A],
    "print": [0x20...0x7E],
    "punct": [0x21...0x2F, 0x3A...0x40, 0x5B...0x60, 0x7B...0x7E],
    "space": [0x09...0x0D, 0x20...0x20],
    "upper": [0x41...0x5A],
    "word": [0x30...0x39, 0x41...0x5A, 0x5F...0x5F, 0x61...0x7A],
    "xdigit": [0x30...0x39, 0x41...0x46, 0x61...0x66],
  ]
}
