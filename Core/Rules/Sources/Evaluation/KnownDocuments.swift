/// A document that rules read.
package struct DocumentLookup: Sendable, Hashable {
  /// The IDs of the document's path.
  package let segments: [String]
  /// Whether the state after the request's writes is meant.
  package let isAfter: Bool

  /// Creates a lookup, or `nil` if the path isn't that of a document of the request's database.
  init?(_ path: RulesPath, isAfter: Bool, in input: EvaluationInput) {
    guard let texts = path.texts, texts.count >= 5, texts.count % 2 == 1, texts[0] == "databases",
      texts[1] == input.database.id, texts[2] == "documents"
    else { return nil }
    let segments = Array(texts.dropFirst(3))
    guard !segments.contains(where: { $0.isEmpty || $0.utf8.contains(UInt8(ascii: "/")) }) else { return nil }
    self.segments = segments
    self.isAfter = isAfter
  }
}

/// What is known of a document.
package enum DocumentState: Sendable {
  /// It exists.
  case exists(RulesMap)
  /// It doesn't exist.
  case missing
  /// It isn't known here.
  case unknown
}

/// The documents that were read for a request.
///
/// A request may consist of several operations, for example the writes of a batch. Each operation asks for
/// the documents that it needs, and those that an earlier one has read aren't read again.
package struct KnownDocuments: Sendable {
  private var states: [DocumentLookup: DocumentState] = [:]
  /// The documents that count for the limit of the request.
  private var counted: Set<DocumentLookup> = []
  /// The documents that the current operation has asked for.
  private var asked: Set<DocumentLookup> = []
  /// Whether the server would read the same documents. Otherwise exceeding a limit decides nothing.
  private(set) var areCertain = true

  /// Creates an empty collection.
  package init() {}

  /// Begins with the next operation of the request.
  package mutating func beginOperation() { asked = [] }

  /// Adds the documents for which an operation asks.
  ///
  /// - Parameters:
  ///   - lookups: the documents.
  ///   - read: returns the state of a document. It is called once for each document of the request.
  /// - Throws: what `read` throws.
  package mutating func add(
    _ lookups: [DocumentLookup], reading read: (DocumentLookup) throws -> DocumentState
  ) rethrows {
    for lookup in lookups {
      if states[lookup] == nil { states[lookup] = try read(lookup) }
      ask(lookup)
    }
  }

  /// Returns those of the documents for which an operation asks that weren't read yet.
  func unread(_ lookups: [DocumentLookup]) -> [DocumentLookup] { lookups.filter { states[$0] == nil } }

  /// Says that a device doesn't know everything of the current operation.
  mutating func becomeUncertain() { areCertain = false }

  /// Ends an operation on a device. If the server may read other documents for it, none of them count for the
  /// operations after it.
  ///
  /// - Parameter earlier: the documents before the operation.
  mutating func endOperation(after earlier: KnownDocuments) {
    if !areCertain { counted = earlier.counted }
    areCertain = true
  }

  private mutating func ask(_ lookup: DocumentLookup) {
    asked.insert(lookup)
    counted.insert(lookup)
    if case .unknown? = states[lookup] { areCertain = false }
  }

  /// Returns the state of a document for which the current operation has asked; `nil` if it hasn't.
  func state(_ lookup: DocumentLookup) -> DocumentState? {
    asked.contains(lookup) ? states[lookup] : nil
  }

  /// Returns whether the limits allow another document.
  ///
  /// - Parameters:
  ///   - lookup: the document.
  ///   - missing: the documents for which the operation asks besides.
  ///   - limit: the limit of one operation.
  func canRead(_ lookup: DocumentLookup, after missing: [DocumentLookup], atMost limit: Int) -> Bool {
    guard asked.count + missing.count < limit else { return false }
    let further = missing.count { !counted.contains($0) }
    return counted.contains(lookup) || counted.count + further < EvaluationLimits.requestReads
  }
}
