import TenonFoundation

/// Reads the data of server-sent events from the pieces of a stream, which may be divided anywhere
/// (https://html.spec.whatwg.org/multipage/server-sent-events.html#event-stream-interpretation).
///
/// Lines end with CR LF, LF or CR. Comments, which servers send as heartbeats, and all fields but `data` are
/// ignored. An event that the end of the stream interrupts is dropped.
struct ServerSentEvents {
  /// An event or a line exceeds the limit.
  struct TooLarge: Error {}

  /// The maximum size of an event, and of a line, in bytes.
  let limit: Int
  /// What has been received and not read.
  private var rest: ArraySlice<UInt8> = []
  /// The beginning of a line whose end hasn't been received.
  private var line: [UInt8] = []
  /// The data of the event so far; `nil` before its first field.
  private var data: [UInt8]?
  /// Whether the line is a comment, of which nothing is kept.
  private var isComment = false
  /// Whether the last line ended with CR, so that an LF belongs to its end.
  private var followsReturn = false
  /// Whether no line has ended. The first one may begin with a byte order mark.
  private var isFirstLine = true

  /// Creates a reader at the beginning of a stream.
  init(limit: Int) { self.limit = limit }

  /// Adds a piece of the stream. Pieces may be empty.
  mutating func append(_ piece: Data) { rest += piece }

  /// Returns the data of the next event that is complete; `nil` if more pieces are needed.
  ///
  /// - Throws: ``TooLarge``. The reader must not be used afterwards.
  /// - Complexity: O(*n*) in the number of bytes, over all calls.
  mutating func next() throws(TooLarge) -> Data? {
    while let first = rest.first {
      if followsReturn {
        followsReturn = false
        if first == Self.lineFeed {
          rest.removeFirst()
          continue
        }
      }
      guard let end = rest.firstIndex(where: { $0 == Self.lineFeed || $0 == Self.carriageReturn }) else {
        try keep(rest)
        rest = []
        return nil
      }
      try keep(rest.prefix(upTo: end))
      followsReturn = rest[end] == Self.carriageReturn
      rest = rest.suffix(from: rest.index(after: end))
      if let event = try endLine() { return event }
    }
    return nil
  }

  /// Adds bytes to the line.
  private mutating func keep(_ bytes: ArraySlice<UInt8>) throws(TooLarge) {
    if line.isEmpty, bytes.first == UInt8(ascii: ":") { isComment = true }
    guard !isComment else { return }
    guard bytes.count <= limit - line.count else { throw TooLarge() }
    line += bytes
  }

  /// Interprets the line.
  ///
  /// - Returns: the data of an event, if the line ends one.
  private mutating func endLine() throws(TooLarge) -> Data? {
    defer {
      line.removeAll(keepingCapacity: true)
      isComment = false
      isFirstLine = false
    }
    guard !isComment else { return nil }
    var text = line[...]
    if isFirstLine, text.starts(with: [0xEF, 0xBB, 0xBF]) { text = text.dropFirst(3) }
    guard !text.isEmpty else {
      defer { data = nil }
      return data.flatMap { $0.isEmpty ? nil : Data($0) }
    }
    let name = text.prefix { $0 != UInt8(ascii: ":") }
    guard name.elementsEqual("data".utf8) else { return nil }
    var value = text.suffix(from: name.endIndex).dropFirst()
    if value.first == UInt8(ascii: " ") { value = value.dropFirst() }
    // The lines of an event are joined by line feeds. The array is changed in place, because an event may
    // have millions of lines.
    let isFirst = data == nil
    var event = data.take() ?? []
    if !isFirst { event.append(Self.lineFeed) }
    guard value.count <= limit - event.count else { throw TooLarge() }
    event += value
    data = event
    return nil
  }

  private static let lineFeed = UInt8(ascii: "\n")
  private static let carriageReturn = UInt8(ascii: "\r")
}
