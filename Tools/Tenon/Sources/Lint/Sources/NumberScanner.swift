/// Finds the forms that ``NumbersAreChecked`` rejects in code without comments and strings.
struct NumberScanner {
  /// A rejected form.
  struct Violation {
    /// The line, counted from 1.
    let line: Int
    let message: String
  }

  /// A name or keyword.
  private struct Word {
    let text: String
    let start: Int
    let end: Int
  }

  private let code: [UInt8]
  private var words: [Word] = []
  private var violations: [Violation] = []
  /// The names of the file that are bound to numbers from outside.
  private var outside: Set<String> = []
  /// The names of the file that are declared as dictionaries.
  private var dictionaries: Set<String> = []

  /// Returns the rejected forms, in the order of their lines.
  static func violations(_ code: String) -> [Violation] {
    var scanner = NumberScanner(code)
    scanner.findOutsideNames()
    scanner.findDictionaries()
    for index in scanner.words.indices { scanner.check(index) }
    scanner.checkOperators()
    return scanner.violations.sorted { $0.line < $1.line }
  }

  /// Returns the names and keywords.
  static func identifiers(_ code: String) -> [String] { NumberScanner(code).words.map(\.text) }

  private init(_ code: String) {
    self.code = Array(code.utf8)
    var position = 0
    while position < self.code.count {
      let start = position
      while position < self.code.count, Self.isWordByte(self.code[position]) { position += 1 }
      if position > start {
        let text = String(decoding: self.code[start..<position], as: UTF8.self)
        words.append(Word(text: text, start: start, end: position))
      } else {
        position += 1
      }
    }
  }

  // MARK: - Forms with a name

  private static let integers: Set = [
    "Int", "Int8", "Int16", "Int32", "Int64", "Int128", "UInt", "UInt8", "UInt16", "UInt32", "UInt64",
    "UInt128",
  ]
  /// The integers that can represent every size in memory.
  private static let sizes: Set = ["Int", "Int64", "UInt", "UInt64"]
  /// The labels of initializers that don't trap: for other numbers they return `nil`, clamp or truncate, or
  /// they take no number.
  private static let labels: Set = [
    "exactly", "clamping", "truncatingIfNeeded", "bitPattern", "bigEndian", "littleEndian", "ascii",
    "decimal",
  ]
  private static let durations: Set = ["seconds", "milliseconds", "microseconds", "nanoseconds"]
  private static let counts: Set = [
    "dropFirst", "dropLast", "prefix", "suffix", "removeFirst", "removeLast",
  ]
  private static let createsCount: Set = ["count", "capacity", "minimumCapacity"]

  /// Reports the form that begins with a word.
  private mutating func check(_ index: Int) {
    let word = words[index]
    let isMember = byte(before: word.start) == UInt8(ascii: ".")
    if Self.integers.contains(word.text), !isMember {
      checkConversion(to: word)
    } else if word.text == "numericCast" {
      report(word.start, "numericCast traps; use exactly:, clamping: or truncatingIfNeeded:")
    } else if Self.durations.contains(word.text), isMember, !isMemberOfSelf(index) {
      guard let argument = argument(at: word.end), !isLiteral(argument) else { return }
      report(word.start, ".\(word.text) of a computed number may trap; use Duration.wait(seconds:)")
    } else if word.text == "reserveCapacity" {
      guard let argument = argument(at: word.end), mentionsOutside(argument), !isInside(argument) else {
        return
      }
      report(
        word.start, "reserveCapacity of a number from outside may exhaust the memory; limit the number first")
    } else if Self.counts.contains(word.text), isMember {
      guard let argument = argument(at: word.end), label(of: argument) == nil, !isInside(argument) else {
        return
      }
      report(word.start, "\(word.text) traps for a negative number; limit the number first")
    } else if Self.createsCount.contains(word.text), next(word.end) == UInt8(ascii: ":"),
      createsCollection(index)
    {
      let argument = expression(at: word.end + 1)
      guard !isInside(argument), !isType(argument) else { return }
      report(word.start, "\(word.text): traps for a negative number; limit the number first")
    }
  }

  /// Reports a conversion to an integer that traps for some numbers.
  private mutating func checkConversion(to type: Word) {
    var end = type.end
    var isInitializer = false
    if code[end...].starts(with: ".init".utf8), !Self.isWordByte(byte(at: end + 5)) {
      (end, isInitializer) = (end + 5, true)
    }
    guard byte(at: end) == UInt8(ascii: "(") else {
      if isInitializer { report(type.start, Self.conversion(type.text)) }
      return
    }
    guard let argument = argument(at: end) else { return }
    if let label = label(of: argument), Self.labels.contains(label) { return }
    // A size in memory fits into 64 bits, and a text with a radix is converted by a failable initializer.
    let text = self.text(argument)
    let isSize = Self.sizes.contains(type.text) && isInside(argument)
    if isSize || isLiteral(argument) || text.contains(", radix:") { return }
    report(type.start, Self.conversion(type.text))
  }

