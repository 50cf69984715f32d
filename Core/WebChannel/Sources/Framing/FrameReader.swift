package import TenonFoundation

/// Finds the frames in the bytes of a response: `<length>\n<text>`, one after another, where the length
/// counts the UTF-16 code units of the text.
///
/// ```swift
/// var reader = FrameReader()
/// reader.append(Data("4\ntea\n2\nok".utf8))
/// try reader.next()  // → Array("tea\n".utf8)
/// try reader.next()  // → Array("ok".utf8)
/// try reader.next()  // → nil
/// ```
///
/// Every byte is examined once, however the bytes are cut, so that a response of *n* bytes takes O(*n*) time.
/// Memory is allocated for bytes that have arrived, not for lengths that were announced.
package struct FrameReader: Sendable {
  /// The maximum number of digits of a length, which is enough for every accepted one.
  private static let maximumDigits = 10

  /// The maximum size of a frame's text in bytes.
  private let limit: Int
  /// Bytes that were appended. Those before ``position`` were examined.
  private var input: [UInt8] = []
  private var position = 0
  /// The text of the current frame, as far as it was in bytes appended earlier.
  private var text: [UInt8] = []
  /// The UTF-16 code units of the current frame's text that are missing; `nil` in its length.
  private var missingUnits: Int?
  /// The length, and its number of digits, as far as they were read.
  private var length = 0
  private var digits = 0
  /// The number of bytes that are missing of the current character.
  private var missingBytes = 0
  /// The values that are valid for the next of these bytes.
  private var continuation: ClosedRange<UInt8> = 0x80...0xBF
  /// How many bytes were examined or moved so far.
  private(set) var work = 0

  /// Creates a reader at the beginning of a response.
  ///
  /// - Parameter limit: the maximum size of a frame's text in bytes.
  package init(limit: Int = ChannelLimits().frameBytes) { self.limit = limit }

  /// The number of bytes that are held: appended ones that weren't examined, and those of an incomplete
  /// frame.
  package var heldBytes: Int { input.count - position + text.count }

  /// Whether the bytes so far end with a complete frame.
  package var isBetweenFrames: Bool { position == input.count && missingUnits == nil && digits == 0 }

  /// Appends bytes, cut anywhere.
  ///
  /// - Complexity: amortized O(*n*) in the number of the bytes.
  package mutating func append(_ bytes: Data) {
    if position > input.count / 2 || position == input.count {
      work += input.count - position
      // Checked: the position is at most the number of bytes.
      input.removeFirst(position)
      position = 0
    }
    input.append(contentsOf: bytes)
  }

  /// Returns the text of the next frame, which is valid UTF-8, or `nil` if more bytes are needed.
  ///
  /// - Throws: ``ChannelError`` with ``ChannelError/Code/badFrame`` for a length that is missing, not a
  ///   decimal number, too long, or that ends within a character; with ``ChannelError/Code/badUnicode``; with
  ///   ``ChannelError/Code/tooLarge``. The reader must not be used then.
  package mutating func next() throws(ChannelError) -> [UInt8]? {
    let start = position
    defer { work += position - start }
    if missingUnits == nil { try readLength() }
    guard let units = missingUnits else { return nil }
    return try readText(units)
  }

  /// Reads digits up to the line feed, and sets ``missingUnits`` there.
  private mutating func readLength() throws(ChannelError) {
    while position < input.count {
      let byte = input[position]
      position += 1
      switch byte {
      case UInt8(ascii: "0")...UInt8(ascii: "9"):
        guard digits < Self.maximumDigits else {
          throw ChannelError(.badFrame, "The length of a frame has more than \(Self.maximumDigits) digits.")
        }
        digits += 1
        // Checked: a number of 10 digits.
        length = length * 10 + Int(byte - UInt8(ascii: "0"))
      case UInt8(ascii: "\n"):
        guard digits > 0 else { throw ChannelError(.badFrame, "A frame has no length.") }
        // A UTF-16 code unit has at least one byte of UTF-8.
        guard length <= limit else { throw tooLarge }
        missingUnits = length
        length = 0
        digits = 0
        return
      default: throw ChannelError(.badFrame, "The length of a frame isn't a decimal number.")
      }
    }
  }

  /// Reads text until the given number of units is complete, or the bytes end.
  private mutating func readText(_ units: Int) throws(ChannelError) -> [UInt8]? {
    var units = units
    let start = position
    while position < input.count, units > 0 || missingBytes > 0 {
      let byte = input[position]
      position += 1
      if missingBytes > 0 {
        guard continuation.contains(byte) else { throw badUnicode }
        continuation = 0x80...0xBF
        missingBytes -= 1
      } else if byte < 0x80 {
        units -= 1
      } else {
        try begin(byte)
        units -= missingBytes == 3 ? 2 : 1
        guard units >= 0 else {
          throw ChannelError(.badFrame, "The length of a frame ends within a character.")
        }
      }
    }
    guard text.count + (position - start) <= limit else { throw tooLarge }
    // Checked: both are positions of the input, and the second one has only increased.
    let part = input[start..<position]
    guard units == 0, missingBytes == 0 else {
      missingUnits = units
      text.append(contentsOf: part)
      return nil
    }
    missingUnits = nil
    guard !text.isEmpty else { return Array(part) }
    text.append(contentsOf: part)
    let frame = text
    text = []
    return frame
  }

  /// Begins a character of several bytes (The Unicode Standard, table 3-7).
  private mutating func begin(_ byte: UInt8) throws(ChannelError) {
    switch byte {
    case 0xC2...0xDF: missingBytes = 1
    case 0xE0...0xEF: missingBytes = 2
    case 0xF0...0xF4: missingBytes = 3
    default: throw badUnicode
    }
    switch byte {
    case 0xE0: continuation = 0xA0...0xBF
    case 0xED: continuation = 0x80...0x9F
    case 0xF0: continuation = 0x90...0xBF
    case 0xF4: continuation = 0x80...0x8F
    default: continuation = 0x80...0xBF
    }
  }

  private var tooLarge: ChannelError {
    ChannelError(.tooLarge, "A frame has more than \(limit) bytes, the limit of this channel.")
  }
  private var badUnicode: ChannelError { ChannelError(.badUnicode, "A frame isn't valid UTF-8.") }
}
