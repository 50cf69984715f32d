package import TenonBasics

/// Reads JSON text (RFC 8259) value by value, with limits for its size and its depth.
///
/// It is the only parser of JSON from servers, files and tokens. Foundation's has no limit for the size and
/// none for the depth below 512, accepts duplicate names, and its values can only be found by trying types
/// one after another. Types that represent JSON are created from it recursively:
///
/// ```swift
/// /// The number of strings, numbers and literals in a text.
/// func count(_ reader: inout JSONReader) throws -> Int {
///   var total = 0
///   switch try reader.value() {
///   case .array: while try reader.hasElement() { total += try count(&reader) }
///   case .object: while try reader.name() != nil { total += try count(&reader) }
///   default: total = 1
///   }
///   return total
/// }
/// ```
///
/// Each byte is read once, so that a text of *n* bytes takes O(*n*) time. Names of members aren't compared
/// with each other; the caller does that, and throws ``duplicateName()``.
package struct JSONReader {
  /// A value without its elements or members.
  package enum Value {
    /// `null`
    case null
    /// `true` or `false`
    case bool(Bool)
    /// A number whose value is an integer that an `Int64` can represent.
    case int(Int64)
    /// A number without a fraction or an exponent above `Int64.max`.
    case unsigned(UInt64)
    /// Any other number, and negative zero.
    case double(Double)
    /// A string.
    case string(String)
    /// The beginning of an array, whose elements follow. See ``JSONReader/hasElement()``.
    case array
    /// The beginning of an object, whose members follow. See ``JSONReader/name()``.
    case object
  }

  /// The text in UTF-8.
  let bytes: [UInt8]
  /// The position of the next byte, at most the number of bytes.
  var position = 0
  /// Whether an escape that is half of a surrogate pair becomes U+FFFD instead of being an error.
  var replacesLoneSurrogates = false
  /// The number of arrays and objects that have begun and not ended.
  private var depth = 0
  /// Whether an array or object has begun, and nothing of it has been read.
  private var isAtBeginning = false

  /// Creates a reader at the beginning of a text, after its byte order mark, which may be ignored (section
  /// 8.1).
  ///
  /// - Parameters:
  ///   - text: the text.
  ///   - limit: the maximum size of the text in bytes.
  /// - Throws: ``JSONError`` with ``JSONError/Code/tooLarge``.
  package init(_ text: Data, limit: Int = JSON.largestText) throws(JSONError) {
    guard text.count <= limit else {
      let excess = "has \(text.count) bytes, more than the limit of \(limit)"
      throw JSONError(
        code: .tooLarge, position: 0, reason: "the text \(excess)", description: "The text \(excess).")
    }
    bytes = Array(text)
    if bytes.starts(with: [0xEF, 0xBB, 0xBF]) { position = 3 }
  }

  // MARK: - Structure

  /// Reads a value, or the beginning of an array or object, which must then be read to its end.
  ///
  /// Nothing after the value is read, so that an error is thrown at its position even if the text goes on for
  /// megabytes.
  ///
  /// - Throws: ``JSONError``, as all functions of a reader do. After an error, the reader must not be used.
  package mutating func value() throws(JSONError) -> Value {
    skipSpace()
    switch peek() {
    case UInt8(ascii: "{"):
      try enter()
      return .object
    case UInt8(ascii: "["):
      try enter()
      return .array
    case UInt8(ascii: "\""): return .string(try string())
    case UInt8(ascii: "t"): return try literal("true", .bool(true))
    case UInt8(ascii: "f"): return try literal("false", .bool(false))
    case UInt8(ascii: "n"): return try literal("null", .null)
    default: return try number()
    }
  }

  /// Reads what separates the elements of an array (RFC 8259, section 5).
  ///
  /// - Returns: whether there is another element, which is the next value; `false` at the end of the array.
  /// - Throws: ``JSONError`` with ``JSONError/Code/syntax`` if neither a comma nor the closing bracket is
  ///   next. A comma before the closing bracket is found by ``value()``, which then throws.
  package mutating func hasElement() throws(JSONError) -> Bool {
    if try isAtEnd(UInt8(ascii: "]"), "array", "bracket") { return false }
    return true
  }

  /// Reads the name of an object's next member and the colon after it (RFC 8259, section 4).
  ///
  /// - Returns: the name, whose member is the next value; `nil` at the end of the object.
  /// - Throws: ``JSONError``, with ``JSONError/Code/syntax`` if a comma, the name or the colon is missing,
  ///   and as for other strings if the name isn't valid.
  package mutating func name() throws(JSONError) -> String? {
    if try isAtEnd(UInt8(ascii: "}"), "object", "brace") { return nil }
    skipSpace()
    guard peek() == UInt8(ascii: "\"") else { throw failure("a member's name is missing") }
    let name = try string()
    guard skip(UInt8(ascii: ":")) else { throw failure("a colon is missing") }
    return name
  }

  /// Checks that nothing but white space is left after the outermost value.
  ///
  /// - Throws: ``JSONError`` with ``JSONError/Code/syntax``.
  package mutating func finish() throws(JSONError) {
    skipSpace()
    guard position == bytes.count else { throw failure("there is something after the value") }
  }

  /// Returns the error for an object with several members of one name.
  ///
  /// RFC 8259 leaves open which one counts (section 4). Programs that choose differently can be made to
  /// disagree about the same text, for example about a claim of a token.
  package func duplicateName() -> JSONError {
    failure("an object has several members with one name", .duplicateName)
  }

  /// Reads the comma before the next element or member, unless the array or object has just begun, or the
  /// byte that ends it.
  ///
  /// - Parameters:
  ///   - end: the byte that ends the array or object.
  ///   - value: what has begun, for the error if neither is next.
  ///   - endName: the name of `end`, for that error.
  /// - Returns: whether the array or object has ended.
  private mutating func isAtEnd(
    _ end: UInt8, _ value: StaticString, _ endName: StaticString
  ) throws(JSONError) -> Bool {
    let isFirst = isAtBeginning
    isAtBeginning = false
    if skip(end) {
      depth -= 1
      return true
    }
    guard isFirst || skip(UInt8(ascii: ",")) else {
      throw failure(
        peek() == nil
          ? "an \(value) doesn't end" : "a comma or the closing \(endName) of an \(value) is missing")
    }
    return false
  }

  /// Skips an opening brace or bracket.
  ///
  /// - Throws: ``JSONError`` with ``JSONError/Code/tooDeep`` if there are ``JSON/deepestNesting`` levels
  ///   already.
  private mutating func enter() throws(JSONError) {
    guard depth < JSON.deepestNesting else {
      throw failure("there are more than \(JSON.deepestNesting) levels", .tooDeep)
    }
    depth += 1
    position += 1
    isAtBeginning = true
  }

  /// Reads `true`, `false` or `null` (RFC 8259, section 3).
  ///
  /// - Parameters:
  ///   - text: the literal. Its first letter has been recognized.
  ///   - value: the value of the literal.
  private mutating func literal(_ text: StaticString, _ value: Value) throws(JSONError) -> Value {
    let count = text.utf8CodeUnitCount
    // Checked: the length of a literal of JSON.
    guard bytes[position...].prefix(count).elementsEqual(text.description.utf8) else {
      throw failure("there is no value")
    }
    position += count
    return value
  }

  // MARK: - Bytes

  /// Returns the next byte without skipping it, or `nil` at the end of the text.
  func peek() -> UInt8? { position < bytes.count ? bytes[position] : nil }

  /// Skips white space, and then the given byte if it is next. Returns whether it was.
  private mutating func skip(_ byte: UInt8) -> Bool {
    skipSpace()
    guard peek() == byte else { return false }
    position += 1
    return true
  }

  /// Skips white space: spaces, tabs, line feeds and carriage returns (RFC 8259, section 2).
  private mutating func skipSpace() {
    while let byte = peek(), byte == 0x20 || byte == 0x0A || byte == 0x0D || byte == 0x09 { position += 1 }
  }

  /// Returns an error at the current position.
  ///
  /// - Parameters:
  ///   - reason: a clause that follows the position, without a full stop.
  ///   - code: the kind of error.
  func failure(_ reason: String, _ code: JSONError.Code = .syntax) -> JSONError {
    JSONError(
      code: code, position: position, reason: reason,
      description: "At byte \(position) of \(bytes.count): \(reason).")
  }
}