  private static func conversion(_ type: String) -> String {
    "\(type) of a number may trap; use \(type)(exactly:), (clamping:) or (decimal:) for text"
  }

  /// Whether the word is a member of `Self` or `self`, that is, declared in this package.
  private func isMemberOfSelf(_ index: Int) -> Bool {
    index > 0 && words[index - 1].end == words[index].start - 1
      && words[index - 1].text.lowercased() == "self"
  }

  /// Whether a label belongs to an initializer that creates a collection of a number of elements:
  /// `Data(count:)`, `Data(capacity:)`, `Dictionary(minimumCapacity:)`, or one with `repeating:`.
  private func createsCollection(_ index: Int) -> Bool {
    guard index > 0 else { return false }
    if words[index].text != "count" { return true }
    if words[index - 1].text == "Data", byte(at: words[index - 1].end) == UInt8(ascii: "(") { return true }
    return words[max(0, index - 6)..<index].contains { $0.text == "repeating" }
  }

  // MARK: - Ranges and subscripts

  /// Reports ranges and subscripts.
  private mutating func checkOperators() {
    var position = 0
    while position < code.count {
      switch code[position] {
      case UInt8(ascii: ".") where isRangeOperator(at: position):
        checkRange(at: position)
        position += 3
      case UInt8(ascii: "["):
        checkSubscript(at: position)
        position += 1
      case UInt8(ascii: "+"), UInt8(ascii: "-"), UInt8(ascii: "*"):
        checkArithmetic(at: position)
        position += 1
      default: position += 1
      }
    }
  }

  private func isRangeOperator(at position: Int) -> Bool {
    code[position...].starts(with: "...".utf8) || code[position...].starts(with: "..<".utf8)
  }

  /// Reports a range with two bounds of which one is computed. A range to the `count` of something is
  /// accepted if it begins with a literal 0.
  private mutating func checkRange(at position: Int) {
    let (lower, upper) = (operand(before: position), operand(after: position + 3))
    guard !lower.isEmpty, !upper.isEmpty else { return }
    if isConstant(lower), isConstant(upper) { return }
    if text(lower) == "0", isInside(upper) { return }
    report(position, "a range traps if its bounds are in the wrong order; compare them first")
  }

  /// Reports a sum, a difference or a product of a number from outside. Those of floating-point numbers don't
  /// trap, but the check knows no types.
  private mutating func checkArithmetic(at position: Int) {
    var end = position + 1
    if byte(at: end) == UInt8(ascii: "=") { end += 1 }
    guard byte(before: position) == UInt8(ascii: " "), " \n".utf8.contains(byte(at: end)),
      isOutside(operand(before: position)) || isOutside(operand(after: end))
    else { return }
    report(position, "a sum of a number from outside may overflow; limit the number first, or write &+")
  }

  /// Whether an operand mentions a number from outside, other than as the index of a subscript, and isn't the
  /// size of something.
  private func isOutside(_ operand: Range<Int>) -> Bool {
    guard !text(operand).hasSuffix(".count") else { return false }
    var (start, depth) = (operand.lowerBound, 0)
    for position in operand {
      if code[position] == UInt8(ascii: "[") {
        if depth == 0, mentionsOutside(start..<position) { return true }
        depth += 1
      } else if code[position] == UInt8(ascii: "]") {
        depth -= 1
        start = position + 1
      }
    }
    return start < operand.upperBound && mentionsOutside(start..<operand.upperBound)
  }

  /// Reports a subscript with a number from outside.
  private mutating func checkSubscript(at position: Int) {
    let before = byte(before: position)
    guard Self.isWordByte(before) || ")]?!".utf8.contains(before), let index = argument(at: position),
      mentionsOutside(index), !text(index).contains(", default:"),
      !dictionaries.contains(wordText(endingAt: position))
    else { return }
    report(position, "a subscript traps for a number from outside; check that it is in range")
  }

  // MARK: - Numbers from outside

  /// The members that are numbers from outside: those of JSON values and rows.
  private static let sources: Set = ["integer", "optionalInteger", "real"]
  /// The labels of conversions, whose results are numbers from outside.
  private static let converted: Set = ["exactly", "clamping", "decimal"]
  /// The cases of JSON values, values of documents and values of SQLite that contain a number.
  private static let cases: Set = ["int", "unsigned", "double", "integer", "real"]

