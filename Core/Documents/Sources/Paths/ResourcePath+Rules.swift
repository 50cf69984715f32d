public import TenonStoreInterop

extension ResourcePath {
  /// Creates the path of a collection, for example `rooms/den/messages`.
  ///
  /// One slash at either end is ignored.
  ///
  /// - Throws: ``DocumentError`` with ``DocumentError/Code/badPath``.
  public init(collection path: String) throws(DocumentError) {
    self.init(unchecked: path)
    try checkCollection(text: path)
  }

  /// Creates the path of a document, for example `rooms/den`.
  ///
  /// - Throws: ``DocumentError`` with ``DocumentError/Code/badPath``.
  public init(document path: String) throws(DocumentError) {
    self.init(unchecked: path)
    try checkDocument(text: path)
  }

  /// Splits a path at its slashes, without checking it. One slash at either end is ignored.
  package init(unchecked path: String) {
    // By code points: a slash followed by a combining mark is a single `Character`.
    var segments = path.unicodeScalars.split(separator: "/", omittingEmptySubsequences: false)[...]
    if segments.count > 1, segments.first?.isEmpty ?? false { segments = segments.dropFirst() }
    if segments.count > 1, segments.last?.isEmpty ?? false { segments = segments.dropLast() }
    self.init(segments: segments.map(String.init))
  }

  /// Checks the rules for IDs that the server enforces.
  private func checkSegments(in path: @autoclosure () -> String) throws(DocumentError) {
    guard segments.count <= 200 else {
      throw DocumentError(
        .badPath,
        "The path \"\(path().prefix(60))…\" has more than 100 pairs of collection and document."
      )
    }
    for id in segments {
      if let rule = Self.brokenRule(id) {
        throw DocumentError(.badPath, "The id \"\(id.prefix(60))\" in \"\(path().prefix(200))\" \(rule).")
      }
    }
  }

  /// Checks that this is the path of a document, with the rules for IDs that the server enforces.
  ///
  /// - Parameter text: the path as it was given.
  /// - Throws: ``DocumentError`` with ``DocumentError/Code/badPath``.
  package func checkDocument(text: String? = nil) throws(DocumentError) {
    guard !segments.isEmpty, segments.count.isMultiple(of: 2) else {
      throw DocumentError(
        .badPath,
        "\"\(text ?? self.text)\" is not the path of a document: it has \(counted), not an even number."
      )
    }
    try checkSegments(in: text ?? self.text)
  }

  /// Checks that this is the path of a collection, with the rules for IDs that the server enforces.
  ///
  /// - Parameter text: the path as it was given.
  /// - Throws: ``DocumentError`` with ``DocumentError/Code/badPath``.
  package func checkCollection(text: String? = nil) throws(DocumentError) {
    guard !segments.count.isMultiple(of: 2) else {
      throw DocumentError(
        .badPath,
        "\"\(text ?? self.text)\" is not the path of a collection: it has \(counted), not an odd number."
      )
    }
    try checkSegments(in: text ?? self.text)
  }

  /// The number of segments, as part of a sentence.
  private var counted: String { segments.count == 1 ? "1 segment" : "\(segments.count) segments" }

  /// The rule that an ID breaks, as the end of a sentence; `nil` if it is valid.
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

  /// The number of a legacy numeric ID, `__id123__`. Each number has one spelling, because such an ID is stored and ordered by
  /// its number.
  static func numericID(_ id: String) -> Int64? {
    guard id.isBetweenUnderscores, id.hasPrefix("__id"), id.utf8.count > 6 else { return nil }
    let digits = id.dropFirst(4).dropLast(2)
    guard let number = Int64(digits), number >= 0, digits == String(number) else { return nil }
    return number
  }

  /// The last ID; empty for the root.
  public var id: String { segments.last ?? "" }

  /// The path without its last ID; `nil` for the root.
  public var parent: ResourcePath? {
    // Copies a slice: `dropLast` of an array into an array would be filled element by element.
    segments.isEmpty ? nil : ResourcePath(segments: Array(segments.dropLast()))
  }

  /// Returns whether another path is that of a direct child.
  package func isParent(of other: ResourcePath) -> Bool {
    other.segments.count == segments.count + 1
      && segments.indices.reversed().allSatisfy { UTF8Text.areEqual(segments[$0], other.segments[$0]) }
  }

  /// Returns the path of a child.
  public func appending(_ id: String) -> ResourcePath {
    // Every document that is read gets a path, so a single allocation is made.
    var ids: [String] = []
    ids.reserveCapacity(segments.count + 1)
    ids.append(contentsOf: segments)
    ids.append(id)
    return ResourcePath(segments: ids)
  }

  /// The IDs, separated by slashes.
  public var text: String { description }

  /// Compares the paths ID by ID: numeric IDs come first, by their numbers, then the others by their UTF-8 bytes; a path
  /// precedes the paths below it. The result is negative, zero or positive.
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

extension String {
  /// Whether a name or an ID begins and ends with two underscores, as reserved ones do. The first byte decides for almost all.
  var isBetweenUnderscores: Bool {
    utf8.first == UInt8(ascii: "_") && utf8.count >= 4 && hasPrefix("__") && hasSuffix("__")
  }
}

/// IDs for new documents.
public enum AutomaticID {
  /// Returns twenty random characters from `A` to `Z`, `a` to `z` and `0` to `9`.
  public static func make() -> String {
    var generator = SystemRandomNumberGenerator()
    let alphabet = Array("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789")
    return String((0..<20).map { _ in alphabet[Int.random(in: 0..<alphabet.count, using: &generator)] })
  }
}
