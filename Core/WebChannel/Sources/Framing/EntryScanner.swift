import TenonFoundation
import TenonJSON

extension ChannelEntry {
  /// Returns the entries of a frame.
  ///
  /// The payloads of messages aren't parsed, only their ends are found, so that their parser is the only one.
  ///
  /// - Parameters:
  ///   - text: the text of the frame, which is valid UTF-8.
  ///   - limits: the limits for handshakes and failures.
  /// - Throws: ``ChannelError`` with ``ChannelError/Code/badContent`` if the text isn't
  ///   `[[number,[content]],…]`.
  /// - Complexity: O(*n*). Nothing is recursive, so the depth of payloads doesn't matter.
  package static func entries(
    of text: [UInt8], limits: ChannelLimits = ChannelLimits()
  ) throws(ChannelError) -> [ChannelEntry] {
    var scanner = EntryScanner(text: text, limits: limits)
    var entries: [ChannelEntry] = []
    while let entry = try scanner.next() { entries.append(entry) }
    return entries
  }
}

/// Splits the text of a frame into entries.
struct EntryScanner: Sendable {
  /// The text in UTF-8.
  let text: [UInt8]
  /// The limits for handshakes and failures.
  let limits: ChannelLimits
  /// The position of the next byte. It only increases, so that each byte is examined a constant number of
  /// times.
  private(set) var position = 0
  /// What was read last.
  private enum Place: Sendable { case beginning, behindEntry, end }
  private var place = Place.beginning

  /// The number of bytes that weren't read.
  var unreadBytes: Int { max(text.count - position, 0) }

  /// Creates a scanner at the beginning of a text.
  init(text: [UInt8], limits: ChannelLimits) {
    self.text = text
    self.limits = limits
  }

  /// Returns the next entry of the text, which is `[entry, …]`; `nil` at its end.
  ///
  /// - Throws: ``ChannelError`` with ``ChannelError/Code/badContent``. The scanner must not be used then.
  mutating func next() throws(ChannelError) -> ChannelEntry? {
    switch place {
    case .beginning:
      try expect(UInt8(ascii: "["), "it isn't an array")
      if skip(UInt8(ascii: "]")) { return try finish() }
    case .behindEntry:
      guard skip(UInt8(ascii: ",")) else {
        try expect(UInt8(ascii: "]"), "an array doesn't end")
        return try finish()
      }
    case .end: return nil
    }
    place = .behindEntry
    return try entry()
  }

  /// Checks that nothing but white space is left.
  private mutating func finish() throws(ChannelError) -> ChannelEntry? {
    skipSpace()
    guard position == text.count else { throw bad("there is something after the entries") }
    place = .end
    return nil
  }

  /// Reads `[number, [content]]`. Further elements are ignored, as Google's clients do.
  private mutating func entry() throws(ChannelError) -> ChannelEntry {
    try expect(UInt8(ascii: "["), "an entry isn't an array")
    let number = try number()
    try expect(UInt8(ascii: ","), "an entry has no content")
    skipSpace()
    let start = position
    try expect(UInt8(ascii: "["), "the content of an entry isn't an array")
    skipSpace()
    let value = try value()
    try skipElements()
    // Checked: the position only increases.
    let content = try content(value, in: start..<position)
    try skipElements()
    return ChannelEntry(number: number, content: content)
  }

