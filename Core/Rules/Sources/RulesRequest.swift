public import TenonStoreInterop
public import TenonValues

/// A request that rules allow or deny.
public struct RulesRequest: Sendable {
  /// The user who makes the request; `nil` if no user is signed in.
  public var user: RulesUser?
  /// `request.time`.
  public var time: Timestamp
  /// What it does.
  public let target: Target

  /// Whether a write creates, changes or deletes the document, if its precondition decides about that; `nil`
  /// if the document does.
  package var writeMethod: RulesMethod?

  /// Whether everything is known of a new object. Otherwise what depends on the rest is unknown.
  package var isNewObjectComplete = true

  /// What a request does.
  public enum Target: Sendable {
    /// Reads a document.
    case get(ResourcePath, database: String, document: RulesDocument)
    /// Reads the result of a query, from an offset on.
    case list(StructuredQuery, database: String, offset: Int64)
    /// Creates, changes or deletes a document. Without a new document, it is deleted.
    case write(ResourcePath, database: String, document: RulesDocument, newDocument: Fields?)
    /// Reads, lists, creates, changes or deletes an object of Cloud Storage. Both are the object's metadata,
    /// for example `name`, `size`, `contentType` and `metadata`.
    case object(String, bucket: String, method: RulesMethod, object: RulesDocument, newObject: Fields?)
  }

  /// Creates a request.
  ///
  /// - Parameters:
  ///   - target: what it does.
  ///   - user: the user; `nil` if no user is signed in.
  ///   - time: the time of the request.
  public init(_ target: Target, user: RulesUser?, time: Timestamp) {
    self.target = target
    self.user = user
    self.time = time
  }
}

/// The user of a request: `request.auth`.
public struct RulesUser: Sendable, Hashable {
  /// The user's ID.
  public var uid: String
  /// The claims of the user's token, for example `email`.
  public var claims: Fields
  /// Whether ``claims`` are all claims; otherwise nothing is known of others.
  package var hasAllClaims = true

  /// Creates a user.
  public init(uid: String, claims: Fields = [:]) {
    self.uid = uid
    self.claims = claims
  }
}

/// What is known of a document or an object.
public enum RulesDocument: Sendable, Hashable {
  /// It exists and has these fields.
  case exists(Fields)
  /// It doesn't exist.
  case missing
  /// It isn't known, for example because a device has it not in its cache.
  case unknown
}

/// The documents that rules read with `get`, `exists`, `getAfter` and `existsAfter`.
public protocol RulesDocuments: Sendable {
  /// Returns a document.
  ///
  /// - Parameters:
  ///   - path: the document's path in the database of the request.
  ///   - isAfterWrites: whether its state after the writes of the request's batch or transaction is meant.
  /// - Throws: whatever prevents the document from being read; the evaluation ends with that error.
  func document(_ path: ResourcePath, isAfterWrites: Bool) async throws -> RulesDocument
}

extension SecurityRules {
  /// Returns whether the rules allow a request, and why not.
  ///
  /// Rules that read documents are evaluated again when these have been read, so a document is read once.
  ///
  /// - Parameters:
  ///   - request: the request.
  ///   - documents: provides the documents that the rules read.
  /// - Throws: the errors of `documents`.
  public func evaluate(_ request: RulesRequest, documents: some RulesDocuments) async throws -> RulesDecision
  {
    try await evaluate(request, documents: documents, recorder: nil)
  }

  /// Returns whether the rules allow a request, and records the values of expressions.
  package func evaluate(
    _ request: RulesRequest, documents: some RulesDocuments, recorder: sending CoverageRecorder?
  ) async throws -> RulesDecision {
    guard let inputs = request.inputs else {
      return RulesDecision(verdict: .denied, reasons: [])
    }
    var decision = RulesDecision(verdict: .denied, reasons: [])
    var known = KnownDocuments()
    for input in inputs {
      decision = try await evaluate(request.service, input, &known, documents, recorder)
      guard decision.isAllowed else { break }
    }
    return decision
  }

  private func evaluate(
    _ service: String, _ input: EvaluationInput, _ known: inout KnownDocuments,
    _ documents: some RulesDocuments, _ recorder: CoverageRecorder?
  ) async throws -> RulesDecision {
    while true {
      switch step(service: service, input, known: known, recorder: recorder) {
      case .decided(let decision): return decision
      case .needs(let lookups):
        var read: [DocumentLookup: DocumentState] = [:]
        for lookup in known.unread(lookups) {
          let path = ResourcePath(segments: lookup.segments)
          let document = try await documents.document(path, isAfterWrites: lookup.isAfter)
          read[lookup] = DocumentState(document, at: lookup.segments, database: input.database)
        }
        known.add(lookups) { read[$0] ?? .missing }
      }
    }
  }

  /// Returns whether the rules allow a request, or `nil` if they must read documents first.
  package func decision(_ request: RulesRequest) -> RulesDecision? {
    // Most requests have one input, which needs no list.
    if let input = request.input {
      guard case .decided(let decision) = step(service: request.service, input, known: KnownDocuments())
      else {
        return nil
      }
      return decision
    }
    guard let inputs = request.inputs else { return RulesDecision(verdict: .denied, reasons: []) }
    var last = RulesDecision(verdict: .denied, reasons: [])
    for input in inputs {
      guard case .decided(let decision) = step(service: request.service, input, known: KnownDocuments())
      else {
        return nil
      }
      last = decision
      guard decision.isAllowed else { break }
    }
    return last
  }
}

extension DocumentState {
  init(_ document: RulesDocument, at segments: [String], database: RulesDatabase) {
    switch document {
    case .exists(let fields): self = .exists(.document(fields, at: segments, database: database))
    case .missing: self = .missing
    case .unknown: self = .unknown
    }
  }
}

extension RulesMap {
  /// A document as rules see it: its fields, its ID and its path.
  ///
  /// - Parameters:
  ///   - fields: the fields.
  ///   - segments: the IDs of the path.
  ///   - database: the database.
  ///   - isComplete: whether these are all fields; otherwise nothing is known of others.
  static func document(
    _ fields: Fields, at segments: [String], database: RulesDatabase, isComplete: Bool = true
  ) -> RulesMap {
    RulesMap(sorted: [
      .init("__name__", .path(RulesPath(document: segments, database: database.id))),
      .init("data", .map(RulesMap(fields, database: database, isComplete: isComplete))),
      .init("id", .string(segments.last ?? "")),
    ])
  }
}
