import TenonDocuments
package import TenonValues

/// Rules with the documents and objects that a request finds, to which nothing that is asked is done.
package struct RulesTrial: Sendable {
  /// The rules.
  package var rules: SecurityRules
  /// The documents by their paths.
  package var documents: [String: Fields]
  /// The metadata of the objects by their names.
  package var objects: [String: Fields]
  /// The time of the requests.
  package var time: Timestamp

  /// The database of the requests.
  static let database = "(default)"
  /// The bucket of the requests.
  static let bucket = "bucket"

  /// Creates a trial.
  package init(
    _ rules: SecurityRules, documents: [String: Fields], objects: [String: Fields] = [:], time: Timestamp
  ) {
    self.rules = rules
    self.documents = documents
    self.objects = objects
    // The precision of server timestamps, to which rules compare it.
    self.time = Timestamp(seconds: time.seconds, nanoseconds: time.nanoseconds / 1_000_000 * 1_000_000)
  }

  /// What the rules say of an operation.
  package struct Outcome: Sendable {
    /// Whether all of its requests are allowed.
    package var isAllowed = true
    /// What the rules say of the first request that isn't allowed.
    package var denial: RulesDecision?
  }

  /// Returns what the rules say of an operation.
  ///
  /// - Parameters:
  ///   - operation: the operation.
  ///   - user: who asks; `nil` for nobody.
  ///   - recorder: records the values of expressions, if the rules were compiled for that.
  /// - Throws: ``RulesTrialError``, `DocumentError` for an invalid path.
  package func decide(
    _ operation: RulesOperation, as user: RulesUser?, recorder: CoverageRecorder? = nil
  ) throws -> Outcome {
    var known = Dictionary(
      uniqueKeysWithValues: try documents.map { path, fields in (try ResourcePath(document: path), fields) })
    let before = known
    let targets = try targets(of: operation, &known)
    var outcome = Outcome()
    var read = KnownDocuments()
    for target in targets {
      let request = RulesRequest(target, user: user, time: time)
      let decision = decide(request, before, known, &read, recorder)
      if !decision.isAllowed {
        outcome.isAllowed = false
        if outcome.denial == nil { outcome.denial = decision }
      }
    }
    return outcome
  }

  private func decide(
    _ request: RulesRequest, _ before: [ResourcePath: Fields], _ after: [ResourcePath: Fields],
    _ known: inout KnownDocuments, _ recorder: CoverageRecorder?
  ) -> RulesDecision {
    known.beginOperation()
    var last = RulesDecision(verdict: .denied, reasons: [])
    for input in request.inputs ?? [] {
      let service = request.service
      last = rules.decision(on: input, of: service, &known) { lookup in
        let path = ResourcePath(segments: lookup.segments)
        let fields = lookup.isAfter ? after[path] : before[path]
        return DocumentState(
          fields.map(RulesDocument.exists) ?? .missing, at: lookup.segments, database: input.database)
      }
      // Until all documents are known, expressions have values that aren't final, so they are recorded now.
      if let recorder { _ = rules.step(service: service, input, known: known, recorder: recorder) }
      guard last.isAllowed else { break }
    }
    return last
  }

  /// Returns what an operation asks for.
  ///
  /// - Parameters:
  ///   - operation: the operation.
  ///   - known: the documents, to which the writes are done.
  private func targets(
    of operation: RulesOperation, _ known: inout [ResourcePath: Fields]
  ) throws -> [RulesRequest.Target] {
    switch operation.kind {
    case .get(let path):
      let path = try ResourcePath(document: path)
      return [.get(path, database: Self.database, document: known[path].map { .exists($0) } ?? .missing)]
    case .list(let query, let offset):
      return [.list(try ResolvedQuery(query).query, database: Self.database, offset: Int64(clamping: offset))]
    case .batch(let operations):
      var targets: [RulesRequest.Target] = []
      for operation in operations {
        guard case .write = operation.kind else {
          throw RulesTrialError("A batch only writes documents; \"\(operation)\" doesn't.")
        }
        targets += try self.targets(of: operation, &known)
      }
      return targets
    case .write(let write, let path, let fields, let transforms):
      let path = try ResourcePath(document: path)
      let old = known[path]
      switch write {
      case .create where old != nil:
        throw RulesTrialError("\(path) already exists, so it can't be created. Use set or update.")
      case .update where old == nil:
        throw RulesTrialError(
          "\(path) doesn't exist, so it can't be updated. Use create, or add it to the documents.")
      default: break
      }
      let change: DocumentWrite.Operation =
        switch write {
        case .create, .set: .set(fields)
        case .update: .update(fields, mask: fields.names.map { FieldPath([$0]) })
        case .delete: .delete
        }
      let new = try DocumentWrite(path, change, transforms: transforms).result(on: old, at: time)
      known[path] = new
      return [
        .write(
          path, database: Self.database, document: old.map { .exists($0) } ?? .missing, newDocument: new)
      ]
    case .object(let method, let name, let metadata):
      func complete(_ metadata: Fields) -> Fields {
        var metadata = metadata
        metadata["name"] = .string(name)
        metadata["bucket"] = .string(Self.bucket)
        return metadata
      }
      let old = objects[name].map(complete)
      if method == .create, old != nil {
        throw RulesTrialError("The object \(name) already exists, so it can't be created. Use updateObject.")
      }
      return [
        .object(
          name, bucket: Self.bucket, method: method, object: old.map { .exists($0) } ?? .missing,
          newObject: metadata.map(complete))
      ]
    }
  }
}

/// Why rules can't be tried with an operation.
package struct RulesTrialError: Error, Sendable, CustomStringConvertible {
  /// What is wrong, and what to do.
  package let description: String

  init(_ description: String) { self.description = description }
}

extension RulesTrial {
  /// Returns what the rules say of an operation, and adds the values of expressions to a coverage.
  ///
  /// - Parameters:
  ///   - operation: the operation.
  ///   - user: who asks; `nil` for nobody.
  ///   - coverage: the coverage of the same rules.
  /// - Throws: ``RulesTrialError``, `DocumentError` for an invalid path.
  package func decide(
    _ operation: RulesOperation, as user: RulesUser?, coverage: RulesCoverage
  ) throws -> Outcome {
    var trial = self
    trial.rules = coverage.rules
    let recorder = CoverageRecorder()
    let outcome = try trial.decide(operation, as: user, recorder: recorder)
    coverage.add(recorder)
    return outcome
  }

  /// Returns why an operation is or isn't allowed: the statements that didn't allow it, and the values of the
  /// expressions that were evaluated.
  ///
  /// - Parameters:
  ///   - operation: the operation.
  ///   - user: who asks; `nil` for nobody.
  /// - Throws: ``RulesTrialError``, `DocumentError` for an invalid path.
  package func explanation(of operation: RulesOperation, as user: RulesUser?) throws -> String {
    let coverage = RulesCoverage(rules)
    let outcome = try decide(operation, as: user, coverage: coverage)
    var lines: [String] = []
    if let denial = outcome.denial {
      if denial.reasons.isEmpty { lines.append("No statement applies to the path and what is done there.") }
      lines += denial.reasons.map { "line \($0.line): \($0.message)" }
    }
    let explanation = coverage.explanation
    return (lines + (explanation.isEmpty ? [] : [explanation])).joined(separator: "\n")
  }
}
