extension ResourcePath {
  /// Creates the path of a collection, for example `rooms/den/messages`.
  ///
  /// - Parameter path: an odd number of IDs, separated by slashes and relative to the root of the database.
  ///   One slash at either end is ignored.
  /// - Throws: ``DocumentError`` with ``DocumentError/Code/badPath`` if the number of IDs is even or an ID is
  ///   invalid.
  package init(collection path: String) throws(DocumentError) {
    self.init(unchecked: path)
    try checkCollection(text: path)
  }

  /// Creates the path of a document, for example `rooms/den`.
  ///
  /// ```swift
  /// let den = try ResourcePath(document: "rooms/den")
  /// den.id  // → "den"
  /// den.parent?.id  // → "rooms"
  /// print(den)  // → rooms/den
  /// ```
  ///
  /// - Parameter path: an even number of IDs, separated by slashes and relative to the root of the database.
  ///   One slash at either end is ignored.
  /// - Throws: ``DocumentError`` with ``DocumentError/Code/badPath`` if the number of IDs is odd or 0, or an
  ///   ID is invalid.
  public init(document path: String) throws(DocumentError) {
    self.init(unchecked: path)
    try checkDocument(text: path)
  }

  /// Creates a path by splitting text at its slashes, without checking it. One slash at either end is
  /// ignored.
  ///
  /// - Parameter path: the IDs. Two slashes in sequence yield an empty ID, which the checks reject; so does
  ///   an empty text, or a single slash.
  package init(unchecked path: String) {
    // By code points: a slash followed by a combining mark is a single `Character`.
    var segments = path.unicodeScalars.split(separator: "/", omittingEmptySubsequences: false)[...]
    if segments.count > 1, segments.first?.isEmpty ?? false { segments = segments.dropFirst() }
    if segments.count > 1, segments.last?.isEmpty ?? false { segments = segments.dropLast() }
    self.init(segments: segments.map(String.init))
  }

  /// Checks the rules of Firestore's server for IDs, and the limit of 100 pairs of collection and document.
  ///
  /// - Parameter path: the path, for messages. It is evaluated only for an error.
  /// - Throws: ``DocumentError`` with ``DocumentError/Code/badPath`` for the first broken rule.
  private func checkSegments(in path: @autoclosure () -> String) throws(DocumentError) {
    guard segments.count <= 200 else {
      throw DocumentError(
        .badPath,
        "The path \"\(path().prefix(60))…\" has more than 100 pairs of collection and document."
      )
    }
    for (index, id) in segments.enumerated() {
      if let rule = Self.brokenRule(id, ofCollection: index.isMultiple(of: 2)) {
        throw DocumentError(.badPath, "The id \"\(id.prefix(60))\" in \"\(path().prefix(200))\" \(rule).")
      }
    }
  }

  /// Checks that this is the path of a document, and that its IDs are valid.
  ///
  /// - Parameter text: the path as the caller wrote it, for messages; by default ``text``.
  /// - Throws: ``DocumentError`` with ``DocumentError/Code/badPath``.
  package func checkDocument(text: String? = nil) throws(DocumentError) {
    try checkPresence(text, of: "a document", "rooms/den")
    guard !segments.isEmpty, segments.count.isMultiple(of: 2) else {
      throw DocumentError(
        .badPath,
        "\"\(text ?? self.text)\" isn't the path of a document: it has \(counted), not an even number."
      )
    }
    try checkSegments(in: text ?? self.text)
  }

  /// Checks that this is the path of a collection, and that its IDs are valid.
  ///
  /// - Parameter text: the path as the caller wrote it, for messages; by default ``text``.
  /// - Throws: ``DocumentError`` with ``DocumentError/Code/badPath``.
  package func checkCollection(text: String? = nil) throws(DocumentError) {
    try checkPresence(text, of: "a collection", "rooms")
    guard !segments.count.isMultiple(of: 2) else {
      throw DocumentError(
        .badPath,
        "\"\(text ?? self.text)\" isn't the path of a collection: it has \(counted), not an odd number."
      )
    }
    try checkSegments(in: text ?? self.text)
  }

