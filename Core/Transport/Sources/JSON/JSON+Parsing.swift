package import Foundation

/// The position and the reason of a syntax error in JSON text.
///
/// The description doesn't quote the text, which may contain secrets, such as tokens in a response.
package struct JSONSyntaxError: LocalizedError, Sendable, Hashable, CustomStringConvertible {
  /// A sentence with the position in bytes and the reason, for example `At byte 3 of 9: a colon is missing.`
  package let description: String
  /// The same text as ``description``.
  package var errorDescription: String? { description }
}

extension JSON {
  /// The maximum number of nested arrays and objects.
  ///
  /// Values are parsed, encoded and compared recursively, on stacks that may have only 512 KiB. Google's servers also
  /// allow 100 levels.
  package static let deepestNesting = 100

  /// Creates a value from JSON text (RFC 8259).
  ///
  /// The text must conform exactly: comments, trailing commas, leading zeros, `NaN`, control characters in strings,
  /// invalid UTF-8 and anything after the value except white space are errors. Any value may be at the top level.
  ///
  /// If an object has several members with one name, the last one wins. Numbers whose value is an integer of 64 bits
  /// become `int` or `unsigned`. Those with a fraction or an exponent, such as `1.0` or `1e3`, become `int` if they fit
  /// into `Int64`. All other numbers, and negative zero, become `double`. A number too small for a double becomes 0.
  ///
  /// ```swift
  /// let value = try JSON(parsing: Data(#"{"id": 9007199254740993}"#.utf8))
  /// value["id"]  // .int(9007199254740993)
  /// ```
  ///
  /// - Parameter text: the text, in UTF-8 with or without a byte order mark.
  /// - Throws: ``JSONSyntaxError``, also for numbers beyond the range of a double and for more than ``deepestNesting``
  ///   levels.
  /// - Complexity: O(*n*) time and space.
  package init(parsing text: Data) throws(JSONSyntaxError) {
    var reader = JSONReader(text)
    self = try reader.document()
  }
}

/// A recursive-descent parser of one JSON text.
///
/// Each function parses one production of the grammar. It expects ``position`` at its first byte, and leaves it at the
/// first byte after it; after an error, the parser is not used again. The position never decreases, and the bytes of
/// each number and string are converted once, so the time is linear. The depth of the recursion is that of the nesting,
/// which ``enter(_:)`` limits.
///
/// Only strings may contain bytes outside ASCII. They are validated as a whole, when their end has been found.
private struct JSONReader {
  /// The text in UTF-8.
  private let bytes: [UInt8]
  /// The position of the next byte. It exceeds the number of bytes only if the text ends within an escape, which is an
  /// error.
  private var position = 0

  /// Creates a parser at the beginning of a text. The text is copied, so that indices begin at 0 even for a slice.
  init(_ text: Data) { bytes = Array(text) }

  /// Parses the whole text: one value with white space around it.
  ///
  /// - Throws: ``JSONSyntaxError``, as all functions of this parser do.
  mutating func document() throws(JSONSyntaxError) -> JSON {
    // A byte order mark may be ignored (section 8.1).
    if bytes.starts(with: [0xEF, 0xBB, 0xBF]) { position = 3 }
    let value = try value(depth: 0)
    skipSpace()
    guard position == bytes.count else { throw failure("there is something after the value") }
    return value
  }

  /// Parses a value of any type, after any white space. The first byte determines the type.
  ///
  /// - Parameter depth: the number of enclosing arrays and objects.
  private mutating func value(depth: Int) throws(JSONSyntaxError) -> JSON {
    skipSpace()
    switch peek() {
    case UInt8(ascii: "{"): return try object(depth: depth + 1)
    case UInt8(ascii: "["): return try array(depth: depth + 1)
    case UInt8(ascii: "\""): return .string(try string())
    case UInt8(ascii: "t"): return try literal("true", .bool(true))
    case UInt8(ascii: "f"): return try literal("false", .bool(false))
    case UInt8(ascii: "n"): return try literal("null", .null)
    default: return try number()
    }
  }

