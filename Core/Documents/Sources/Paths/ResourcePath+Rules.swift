public import TenonStoreInterop

extension ResourcePath {
  /// The path of a collection, for example `rooms/den/messages`.
  ///
  /// One slash at either end is ignored.
  ///
  /// - Throws: ``DocumentError`` with ``DocumentError/Code/badPath``.
  public init(collection path: String) throws(DocumentError) {
    try self.init(path, isCollection: true)
  }

  /// The path of a document, for example `rooms/den`.
  ///
  /// - Throws: ``DocumentError`` with ``DocumentError/Code/badPath``.
  public init(document path: String) throws(DocumentError) {
    try self.init(path, isCollection: false)
  }

  private init(_ path: String, isCollection: Bool) throws(DocumentError) {
    // By code points: a slash and a combining mark after it are one `Character`.
    var segments = path.unicodeScalars.split(separator: "/", omittingEmptySubsequences: false)[...]
    if segments.count > 1, segments.first?.isEmpty ?? false { segments = segments.dropFirst() }
    if segments.count > 1, segments.last?.isEmpty ?? false { segments = segments.dropLast() }
    self.init(segments: segments.map(String.init))
    let kind = isCollection ? "collection" : "document"
    guard (self.segments.count % 2 == 1) == isCollection, !segments.isEmpty else {
      let parity = isCollection ? "an odd" : "an even"
      throw DocumentError(
        .badPath,
        "\"\(path)\" is not the path of a \(kind): it has \(counted), not \(parity) number."
      )
    }
    try checkSegments(in: path)
  }

  /// The rules for ids that the server enforces.
  private func checkSegments(in path: String) throws(DocumentError) {
    guard segments.count <= 200 else {
      throw DocumentError(
        .badPath,
        "The path \"\(path.prefix(60))…\" has more than 100 pairs of collection and document."
      )
    }
    for id in segments {
      if let rule = Self.brokenRule(id) {
        throw DocumentError(.badPath, "The id \"\(id.prefix(60))\" in \"\(path.prefix(200))\" \(rule).")
      }
    }
  }

  /// Checks that this is the path of a document, with the rules for ids that the server enforces.
  ///
  /// - Throws: ``DocumentError`` with ``DocumentError/Code/badPath``.
  package func checkDocument() throws(DocumentError) {
    guard !segments.isEmpty, segments.count.isMultiple(of: 2) else {
      throw DocumentError(
        .badPath,
        "\"\(text)\" is not the path of a document: it has \(counted), not an even number."
      )
    }
    try checkSegments(in: text)
  }

  /// How many segments there are, in words that belong into a sentence.
  private var counted: String { segments.count == 1 ? "1 segment" : "\(segments.count) segments" }

  /// What is wrong with an id, as the end of a sentence; `nil` when nothing is.
  static func brokenRule(_ id: String) -> String? {
    if id.isEmpty { return "is empty; write one slash between ids" }
    if id == "." || id == ".." { return "may not be . or .." }
    if id.utf8.contains(UInt8(ascii: "/")) { return "may not contain a slash" }
    if id.utf8.count > 1500 { return "is longer than 1,500 bytes" }
    if id.isBetweenUnderscores, numericID(id) == nil {
      return "is reserved: it begins and ends with two underscores"
    }
    return nil
  }

  /// The number of a legacy numeric id, `__id123__`. There is one spelling for each number, because such an id is
  /// stored and ordered by its number.
  static func numericID(_ id: String) -> Int64? {
    guard id.isBetweenUnderscores, id.hasPrefix("__id"), id.utf8.count > 6 else { return nil }
    let digits = id.dropFirst(4).dropLast(2)
    guard let number = Int64(digits), number >= 0, digits == String(number) else { return nil }
    return number
  }

  /// The last id.
  public var id: String { segments.last ?? "" }

  /// The path without its last id; `nil` at the root.
  public var parent: ResourcePath? {
    // By way of a slice: made directly, the array would be filled element by element.
    segments.isEmpty ? nil : ResourcePath(segments: Array(segments.dropLast()))
  }

  /// Whether another path is that of a child.
  package func isParent(of other: ResourcePath) -> Bool {
    other.segments.count == segments.count + 1
      && segments.indices.reversed().allSatisfy { ByteOrder.areEqual(segments[$0], other.segments[$0]) }
  }

  /// Whether an id is a plain one of a child. Otherwise it, or the path that it makes, has to be looked at more closely.
  package func mayHaveChild(_ id: String) -> Bool { segments.count < 200 && Self.brokenRule(id) == nil }

  /// The path of a child.
  public func appending(_ id: String) -> ResourcePath {
    // Each document that is read gets a path, so it is made in one piece.
    var ids: [String] = []
    ids.reserveCapacity(segments.count + 1)
    ids.append(contentsOf: segments)
    ids.append(id)
    return ResourcePath(segments: ids)
  }

  /// The ids, with slashes between them.
  public var text: String { segments.joined(separator: "/") }

  /// Compares id by id: numeric ids come first, by their numbers, then the others by their UTF-8 bytes; a path comes
  /// before what lies below it.
  public func compare(_ other: ResourcePath) -> Int {
    for (left, right) in zip(segments, other.segments) {
      let order = Self.compare(left, right)
      if order != 0 { return order }
    }
    return segments.count == other.segments.count ? 0 : (segments.count < other.segments.count ? -1 : 1)
  }

  private static func compare(_ left: String, _ right: String) -> Int {
    switch (numericID(left), numericID(right)) {
    case (let left?, let right?): left == right ? 0 : (left < right ? -1 : 1)
    case (_?, nil): -1
    case (nil, _?): 1
    case (nil, nil): ByteOrder.compare(left, right)
    }
  }
}

extension ResourcePath: Hashable {
  /// Whether the ids are the same, byte by byte.
  public static func == (left: ResourcePath, right: ResourcePath) -> Bool {
    left.segments.elementsEqual(right.segments, by: ByteOrder.areEqual)
  }

  /// Feeds the ids' bytes.
  public func hash(into hasher: inout Hasher) {
    for segment in segments {
      ByteOrder.hash(segment, into: &hasher)
      hasher.combine(UInt8(ascii: "/"))
    }
  }
}

extension String {
  /// Whether a name or an id begins and ends with two underscores, as reserved ones do. Hardly any does, and the first byte
  /// tells.
  var isBetweenUnderscores: Bool {
    utf8.first == UInt8(ascii: "_") && utf8.count >= 4 && hasPrefix("__") && hasSuffix("__")
  }
}

/// Ids for new documents.
public enum AutomaticID {
  /// Twenty random characters from `A` to `Z`, `a` to `z` and `0` to `9`.
  public static func make() -> String {
    var generator = SystemRandomNumberGenerator()
    let alphabet = Array("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789")
    return String((0..<20).map { _ in alphabet[Int.random(in: 0..<alphabet.count, using: &generator)] })
  }
}
