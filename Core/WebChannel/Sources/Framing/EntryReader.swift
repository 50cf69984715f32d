import TenonFoundation

/// Finds the entries in the bytes of a response, one by one, so that its reader can pause after each.
struct EntryReader: Sendable {
  private let limits: ChannelLimits
  private var frames: FrameReader
  /// The frame whose entries are being read.
  private var scanner: EntryScanner?

  /// Creates a reader at the beginning of a response.
  init(limits: ChannelLimits) {
    self.limits = limits
    frames = FrameReader(limit: limits.frameBytes)
  }

  /// The number of bytes that were appended and aren't read.
  var heldBytes: Int { frames.heldBytes + (scanner?.unreadBytes ?? 0) }
  /// Whether the bytes so far end with a complete frame, and were read.
  var isBetweenFrames: Bool { frames.isBetweenFrames && scanner == nil }

  /// Appends bytes, cut anywhere.
  mutating func append(_ bytes: Data) { frames.append(bytes) }

  /// Returns the next entry, or `nil` if more bytes are needed.
  ///
  /// - Throws: ``ChannelError``. The reader must not be used then.
  mutating func next() throws(ChannelError) -> ChannelEntry? {
    while true {
      if let entry = try scanner?.next() { return entry }
      scanner = nil
      guard let frame = try frames.next() else { return nil }
      scanner = EntryScanner(text: frame, limits: limits)
    }
  }
}
