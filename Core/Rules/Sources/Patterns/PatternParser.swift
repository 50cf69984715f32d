/// Reads a pattern and writes its program.
///
/// What was read last is at the end of the program, so a repetition wraps or copies the code of its operand,
/// and nothing is recursive.
struct PatternParser {
  let scalars: [Unicode.Scalar]
  /// The next character.
  var position = 0
  var flags = Flags()
  var program = PatternProgram()
  /// The groups that are open. The first one is the pattern itself.
  private var groups = [Group(start: 0, branch: 0, flags: Flags(), offset: 0)]
  /// Where the code of what a repetition would repeat starts; `nil` if there is nothing.
  private var operand: Int?

  /// What `(?imsU)` sets.
  struct Flags: Hashable {
    /// Upper and lower case are the same.
    var ignoresCase = false
    /// `^` and `$` are the starts and ends of lines.
    var isMultiline = false
    /// `.` matches a line feed.
    var dotMatchesLineFeed = false
    /// `*` prefers fewer, and `*?` more.
    var prefersFewer = false
  }

  private struct Group {
    /// Where the code of the group starts.
    var start: Int
    /// Where the code of the current alternative starts.
    var branch: Int
    /// The jumps at the ends of the other alternatives.
    var jumps: [Int] = []
    /// The number of the group; `nil` if it has none.
    var number: Int?
    /// The flags outside.
    var flags: Flags
    /// Where it was written.
    var offset: Int
  }

  init(_ text: String) { scalars = Array(text.unicodeScalars) }

  /// The next character; `nil` at the end.
  var peek: Unicode.Scalar? { position < scalars.count ? scalars[position] : nil }

  /// Returns whether some text follows.
  func follows(_ text: StaticString) -> Bool {
    var offset = position
    for scalar in text.description.unicodeScalars {
      guard offset < scalars.count, scalars[offset] == scalar else { return false }
      offset += 1
    }
    return true
  }

  /// Moves over the next character if it's the one given.
  mutating func take(_ scalar: Unicode.Scalar) -> Bool {
    guard peek == scalar else { return false }
    position += 1
    return true
  }

  /// Reads the pattern.
  mutating func parse() throws(PatternError) -> PatternProgram {
    /// Where the repetition before the next character is.
    var repetition: Int?
    while let scalar = peek {
      let offset = position
      var current: Int?
      switch scalar {
      case "(": try open()
      case "|":
        position += 1
        closeBranch()
      case ")": try close()
      case "[": append(.characterClass(try bracket()))
      case "*", "+", "?":
        position += 1
        current = offset
        let (lower, upper): (Int, Int?) = scalar == "*" ? (0, nil) : scalar == "+" ? (1, nil) : (0, 1)
        try repeatOperand(lower, upper, at: offset, after: repetition)
      case "{":
        // A brace that is text can't be repeated either, as in RE2/J; RE2 allows it.
        current = offset
        if let counts = try counts() {
          try repeatOperand(counts.lower, counts.upper, at: offset, after: repetition)
        } else {
          position += 1
          literal("{")
        }
      case "\\": try escape()
      default:
        position += 1
        switch scalar {
        case "^": append(.assert(flags.isMultiline ? .lineStart : .textStart))
        case "$": append(.assert(flags.isMultiline ? .lineEnd : .textEnd))
        case ".": append(flags.dotMatchesLineFeed ? .any : .anyButLineFeed)
        default: literal(scalar)
        }
      }
      repetition = current
      try checkSize(program.code.count, at: offset)
    }
    if groups.count > 1 {
      throw error("There is no \")\" for this \"(\".", at: groups[groups.count - 1].offset)
    }
    join()
    return program
  }

  // MARK: - Code

  /// Appends an instruction that a repetition would repeat.
  mutating func append(_ instruction: PatternProgram.Instruction) {
    operand = program.code.count
    program.code.append(instruction)
  }