  /// Collects the names that are bound to numbers from outside, also by way of other names.
  private mutating func findOutsideNames() {
    var bindings: [(name: String, value: Range<Int>)] = []
    for index in words.indices.dropLast() where ["let", "var"].contains(words[index].text) {
      let name = words[index + 1]
      if index > 0, Self.cases.contains(words[index - 1].text), words[index].start == words[index - 1].end + 1
      {
        // A pattern such as `case .int(let number)`.
        outside.insert(name.text)
        continue
      }
      guard
        let equals = code[name.end...].firstIndex(where: {
          $0 == UInt8(ascii: "=") || $0 == UInt8(ascii: "\n")
        }),
        code[equals] == UInt8(ascii: "=")
      else { continue }
      let end = code[equals...].firstIndex(of: UInt8(ascii: "\n")) ?? code.endIndex
      bindings.append((name.text, equals..<end))
    }
    var isGrowing = true
    while isGrowing {
      isGrowing = false
      for binding in bindings where !outside.contains(binding.name) && mentionsOutside(binding.value) {
        outside.insert(binding.name)
        isGrowing = true
      }
    }
  }

  /// Whether an expression mentions a number from outside.
  private func mentionsOutside(_ range: Range<Int>) -> Bool {
    words(in: range).contains { word in
      let isMember = byte(before: word.start) == UInt8(ascii: ".")
      if isMember {
        // A case, as in `[.integer(1)]`, follows no value.
        let value = byte(before: word.start - 1)
        return Self.sources.contains(word.text) && (Self.isWordByte(value) || ")]?!".utf8.contains(value))
      }
      return outside.contains(word.text)
        || Self.converted.contains(word.text) && byte(at: word.end) == UInt8(ascii: ":")
    }
  }

  /// Returns the words in a range.
  private func words(in range: Range<Int>) -> ArraySlice<Word> {
    var (low, high) = (0, words.count)
    while low < high {
      let middle = (low + high) / 2
      if words[middle].start < range.lowerBound { low = middle + 1 } else { high = middle }
    }
    return words[low...].prefix { $0.end <= range.upperBound }
  }

  /// Collects the names that are declared as dictionaries: `name: [Key: Value]` or `name = [Key: Value]`.
  private mutating func findDictionaries() {
    for word in words {
      var position = word.end
      while byte(at: position) == UInt8(ascii: " ") { position += 1 }
      guard ":=".utf8.contains(byte(at: position)), byte(at: position + 1) == UInt8(ascii: " "),
        let type = argument(at: position + 2), byte(at: position + 2) == UInt8(ascii: "["),
        text(type).contains(": ")
      else { continue }
      dictionaries.insert(word.text)
    }
  }

  /// Returns the word that ends at a position, without `?` and `!`; an empty text if there is none.
  private func wordText(endingAt position: Int) -> String {
    var end = position
    while end > 0, "?!".utf8.contains(code[end - 1]) { end -= 1 }
    var start = end
    while start > 0, Self.isWordByte(code[start - 1]) { start -= 1 }
    return String(decoding: code[start..<end], as: UTF8.self)
  }

  // MARK: - Expressions

  /// Whether an expression is a number that is written in the code, or calculated from such numbers, or a
  /// constant of C.
  private func isLiteral(_ range: Range<Int>) -> Bool {
    let names = words(in: range).map(\.text)
    if names.count == 1, text(range) == names[0], Self.isConstantOfC(names[0]) { return true }
    return names.allSatisfy { $0.first?.isNumber == true }
      && code[range].allSatisfy { Self.isWordByte($0) || " \n.+-*/<>".utf8.contains($0) }
  }

  /// Whether a name has the form of a constant of C, as `SQLITE_OPEN_CREATE`.
  private static func isConstantOfC(_ name: String) -> Bool {
    name.count > 1 && name.allSatisfy { $0.isUppercase || $0.isNumber || $0 == "_" }
      && name.first?.isUppercase == true
  }

  /// Whether an expression is a literal, the code of a character, or a constant of a type, as `Self.limit`.
  private func isConstant(_ range: Range<Int>) -> Bool {
    var text = text(range)[...]
    if isLiteral(range) || text.hasPrefix("UInt8(ascii:") { return true }
    if text.first == "-" { text.removeFirst() }
    return text.utf8.allSatisfy { Self.isWordByte($0) || $0 == UInt8(ascii: ".") } && isTypeName(text)
  }

  /// Whether an expression is a type, in a declaration of a parameter.
  private func isType(_ range: Range<Int>) -> Bool {
    isTypeName(text(range)[...]) && !text(range).contains("(")
  }

  private func isTypeName(_ text: Substring) -> Bool { text.first?.isUppercase == true }