  /// Reads the number of an entry, which has at most 15 digits.
  private mutating func number() throws(ChannelError) -> MessageNumber {
    skipSpace()
    let start = position
    while let byte = peek(), (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(byte) { position += 1 }
    // Checked: the position only increases.
    let digits = String(decoding: text[start..<position], as: UTF8.self)
    guard digits.utf8.count <= 15, let number = MessageNumber(decimal: digits) else {
      throw bad("an entry has no number, or one of more than 15 digits")
    }
    return number
  }

  /// Skips what is left of an array whose first elements were read, and its end.
  private mutating func skipElements() throws(ChannelError) {
    while skip(UInt8(ascii: ",")) {
      skipSpace()
      _ = try value()
    }
    try expect(UInt8(ascii: "]"), "an entry doesn't end")
  }

  /// Returns what the first value of a content says.
  ///
  /// - Parameter array: the range of the array around it.
  private func content(_ value: Scanned, in array: Range<Int>) throws(ChannelError) -> ChannelEntry.Content {
    let bytes = text[value.range]
    switch value.kind {
    case .message: return .message(Data(bytes))
    case .failure: return .failure(ChannelFailure(try parsed(value.range)))
    case .other:
      switch String(decoding: bytes.prefix(8), as: UTF8.self) {
      case #""noop""#: return .noop
      case #""close""#: return .close
      case #""stop""#: return .stop
      case #""c""#:
        return .handshake(try ChannelHandshake(parts: (try parsed(array).array ?? []).dropFirst()))
      default: throw bad("the content of an entry isn't known")
      }
    }
  }

  /// Parses a part of the text that is small.
  private func parsed(_ range: Range<Int>) throws(ChannelError) -> JSON {
    do { return try JSON(parsing: Data(text[range]), limit: limits.controlBytes) } catch {
      throw bad("a handshake or a failure can't be read (\(error.code.rawValue))")
    }
  }

  // MARK: - Values

  /// A value that was scanned.
  struct Scanned {
    /// What a value can be in a content.
    enum Kind {
      /// An object or an array.
      case message
      /// An object with the member `error`, or an array whose first element is one.
      case failure
      /// A string, a number or a literal.
      case other
    }

    let kind: Kind
    /// The positions of its bytes.
    let range: Range<Int>
  }

  /// Skips a value, and returns what it is.
  ///
  /// Brackets are counted and strings are skipped, which finds the end of every value that is valid JSON.
  private mutating func value() throws(ChannelError) -> Scanned {
    let start = position
    switch peek() {
    case UInt8(ascii: "{"), UInt8(ascii: "["):
      let isFailure = try skipNested()
      // Checked: the position only increases.
      return Scanned(kind: isFailure ? .failure : .message, range: start..<position)
    case UInt8(ascii: "\""): _ = try skipString()
    default: skipScalar()
    }
    guard position > start else { throw bad("a value is missing") }
    // Checked: the position only increases.
    return Scanned(kind: .other, range: start..<position)
  }

  /// Skips an object or an array with everything in it.
  ///
  /// - Returns: whether it is, or begins with, an object that has the member `error`.
  private mutating func skipNested() throws(ChannelError) -> Bool {
    var depth = 0
    // The depth at which a member may be named `error`: 1 in an object, 2 in an object that is the first
    // element of an array.
    let depthOfNames = peek() == UInt8(ascii: "[") ? 2 : 1
    var isFailure = false
    var isFirstElement = true
    repeat {
      guard let byte = peek() else { throw bad("a value doesn't end") }
      switch byte {
      case UInt8(ascii: "{"), UInt8(ascii: "["):
        depth += 1
        position += 1
      case UInt8(ascii: "}"), UInt8(ascii: "]"):
        depth -= 1
        position += 1
      case UInt8(ascii: "\""):
        let isName = depth == depthOfNames && isFirstElement
        let string = try skipString()
        if isName, string.count == 7, text[string].elementsEqual(Self.error) {
          skipSpace()
          if peek() == UInt8(ascii: ":") { isFailure = true }
        }
      case UInt8(ascii: ","):
        if depth < depthOfNames { isFirstElement = false }
        position += 1
      default: position += 1
      }
    } while depth > 0
    return isFailure
  }

  /// The name of the member of failures, with its quotes.
  private static let error = Array(#""error""#.utf8)

  /// Skips a string.
  ///
  /// - Returns: its positions, with the quotes.
  private mutating func skipString() throws(ChannelError) -> Range<Int> {
    let start = position
    position += 1
    while let byte = peek() {
      position += 1
      switch byte {
      // Checked: the position only increases.
      case UInt8(ascii: "\""): return start..<position
      case UInt8(ascii: "\\"): position += 1
      default: break
      }
    }
    throw bad("a string doesn't end")
  }

  /// Skips a number or a literal, up to what separates values.
  private mutating func skipScalar() {
    while let byte = peek() {
      switch byte {
      case UInt8(ascii: ","), UInt8(ascii: "]"), UInt8(ascii: "}"), 0x20, 0x0A, 0x0D, 0x09: return
      default: position += 1
      }
    }
  }

  // MARK: - Bytes

  /// Returns the next byte, or `nil` at the end.
  private func peek() -> UInt8? { position < text.count ? text[position] : nil }

  /// Skips white space, and then a byte if it is next. Returns whether it was.
  private mutating func skip(_ byte: UInt8) -> Bool {
    skipSpace()
    guard peek() == byte else { return false }
    position += 1
    return true
  }

  /// Skips white space, and then a byte, which must be next.
  private mutating func expect(_ byte: UInt8, _ reason: String) throws(ChannelError) {
    guard skip(byte) else { throw bad(reason) }
  }

  /// Skips white space.
  private mutating func skipSpace() {
    while let byte = peek(), byte == 0x20 || byte == 0x0A || byte == 0x0D || byte == 0x09 { position += 1 }
  }

  /// Returns an error at the current position.
  private func bad(_ reason: String) -> ChannelError {
    ChannelError(.badContent, "At byte \(min(position, text.count)) of \(text.count) of a frame, \(reason).")
  }
}