  /// Appends a character.
  mutating func literal(_ scalar: Unicode.Scalar) { literal(scalar.value) }

  /// Appends a character, or what differs from it by case alone.
  mutating func literal(_ value: UInt32) {
    let orbit = flags.ignoresCase ? CaseOrbit.members(of: value) : []
    if orbit.count > 1 {
      let ranges = orbit.sorted().map { $0...$0 }
      append(.characterClass(add(CharacterClass([.init(set: .ranges(ranges))]))))
    } else {
      append(.scalar(value))
    }
  }

  /// Appends a class to the program and returns its number.
  mutating func add(_ characterClass: CharacterClass) -> Int {
    program.classes.append(characterClass)
    return program.classes.count - 1
  }

  private func checkSize(_ size: Int, at offset: Int) throws(PatternError) {
    guard size <= Pattern.maximumSize else {
      throw PatternError(
        .tooLarge, at: offset,
        "The repetitions of the regular expression need more than \(Pattern.maximumSize) instructions. "
          + "Use smaller counts.")
    }
  }

  /// Returns an error.
  func error(_ message: String, at offset: Int) -> PatternError {
    PatternError(.invalidPattern, at: offset, message)
  }

  // MARK: - Groups

  private mutating func open() throws(PatternError) {
    let offset = position
    let outer = flags
    position += 1
    var number: Int?
    if follows("?P<") || follows("?<") {
      number = try name(offset)
    } else if follows("?") {
      position += 1
      // Flags without ":" change what follows, and open nothing.
      guard try readFlags(offset) else { return }
    } else {
      program.groupCount += 1
      number = program.groupCount
    }
    groups.append(
      Group(
        start: program.code.count, branch: program.code.count, number: number, flags: outer, offset: offset))
    if let number {
      program.code.append(.save(2 * number))
      groups[groups.count - 1].branch += 1
    }
    operand = nil
  }

  private mutating func close() throws(PatternError) {
    guard groups.count > 1 else { throw error("There is no \"(\" for this \")\".", at: position) }
    position += 1
    join()
    let group = groups.removeLast()
    if let number = group.number { program.code.append(.save(2 * number + 1)) }
    flags = group.flags
    operand = group.start
  }

  /// Ends an alternative and starts another one.
  private mutating func closeBranch() {
    let last = groups.count - 1
    let branch = groups[last].branch
    let size = program.code.count - branch
    program.code.insert(.split(1, size + 2), at: branch)
    groups[last].jumps.append(program.code.count)
    program.code.append(.jump(1))
    groups[last].branch = program.code.count
    operand = nil
  }

  /// Lets all alternatives of the last group continue at the end of the code.
  private mutating func join() {
    for jump in groups[groups.count - 1].jumps { program.code[jump] = .jump(program.code.count - jump) }
  }

  private mutating func name(_ offset: Int) throws(PatternError) -> Int {
    position += follows("?P<") ? 3 : 2
    var name = ""
    while let scalar = peek, CharacterClass.isWord(scalar) {
      name.unicodeScalars.append(scalar)
      position += 1
    }
    guard !name.isEmpty, take(">") else {
      throw error("The name of a group has letters, digits and \"_\", and ends with \">\".", at: offset)
    }
    program.groupCount += 1
    guard program.names.updateValue(program.groupCount, forKey: name) == nil else {
      throw error("Two groups are named \"\(name)\".", at: offset)
    }
    return program.groupCount
  }

  /// Reads flags and returns whether they open a group.
  private mutating func readFlags(_ offset: Int) throws(PatternError) -> Bool {
    var result = flags
    var value = true
    var sawFlag = false
    while let scalar = peek {
      position += 1
      switch scalar {
      case "i": result.ignoresCase = value
      case "m": result.isMultiline = value
      case "s": result.dotMatchesLineFeed = value
      case "U": result.prefersFewer = value
      case "-" where value:
        value = false
        sawFlag = false
        continue
      case ":" where value || sawFlag, ")" where value || sawFlag:
        flags = result
        return scalar == ":"
      default:
        throw error(
          "\"(?\" is followed by \":\", by a name in \"<>\" or by flags of \"imsU\". "
            + "Security Rules have no lookahead and lookbehind.", at: offset)
      }
      sawFlag = true
    }
    throw error("There is no \")\" for this \"(?\".", at: offset)
  }

