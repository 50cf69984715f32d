package import Foundation

/// Why a text is no JSON.
package struct JSONSyntaxError: Error, Sendable, Hashable, CustomStringConvertible {
  package let description: String
}

extension JSON {
  /// How deeply arrays and objects may be nested. Values are read, written and compared by recursion, on stacks of half
  /// a mebibyte; Google's servers allow 100 levels.
  package static let deepestNesting = 100

  /// The value that a text holds (RFC 8259), in time and space that are linear in its length.
  ///
  /// Of several members with one name, the last one counts. Numbers that are whole and have 64 bits are `int` or
  /// `unsigned`, however they are written.
  ///
  /// - Throws: ``JSONSyntaxError``, for numbers beyond a double's range and more than ``deepestNesting`` levels, too.
  package init(parsing text: Data) throws(JSONSyntaxError) {
    var reader = JSONReader(text)
    self = try reader.document()
  }
}

/// Reads one JSON text.
private struct JSONReader {
  private let bytes: [UInt8]
  private var position = 0

  init(_ text: Data) { bytes = Array(text) }

  mutating func document() throws(JSONSyntaxError) -> JSON {
    // A byte order mark may be ignored (section 8.1).
    if bytes.starts(with: [0xEF, 0xBB, 0xBF]) { position = 3 }
    let value = try value(depth: 0)
    skipSpace()
    guard position == bytes.count else { throw failure("there is something after the value") }
    return value
  }

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

  private mutating func array(depth: Int) throws(JSONSyntaxError) -> JSON {
    try enter(depth)
    var elements: [JSON] = []
    if skip(UInt8(ascii: "]")) { return .array(elements) }
    repeat { elements.append(try value(depth: depth)) } while skip(UInt8(ascii: ","))
    guard skip(UInt8(ascii: "]")) else { throw failure("an array doesn't end") }
    return .array(elements)
  }

  private mutating func enter(_ depth: Int) throws(JSONSyntaxError) {
    guard depth <= JSON.deepestNesting else {
      throw failure("there are more than \(JSON.deepestNesting) levels")
    }
    position += 1
  }

  private mutating func literal(_ text: String, _ value: JSON) throws(JSONSyntaxError) -> JSON {
    guard bytes[position...].starts(with: text.utf8) else { throw failure("there is no value") }
    position += text.utf8.count
    return value
  }

  // MARK: - Numbers

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

  /// How many digits were skipped; `nil` if there is none.
  private mutating func skipDigits() -> Int? {
    let start = position
    while let byte = peek(), (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(byte) { position += 1 }
    return position > start ? position - start : nil
  }

  // MARK: - Strings

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

  private func peek() -> UInt8? { position < bytes.count ? bytes[position] : nil }

  /// Skips white space, and the byte if it comes next.
  private mutating func skip(_ byte: UInt8) -> Bool {
    skipSpace()
    guard peek() == byte else { return false }
    position += 1
    return true
  }

  private mutating func skipSpace() {
    while let byte = peek(), [0x20, 0x09, 0x0A, 0x0D].contains(byte) { position += 1 }
  }

  private func failure(_ reason: String) -> JSONSyntaxError {
    JSONSyntaxError(description: "At byte \(position) of \(bytes.count): \(reason).")
  }
}