  /// Whether an expression is a constant, a closure, or the size of something in memory, to which a literal
  /// may be added.
  private func isInside(_ range: Range<Int>) -> Bool {
    let text = text(range)
    if isConstant(range) || text.hasPrefix("{") { return true }
    let parts = text.split(separator: " + ")
    return parts.contains { $0.hasSuffix(".count") }
      && parts.allSatisfy { part in
        part.hasSuffix(".count") && part.utf8.allSatisfy { Self.isWordByte($0) || ".$?!()".utf8.contains($0) }
          || part.utf8.allSatisfy { (UInt8(ascii: "0")...UInt8(ascii: "9")).contains($0) }
      }
  }

  /// Returns the argument's label; `nil` if it has none.
  private func label(of range: Range<Int>) -> String? {
    guard let first = words(in: range).first, text(range.lowerBound..<first.start).isEmpty,
      next(first.end) == UInt8(ascii: ":")
    else { return nil }
    return first.text
  }

  /// Returns the content of the parentheses or brackets that open at a position; `nil` if none do.
  private func argument(at start: Int) -> Range<Int>? {
    guard "([".utf8.contains(byte(at: start)) else { return nil }
    return start + 1..<end(from: start + 1, stopsAtComma: false)
  }

  /// Returns the expression that begins at a position, up to a comma or a closing bracket.
  private func expression(at start: Int) -> Range<Int> { start..<end(from: start, stopsAtComma: true) }

  /// Returns the position of the closing bracket, or of a comma outside of other brackets.
  private func end(from start: Int, stopsAtComma: Bool) -> Int {
    var (position, depth) = (start, 0)
    while position < code.count {
      switch code[position] {
      case UInt8(ascii: "("), UInt8(ascii: "["), UInt8(ascii: "{"): depth += 1
      case UInt8(ascii: ")"), UInt8(ascii: "]"), UInt8(ascii: "}"):
        if depth == 0 { return position }
        depth -= 1
      case UInt8(ascii: ",") where stopsAtComma && depth == 0: return position
      default: break
      }
      position += 1
    }
    return position
  }

  /// The bytes that end an operand of a range outside of brackets.
  private static let ends = Set(" \n,:;={}".utf8)

  /// Returns the operand before an operator, which is empty if there is none.
  private func operand(before position: Int) -> Range<Int> {
    var end = position
    while end > 0, code[end - 1] == UInt8(ascii: " ") { end -= 1 }
    var (start, depth) = (end, 0)
    while start > 0 {
      let byte = code[start - 1]
      if ")]".utf8.contains(byte) {
        depth += 1
      } else if "([".utf8.contains(byte) {
        if depth == 0 { break }
        depth -= 1
      } else if depth == 0, Self.ends.contains(byte) {
        break
      }
      start -= 1
    }
    return start..<end
  }

  /// Returns the operand behind an operator, which is empty if there is none.
  private func operand(after position: Int) -> Range<Int> {
    var start = position
    while start < code.count, code[start] == UInt8(ascii: " ") { start += 1 }
    var (end, depth) = (start, 0)
    while end < code.count {
      let byte = code[end]
      if "([".utf8.contains(byte) {
        depth += 1
      } else if ")]".utf8.contains(byte) {
        if depth == 0 { break }
        depth -= 1
      } else if depth == 0, Self.ends.contains(byte) {
        break
      }
      end += 1
    }
    return start..<end
  }

  // MARK: - Bytes

  /// Returns a part of the code without surrounding white space.
  private func text(_ range: Range<Int>) -> String {
    var slice = code[range]
    while let first = slice.first, first == UInt8(ascii: " ") || first == UInt8(ascii: "\n") {
      slice.removeFirst()
    }
    while let last = slice.last, last == UInt8(ascii: " ") || last == UInt8(ascii: "\n") {
      slice.removeLast()
    }
    return String(decoding: slice, as: UTF8.self)
  }

  /// Returns a byte; 0 behind the end.
  private func byte(at position: Int) -> UInt8 { position < code.count ? code[position] : 0 }

  /// Returns the byte before a position; 0 at the beginning.
  private func byte(before position: Int) -> UInt8 { position > 0 ? code[position - 1] : 0 }

  /// Returns the first byte from a position on that isn't a space; 0 at the end.
  private func next(_ position: Int) -> UInt8 {
    code[min(position, code.count)...].first { $0 != UInt8(ascii: " ") } ?? 0
  }

  /// Whether a byte is part of a name. All bytes of letters outside of ASCII are.
  private static func isWordByte(_ byte: UInt8) -> Bool {
    switch byte {
    case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
      UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "_"), UInt8(ascii: "$"), 0x80...:
      true
    default: false
    }
  }

  /// Reports a form.
  private mutating func report(_ position: Int, _ message: String) {
    violations.append(
      Violation(line: 1 + code[..<position].count { $0 == UInt8(ascii: "\n") }, message: message))
  }
}