  // MARK: - Repetitions

  /// Reads `{n}`, `{n,}` or `{n,m}`; returns `nil` and reads nothing if it's something else, which is text.
  private mutating func counts() throws(PatternError) -> (lower: Int, upper: Int?)? {
    let offset = position
    position += 1
    var lower: Int?
    var upper: Int?
    lower = count()
    if lower != nil {
      upper = lower
      if take(",") {
        upper = count()
        if upper == nil, peek != "}" { lower = nil }
      }
    }
    guard let lower, take("}") else {
      position = offset
      return nil
    }
    let maximum = Pattern.maximumCount
    guard lower <= maximum, (upper ?? 0) <= maximum, lower <= upper ?? maximum else {
      throw error(
        "The counts of a repetition are at most \(maximum), and the first is at most the second.", at: offset)
    }
    return (lower, upper)
  }

  /// Reads a number without leading zeros; a large one as ``Int/max``.
  private mutating func count() -> Int? {
    let start = position
    var value = 0
    while let scalar = peek, ("0"..."9").contains(scalar) {
      value = value > Pattern.maximumCount ? .max : value * 10 + Int(scalar.value - 0x30)
      position += 1
    }
    if position == start || (position > start + 1 && scalars[start] == "0") {
      position = start
      return nil
    }
    return value
  }

  private mutating func repeatOperand(
    _ lower: Int, _ upper: Int?, at offset: Int, after repetition: Int?
  ) throws(PatternError) {
    let prefersFewer = take("?") != flags.prefersFewer
    if let repetition {
      throw error("A repetition can't be repeated. Put the first one in \"(?:)\".", at: repetition)
    }
    guard let operand else { throw error("There is nothing to repeat.", at: offset) }
    let body = Array(program.code[operand...])
    try checkSize(operand + (body.count + 1) * max(lower, upper ?? 0) + 2, at: offset)
    program.code.removeSubrange(operand...)
    for _ in 0..<lower { program.code += body }
    func split(_ stay: Int, _ leave: Int) -> PatternProgram.Instruction {
      prefersFewer ? .split(leave, stay) : .split(stay, leave)
    }
    if let upper {
      let size = body.count + 1
      for rest in stride(from: upper - lower, to: 0, by: -1) {
        program.code.append(split(1, rest * size))
        program.code += body
      }
    } else if lower > 0 {
      program.code.append(split(-body.count, 1))
    } else if Self.canBeEmpty(body) {
      // As (x+)?, so that a group inside that matched nothing is preferred to none, as in RE2.
      program.code.append(split(1, body.count + 2))
      program.code += body
      program.code.append(split(-body.count, 1))
    } else {
      program.code.append(split(1, body.count + 2))
      program.code += body
      program.code.append(.jump(-body.count - 1))
    }
  }

  /// Returns whether the end of some code can be reached without taking a character.
  private static func canBeEmpty(_ code: [PatternProgram.Instruction]) -> Bool {
    var visited = Array(repeating: false, count: code.count)
    var pending = [0]
    while let index = pending.popLast() {
      guard index < code.count else { return true }
      guard !visited[index] else { continue }
      visited[index] = true
      switch code[index] {
      case .scalar, .characterClass, .any, .anyButLineFeed: break
      case .save, .assert: pending.append(index + 1)
      case .jump(let by): pending.append(index + by)
      case .split(let first, let second): pending += [index + first, index + second]
      }
    }
    return false
  }
}
