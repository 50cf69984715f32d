public import TenonStoreInterop

extension FieldPath {
  /// The special path that stands for a document's own path.
  public static let documentID = FieldPath(segments: ["__name__"])

  /// A path as text, its names separated by dots: `address.city`. Names with other characters need
  /// ``init(segments:)``.
  ///
  /// - Throws: ``DocumentError`` with ``DocumentError/Code/badField``.
  public init(dotted text: String) throws(DocumentError) {
    self.init(splitting: text)
    if let character = text.unicodeScalars.first(where: { "~*/[]".unicodeScalars.contains($0) }) {
      throw DocumentError(
        .badField,
        "The field path \"\(text)\" contains \"\(character)\"; use FieldPath(segments:) for such names."
      )
    }
    try check()
  }

  /// By code points: a dot and a combining mark after it are one `Character`.
  fileprivate init(splitting text: String) {
    self.init(
      segments: text.unicodeScalars.split(separator: ".", omittingEmptySubsequences: false).map(String.init)
    )
  }

  /// Checks the names' rules.
  ///
  /// - Throws: ``DocumentError`` with ``DocumentError/Code/badField``.
  public func check() throws(DocumentError) {
    guard !segments.isEmpty else { throw DocumentError(.badField, "A field path has at least one name.") }
    guard self != .documentID else { return }
    for name in segments {
      if let rule = Self.brokenRule(name) {
        throw DocumentError(.badField, "The field path \"\(text)\" \(rule).")
      }
    }
  }

  /// What is wrong with a field's name, as the end of a sentence; `nil` when nothing is.
  static func brokenRule(_ name: String) -> String? {
    if name.isEmpty { return "has an empty name" }
    if name.utf8.count > 1500 { return "has a name of more than 1,500 bytes" }
    if name.isBetweenUnderscores {
      return "has the reserved name \"\(name)\", which begins and ends with two underscores"
    }
    return nil
  }

  /// The path as the server writes it: plain names bare, others in backticks.
  public var text: String {
    segments.map { name in
      Self.isPlain(name)
        ? name : "`" + name.map { "`\\".contains($0) ? "\\\($0)" : "\($0)" }.joined() + "`"
    }.joined(separator: ".")
  }

  /// Letters, digits and underscores, and no digit at the beginning.
  private static func isPlain(_ name: String) -> Bool {
    func isLetter(_ byte: UInt8) -> Bool {
      (UInt8(ascii: "a")...UInt8(ascii: "z")).contains(byte | 0x20) || byte == UInt8(ascii: "_")
    }
    func isDigit(_ byte: UInt8) -> Bool { (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(byte) }
    return name.utf8.first.map(isLetter) ?? false && name.utf8.allSatisfy { isLetter($0) || isDigit($0) }
  }

  /// Whether this is the same path as `other`, or leads to it.
  public func isPrefix(of other: FieldPath) -> Bool {
    segments.count <= other.segments.count
      && segments.elementsEqual(other.segments.prefix(segments.count), by: ByteOrder.areEqual)
  }

  /// Compares name by name, by UTF-8 bytes.
  public func compare(_ other: FieldPath) -> Int {
    for (left, right) in zip(segments, other.segments) {
      let order = ByteOrder.compare(left, right)
      if order != 0 { return order }
    }
    return segments.count == other.segments.count ? 0 : (segments.count < other.segments.count ? -1 : 1)
  }
}

extension FieldPath: Hashable {
  /// Whether the names are the same, byte by byte.
  public static func == (left: FieldPath, right: FieldPath) -> Bool {
    left.segments.elementsEqual(right.segments, by: ByteOrder.areEqual)
  }

  /// Feeds the names' bytes.
  public func hash(into hasher: inout Hasher) {
    for segment in segments {
      ByteOrder.hash(segment, into: &hasher)
      hasher.combine(0 as UInt8)
    }
  }
}

extension FieldPath: ExpressibleByStringLiteral {
  /// A path with dots between its names. It is checked when it is used.
  public init(stringLiteral text: String) { self.init(splitting: text) }
}