  /// Parses an object, whose opening brace is next (RFC 8259, section 4). The last of several members with one name
  /// wins, which the section leaves to implementations.
  ///
  /// - Parameter depth: the number of enclosing arrays and objects, including this one.
  private mutating func object(depth: Int) throws(JSONSyntaxError) -> JSON {
    try enter(depth)
    var members: [String: JSON] = [:]
    if skip(UInt8(ascii: "}")) { return .object(members) }
    repeat {
      skipSpace()
      guard peek() == UInt8(ascii: "\"") else { throw failure("a member's name is missing") }
      let name = try string()
      guard skip(UInt8(ascii: ":")) else { throw failure("a colon is missing") }
      members[name] = try value(depth: depth)
    } while skip(UInt8(ascii: ","))
    guard skip(UInt8(ascii: "}")) else { throw failure("an object doesn't end") }
    return .object(members)
  }

  /// Parses an array, whose opening bracket is next (RFC 8259, section 5).
  ///
  /// - Parameter depth: the number of enclosing arrays and objects, including this one.
  private mutating func array(depth: Int) throws(JSONSyntaxError) -> JSON {
    try enter(depth)
    var elements: [JSON] = []
    if skip(UInt8(ascii: "]")) { return .array(elements) }
    repeat { elements.append(try value(depth: depth)) } while skip(UInt8(ascii: ","))
    guard skip(UInt8(ascii: "]")) else { throw failure("an array doesn't end") }
    return .array(elements)
  }

  /// Skips an opening brace or bracket.
  ///
  /// - Throws: ``JSONSyntaxError`` if `depth` exceeds ``JSON/deepestNesting``.
  private mutating func enter(_ depth: Int) throws(JSONSyntaxError) {
    guard depth <= JSON.deepestNesting else {
      throw failure("there are more than \(JSON.deepestNesting) levels")
    }
    position += 1
  }

  /// Parses `true`, `false` or `null` (RFC 8259, section 3).
  ///
  /// - Parameters:
  ///   - text: the literal, in ASCII.
  ///   - value: the value to return.
  /// - Throws: ``JSONSyntaxError`` if other text is next. Case matters. What follows the literal is checked by the
  ///   caller.
  private mutating func literal(_ text: String, _ value: JSON) throws(JSONSyntaxError) -> JSON {
    guard bytes[position...].starts(with: text.utf8) else { throw failure("there is no value") }
    position += text.utf8.count
    return value
  }

  // MARK: - Numbers

  /// Parses a number (RFC 8259, section 6). Integers are exact; other numbers are rounded to the nearest double.
  ///
  /// The syntax is checked before the digits are converted, because Swift's conversions accept more, such as a plus
  /// sign. `-0` becomes a double, as an integer has no negative zero.
  ///
  /// - Throws: ``JSONSyntaxError`` if there is no number or its magnitude exceeds the range of a double.
  private mutating func number() throws(JSONSyntaxError) -> JSON {
    let start = position
    if peek() == UInt8(ascii: "-") { position += 1 }
    let isZero = peek() == UInt8(ascii: "0")
    guard let digits = skipDigits(), !isZero || digits == 1 else { throw failure("there is no value") }
    var isWhole = true
    if peek() == UInt8(ascii: ".") {
      position += 1
      isWhole = false
      guard skipDigits() != nil else { throw failure("a number has no fraction") }
    }
    if peek() == UInt8(ascii: "e") || peek() == UInt8(ascii: "E") {
      position += 1
      isWhole = false
      if peek() == UInt8(ascii: "+") || peek() == UInt8(ascii: "-") { position += 1 }
      guard skipDigits() != nil else { throw failure("a number has no exponent") }
    }
    let text = String(decoding: bytes[start..<position], as: UTF8.self)
    if isWhole, let number = Int64(text), number != 0 || text == "0" { return .int(number) }
    if isWhole, text != "-0", let number = UInt64(text) { return .unsigned(number) }
    guard let number = Double(text), number.isFinite else { throw failure("a number is too large") }
    if let whole = Int64(exactly: number), whole != 0 || number.sign == .plus { return .int(whole) }
    return .double(number)
  }

