import TenonDocuments
public import TenonStoreInterop
import TenonValues

/// The rules as what decides on a device, with the fields, documents and claims that the device has.
extension SecurityRules: WriteRules {
  /// Returns what the rules say of the writes of a batch on a device. Store calls it; see its setting
  /// `rules`.
  ///
  /// The reason of a denial has the lines of the statements that were asked, and the values of their
  /// expressions. As by the server, the rules read at most 10 documents for each write and 20 for the batch.
  ///
  /// - Parameters:
  ///   - batch: the writes, each as one attempt or several possible ones.
  ///   - document: returns what this device knows of a document, called once for each that the rules read.
  /// - Returns: a verdict for each write.
  /// - Throws: what `document` throws.
  public func verdicts(
    on batch: [[WriteAttempt]],
    reading document: (ResourcePath, _ isAfterWrites: Bool) throws -> CachedDocument
  ) rethrows -> [WriteVerdict] {
    var known = KnownDocuments()
    return try batch.map { attempts in
      // The documents of an attempt that may not be made, or of which not everything is known, don't count
      // for the writes after it: the server may not read them.
      let isOnly = attempts.count == 1
      return WriteVerdict(
        of: try attempts.map { attempt in
          let earlier = known
          defer { known.endOperation(after: earlier) }
          return try verdict(on: attempt, &known, isOnly: isOnly, reading: document)
        })
    }
  }

  private func verdict(
    on attempt: WriteAttempt, _ known: inout KnownDocuments, isOnly: Bool,
    reading document: (ResourcePath, _ isAfterWrites: Bool) throws -> CachedDocument
  ) rethrows -> WriteVerdict {
    let service = "cloud.firestore"
    let input = EvaluationInput(attempt)
    known.beginOperation()
    if !isOnly || !attempt.isKnown { known.becomeUncertain() }
    let decision = try decision(on: input, of: service, &known) { lookup in
      DocumentState(
        try document(ResourcePath(segments: lookup.segments), lookup.isAfter), at: lookup.segments,
        database: input.database)
    }
    switch decision.verdict {
    case .allowed: return .allowed
    case .unknown: return .unknown
    case .denied:
      // The rules are compiled again for this; a denial is rare.
      let coverage = RulesCoverage(self)
      let recorder = CoverageRecorder()
      _ = coverage.rules.step(service: service, input, known: known, recorder: recorder)
      coverage.add(recorder)
      let values = coverage.valuesText
      return .denied(reason: decision.refusalText + (values.isEmpty ? "" : " Values: \(values)"))
    }
  }
}

extension EvaluationInput {
  /// Creates what the rules see of a write on a device.
  fileprivate init(_ attempt: WriteAttempt) {
    let path = attempt.path.segments
    let database = RulesDatabase.named(attempt.database)
    let user = attempt.user.map { attempted in
      var user = RulesUser(uid: attempted.uid, claims: attempted.claims)
      user.hasAllClaims = attempted.hasAllClaims
      return user
    }
    let resource: Resource =
      switch DocumentState(attempt.before, at: path, database: database) {
      case .exists(let map): .value(.map(map))
      case .missing: .value(.null)
      case .unknown: .unknown
      }
    let newResource: Resource =
      switch attempt.after {
      case .exists(let fields): .document(fields)
      case .partial(let fields):
        .value(.map(.document(fields, at: path, database: database, isComplete: false)))
      case .missing: .value(.null)
      case .unknown: .value(.map(.document([:], at: path, database: database, isComplete: false)))
      }
    self.init(
      database: database, method: RulesMethod(attempt.method), listPath: nil, user: user, time: attempt.time,
      resource: resource, requestResource: newResource, query: nil,
      matchedPath: RulesPath(document: path, database: attempt.database).segments)
  }
}

extension WriteAttempt {
  /// Whether everything is known that rules can see of it, besides other documents.
  fileprivate var isKnown: Bool {
    for document in [before, after] {
      switch document {
      case .exists, .missing: break
      case .partial, .unknown: return false
      }
    }
    return user?.hasAllClaims ?? true
  }
}

extension RulesMethod {
  fileprivate init(_ method: WriteAttempt.Method) {
    self =
      switch method {
      case .create: .create
      case .update: .update
      case .delete: .delete
      }
  }
}

extension DocumentState {
  fileprivate init(_ document: CachedDocument, at segments: [String], database: RulesDatabase) {
    switch document {
    case .exists(let fields): self = .exists(.document(fields, at: segments, database: database))
    case .partial(let fields):
      self = .exists(.document(fields, at: segments, database: database, isComplete: false))
    case .missing: self = .missing
    case .unknown: self = .unknown
    }
  }
}