  /// Checks that the path has an ID at all, which a count of segments wouldn't explain.
  private func checkPresence(
    _ text: String?, of kind: String, _ example: String
  ) throws(DocumentError) {
    guard segments.allSatisfy(\.isEmpty) else { return }
    throw DocumentError(
      .badPath, "The path of \(kind) is empty: \"\(text ?? self.text)\". Write one such as \"\(example)\".")
  }

  /// The number of IDs in words, for messages.
  private var counted: String { segments.count == 1 ? "1 segment" : "\(segments.count) segments" }

  /// Returns the rule that an ID breaks, as the end of a sentence; `nil` if the ID is valid.
  ///
  /// The rules are those of Firestore's server (https://firebase.google.com/docs/firestore/quotas): 1 to
  /// 1,500 UTF-8 bytes, no slash, neither `.` nor `..`, and not `__.*__` other than a numeric ID.
  ///
  /// - Parameters:
  ///   - id: the ID of a collection or a document.
  ///   - isCollection: whether it is that of a collection, which has no number.
  package static func brokenRule(_ id: String, ofCollection isCollection: Bool = false) -> String? {
    if id.isEmpty { return "is empty; write one slash between ids" }
    if id == "." || id == ".." { return "may not be . or .." }
    if id.utf8.contains(UInt8(ascii: "/")) { return "may not contain a slash" }
    if id.utf8.count > 1500 { return "is longer than 1,500 bytes" }
    // The server refuses the number 0 as well.
    if id.isBetweenUnderscores, isCollection || numericID(id) ?? 0 == 0 {
      return "is reserved: it begins and ends with two underscores"
    }
    return nil
  }

  /// Returns the number of a legacy numeric ID, for example 123 for `__id123__` and -1 for `__id-1__`; `nil`
  /// for other IDs.
  ///
  /// Negative numbers are accepted, as on Firestore's server. Leading zeros and signs that have no meaning
  /// aren't, so that each number has a single spelling: such IDs are stored and ordered by their numbers.
  package static func numericID(_ id: String) -> Int64? {
    guard id.isBetweenUnderscores, id.utf8.starts(with: "__id".utf8), id.utf8.count > 6 else { return nil }
    let digits = Substring(id.utf8.dropFirst(4).dropLast(2))
    // Checked: any other text yields nil.
    guard let number = Int64(digits), digits == String(number) else { return nil }
    return number
  }

  /// The last ID of the path; empty for the root.
  public var id: String { segments.last ?? "" }

  /// The path without its last ID: the collection of a document, the document that contains a collection, or
  /// the root for a collection at the top level. `nil` for the root.
  ///
  /// - Complexity: O(*n*) in the number of IDs.
  public var parent: ResourcePath? {
    // Copies a slice. Assigning `dropLast` to an array directly would copy element by element.
    segments.isEmpty ? nil : ResourcePath(segments: Array(segments.dropLast()))
  }

  /// Returns the path of a child.
  ///
  /// - Parameter id: the child's ID. It isn't checked.
  package func appending(_ id: String) -> ResourcePath {
    // Called for every document that is read, so it makes a single allocation.
    var ids: [String] = []
    ids.reserveCapacity(segments.count + 1)
    ids.append(contentsOf: segments)
    ids.append(id)
    return ResourcePath(segments: ids)
  }

  /// The IDs, separated by slashes.
  package var text: String { description }
}

extension String {
  /// Whether a name or an ID begins and ends with two underscores, as reserved ones do.
  ///
  /// Bytes are compared, because an underscore followed by a combining mark is a single `Character`.
  /// Comparing the first one is sufficient for most strings.
  var isBetweenUnderscores: Bool {
    utf8.first == UInt8(ascii: "_") && utf8.count >= 4 && utf8.starts(with: "__".utf8)
      && utf8.suffix(2).elementsEqual("__".utf8)
  }
}