  /// Skips digits and returns their number, or `nil` if there are none.
  private mutating func skipDigits() -> Int? {
    let start = position
    while let byte = peek(), (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(byte) { position += 1 }
    return position > start ? position - start : nil
  }

  // MARK: - Strings

  /// Parses a string, whose quotation mark is next (RFC 8259, section 7). The bytes are copied only if there are
  /// escapes.
  ///
  /// In UTF-8, these ASCII characters are never part of a longer sequence, so the bytes are examined one by one.
  ///
  /// - Returns: the text without quotation marks and with its escapes replaced. It may contain U+0000.
  /// - Throws: ``JSONSyntaxError`` for control characters, unknown escapes, invalid UTF-8 and a missing end.
  private mutating func string() throws(JSONSyntaxError) -> String {
    position += 1
    let start = position
    var text: [UInt8]?
    while let byte = peek() {
      switch byte {
      case UInt8(ascii: "\""):
        guard let result = String(validating: text?[...] ?? bytes[start..<position], as: UTF8.self) else {
          throw failure("a string isn't UTF-8")
        }
        position += 1
        return result
      case UInt8(ascii: "\\"):
        if text == nil { text = Array(bytes[start..<position]) }
        text?.append(contentsOf: try escaped())
      case 0..<0x20:
        throw failure("a string has a control character")
      default:
        text?.append(byte)
        position += 1
      }
    }
    throw failure("a string doesn't end")
  }

  /// Parses an escape, whose backslash is next, and returns its character in UTF-8.
  ///
  /// Surrogates must form a pair, because a Swift string can't contain one alone. The character is U+10000 plus ten
  /// bits from each of them, the high surrogate first (RFC 8259, section 7; Unicode, section 3.9, UTF-16).
  ///
  /// - Throws: ``JSONSyntaxError`` if the escape is unknown or incomplete, or a surrogate is alone.
  private mutating func escaped() throws(JSONSyntaxError) -> [UInt8] {
    position += 1
    let letter = peek()
    position += 1
    switch letter {
    case UInt8(ascii: "\""), UInt8(ascii: "\\"), UInt8(ascii: "/"): return [letter ?? 0]
    case UInt8(ascii: "b"): return [0x08]
    case UInt8(ascii: "f"): return [0x0C]
    case UInt8(ascii: "n"): return [0x0A]
    case UInt8(ascii: "r"): return [0x0D]
    case UInt8(ascii: "t"): return [0x09]
    case UInt8(ascii: "u"):
      var code = try hexadecimal()
      if (0xD800..<0xDC00).contains(code) {
        guard peek() == UInt8(ascii: "\\"), position + 1 < bytes.count,
          bytes[position + 1] == UInt8(ascii: "u")
        else { throw failure("half of a surrogate pair is missing") }
        position += 2
        let low = try hexadecimal()
        guard (0xDC00..<0xE000).contains(low) else { throw failure("half of a surrogate pair is missing") }
        code = 0x10000 + (code - 0xD800) << 10 + (low - 0xDC00)
      }
      guard let scalar = Unicode.Scalar(code) else { throw failure("half of a surrogate pair is missing") }
      return Array(String(scalar).utf8)
    default: throw failure("an escape isn't known")
    }
  }

  /// Parses the four hexadecimal digits of an escape, in either case, and returns the UTF-16 code unit, 0 to 0xFFFF.
  ///
  /// - Throws: ``JSONSyntaxError`` if fewer than four bytes are left or one of them isn't a digit.
  private mutating func hexadecimal() throws(JSONSyntaxError) -> UInt32 {
    guard position + 4 <= bytes.count else { throw failure("a string doesn't end") }
    var code: UInt32 = 0
    for byte in bytes[position..<position + 4] {
      guard let digit = Character(Unicode.Scalar(byte)).hexDigitValue else {
        throw failure("an escape isn't known")
      }
      code = code << 4 | UInt32(digit)
    }
    position += 4
    return code
  }

  // MARK: - Bytes

  /// Returns the next byte without skipping it, or `nil` at the end of the text.
  private func peek() -> UInt8? { position < bytes.count ? bytes[position] : nil }

  /// Skips white space, and then the given byte if it is next. Returns whether it was. White space is skipped even if
  /// it wasn't.
  private mutating func skip(_ byte: UInt8) -> Bool {
    skipSpace()
    guard peek() == byte else { return false }
    position += 1
    return true
  }

  /// Skips white space: spaces, tabs, line feeds and carriage returns (RFC 8259, section 2).
  private mutating func skipSpace() {
    while let byte = peek(), [0x20, 0x09, 0x0A, 0x0D].contains(byte) { position += 1 }
  }

  /// Returns an error at the current position.
  ///
  /// - Parameter reason: a clause that follows the position, without a full stop.
  private func failure(_ reason: String) -> JSONSyntaxError {
    JSONSyntaxError(description: "At byte \(position) of \(bytes.count): \(reason).")
  }
}
