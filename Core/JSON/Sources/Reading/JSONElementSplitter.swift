package import TenonFoundation

/// Splits the text of an array into the texts of its elements while it arrives, so that a long response is
/// read with the memory of its largest element.
///
/// Only the structure is read: brackets, strings and the commas between elements. The elements themselves are
/// checked when they are parsed. A text that isn't an array is an error.
///
/// ```swift
/// var splitter = JSONElementSplitter()
/// for try await chunk in body {
///   for element in try splitter.append(chunk) { print(try JSON(parsing: element)) }
/// }
/// try splitter.finish()
/// ```
package struct JSONElementSplitter: Sendable {
  /// What comes next.
  private enum State {
    /// The bracket that begins the array.
    case beginning
    /// The first element, or the end of the array.
    case first
    /// An element, behind a comma.
    case element
    /// The rest of an element that is an object, an array or a string.
    case inside
    /// The rest of an element that is a number or a literal.
    case scalar
    /// A comma, or the end of the array.
    case separator
    /// Nothing but white space.
    case end
  }

  /// The maximum size of an element in bytes.
  private let limit: Int
  /// What comes next.
  private var state = State.beginning
  /// The number of arrays and objects of the element that have begun and not ended.
  private var depth = 0
  /// Whether the next byte is part of a string.
  private var isInString = false
  /// Whether the next byte is behind a backslash in a string.
  private var isEscaped = false
  /// The part of an element that has arrived.
  private var element: [UInt8] = []
  /// The number of bytes that have been read.
  private var position = 0

  /// Creates a splitter at the beginning of a text.
  ///
  /// - Parameter limit: the maximum size of an element in bytes.
  package init(limit: Int = JSON.largestText) { self.limit = limit }

  /// Reads the next part of the text.
  ///
  /// - Parameter chunk: bytes of any number, which may begin and end within an element or a character.
  /// - Returns: the elements that are complete, in their order. Each is the text of one value, without white
  ///   space around it.
  /// - Throws: ``JSONError`` with ``JSONError/Code/syntax`` if the text isn't an array, with
  ///   ``JSONError/Code/tooLarge`` for an element of more bytes than the limit, and with
  ///   ``JSONError/Code/tooDeep`` for one with more than ``JSON/deepestNesting`` levels. The splitter must
  ///   not be used then.
  /// - Complexity: O(*n*) in the number of bytes, in however many parts they arrive.
  package mutating func append(_ chunk: some Sequence<UInt8>) throws(JSONError) -> [Data] {
    let bytes = Array(chunk)
    var elements: [Data] = []
    var index = 0
    while index < bytes.count {
      switch state {
      case .inside: index = try readInside(bytes, from: index, &elements)
      case .scalar where !Self.isStructure(bytes[index]):
        try keep(bytes[index...].prefix(1))
        index += 1
        position += 1
      case .scalar: finishElement(&elements)
      default: index += try read(bytes[index])
      }
    }
    return elements
  }

  /// Checks that the array has ended.
  ///
  /// - Throws: ``JSONError`` with ``JSONError/Code/syntax`` if the text is incomplete, for example because a
  ///   connection broke.
  package func finish() throws(JSONError) {
    guard case .end = state else { throw failure("the array doesn't end") }
  }

  /// Reads one byte outside of elements.
  ///
  /// - Returns: the number of bytes read: 0 if this is the first byte of an element.
  private mutating func read(_ byte: UInt8) throws(JSONError) -> Int {
    switch (state, byte) {
    case _ where Self.isSpace(byte): break
    case (.beginning, UInt8(ascii: "[")): state = .first
    case (.first, UInt8(ascii: "]")), (.separator, UInt8(ascii: "]")): state = .end
    case (.separator, UInt8(ascii: ",")): state = .element
    case (.first, _), (.element, _):
      try begin(byte)
      return 0
    case (.beginning, _): throw failure("there is no array")
    case (.end, _): throw failure("there is something after the array")
    default: throw failure("a comma is missing")
    }
    position += 1
    return 1
  }

  /// Recognizes the kind of an element by its first byte, which isn't read.
  private mutating func begin(_ byte: UInt8) throws(JSONError) {
    switch byte {
    case UInt8(ascii: "{"), UInt8(ascii: "["), UInt8(ascii: "\""): state = .inside
    case UInt8(ascii: ","), UInt8(ascii: "]"), UInt8(ascii: "}"): throw failure("an element is missing")
    default: state = .scalar
    }
  }

  /// Reads the bytes of an element that is an object, an array or a string, up to its end or that of the
  /// chunk.
  ///
  /// - Returns: the index of the first byte that wasn't read.
  private mutating func readInside(
    _ bytes: [UInt8], from start: Int, _ elements: inout [Data]
  ) throws(JSONError) -> Int {
    var (index, depth, isInString, isEscaped) = (start, depth, isInString, isEscaped)
    var isComplete = false
    while index < bytes.count, !isComplete {
      let byte = bytes[index]
      index += 1
      if isInString {
        if isEscaped {
          isEscaped = false
        } else if byte == UInt8(ascii: "\\") {
          isEscaped = true
        } else if byte == UInt8(ascii: "\"") {
          isInString = false
          isComplete = depth == 0
        }
        continue
      }
      switch byte {
      case UInt8(ascii: "\""): isInString = true
      case UInt8(ascii: "{"), UInt8(ascii: "["):
        guard depth < JSON.deepestNesting else {
          throw failure("an element has more than \(JSON.deepestNesting) levels", .tooDeep)
        }
        depth += 1
      case UInt8(ascii: "}"), UInt8(ascii: "]"):
        depth -= 1
        isComplete = depth == 0
      default: break
      }
    }
    (self.depth, self.isInString, self.isEscaped) = (depth, isInString, isEscaped)
    // Checked: the index only increases.
    try keep(bytes[start..<index])
    position += index - start
    if isComplete { finishElement(&elements) }
    return index
  }

  /// Adds bytes to the element.
  private mutating func keep(_ bytes: ArraySlice<UInt8>) throws(JSONError) {
    guard bytes.count <= limit - element.count else {
      throw failure("an element has more than \(limit) bytes", .tooLarge)
    }
    element += bytes
  }

  /// Ends the element.
  private mutating func finishElement(_ elements: inout [Data]) {
    elements.append(Data(element))
    element.removeAll(keepingCapacity: element.count < 1 << 16)
    state = .separator
  }

  /// Whether a byte ends a number or a literal.
  private static func isStructure(_ byte: UInt8) -> Bool {
    isSpace(byte) || byte == UInt8(ascii: ",") || byte == UInt8(ascii: "]")
  }

  /// Whether a byte is white space (RFC 8259, section 2).
  private static func isSpace(_ byte: UInt8) -> Bool {
    byte == 0x20 || byte == 0x0A || byte == 0x0D || byte == 0x09
  }

  /// Returns an error at the current position: that of a byte outside of elements, or of a part of one.
  private func failure(_ reason: String, _ code: JSONError.Code = .syntax) -> JSONError {
    JSONError(
      code: code, position: position, reason: reason,
      description: "At byte \(position) of a stream: \(reason).")
  }
}
