import TenonCore
import TenonDocuments
import TenonStoreInterop
import TenonValues

/// Decides by the rules of the app about writes that are about to be queued.
///
/// A batch is played through on what this device knows of the documents, so that each write sees those before
/// it, and rules can read the documents after all of them. What this device doesn't know stays unknown, and
/// never leads to a refusal.
struct WriteJudge {
  /// Who makes a write.
  enum Author {
    /// The user, or nobody.
    case known(WriteAttempt.User?)
    /// It can't be determined who is signed in.
    case unknown
  }

  /// The rules, and what a denial leads to.
  let rules: StoreSettings.Rules
  /// The ID of the database at the remote.
  let database: String
  /// Receives denials if they are only advice.
  let logger: AppLogger
  /// Returns who makes a write now.
  let author: () -> Author

  /// Checks the writes of a batch.
  ///
  /// - Parameters:
  ///   - writes: the writes, in order.
  ///   - time: the time at which they are made.
  ///   - read: returns what is known of a document, including the pending writes before the batch.
  /// - Throws: ``StoreError`` with ``StoreError/Code/permissionDenied`` for the first write that the server
  ///   would reject, if the setting is to refuse it; what `read` throws.
  func check(
    _ writes: [DocumentWrite], at time: Timestamp, reading read: (ResourcePath) throws -> CachedDocument
  ) throws {
    guard case .known(let user) = author() else { return }
    // The precision of server timestamps, to which rules compare the time.
    let time = time.roundedDownToMilliseconds
    var after: [ResourcePath: CachedDocument] = [:]
    var attempts: [[WriteAttempt]] = []
    for write in writes {
      let before = try after[write.document] ?? read(write.document)
      let possible = WriteOutcome.possible(write, on: before, at: time)
      // The last one knows least of the document.
      if let last = possible.last { after[write.document] = last.after }
      attempts.append(
        possible.map {
          WriteAttempt(
            user: user, time: time, database: database, path: write.document, method: $0.method,
            before: $0.before, after: $0.after)
        })
    }
    let verdicts = try rules.rules.verdicts(on: attempts) { path, isAfterWrites in
      try isAfterWrites ? after[path] ?? read(path) : read(path)
    }
    for (possible, verdict) in zip(attempts, verdicts) {
      guard let attempt = possible.last, case .denied(let reason) = verdict else { continue }
      try report(reason, attempt)
      return
    }
  }

  private func report(_ reason: String, _ attempt: WriteAttempt) throws {
    let text = "The server would reject the \(attempt.method.rawValue) of \(attempt.path.text). \(reason)"
    switch rules.action {
    case .advise: logger.warning(text)
    case .refuse: throw StoreError(.permissionDenied, text)
    }
  }
}

/// What a write does to a document of which not all may be known.
struct WriteOutcome: Equatable {
  let method: WriteAttempt.Method
  let before: CachedDocument
  let after: CachedDocument

  /// Returns what a write may do: two possibilities if it creates or changes the document and this device
  /// doesn't know which.
  ///
  /// As at the server, the precondition of a write decides whether it is a creation or a change, and what
  /// contradicts it is rejected in any case.
  static func possible(
    _ write: DocumentWrite, on before: CachedDocument, at time: Timestamp
  ) -> [WriteOutcome] {
    let creation = { WriteOutcome(.create, write, on: before == .unknown ? .missing : before, time) }
    let change = { WriteOutcome(.update, write, on: before == .unknown ? .partial([:]) : before, time) }
    switch (write.operation, write.precondition, before) {
    case (.delete, _, _): return [WriteOutcome(.delete, write, on: before, time)]
    case (_, .exists(false)?, _), (_, nil, .missing): return [creation()]
    case (_, .exists(true)?, _), (_, .updated?, _), (_, nil, .exists), (_, nil, .partial): return [change()]
    case (_, nil, .unknown): return [creation(), change()]
    }
  }

  private init(
    _ method: WriteAttempt.Method, _ write: DocumentWrite, on before: CachedDocument, _ time: Timestamp
  ) {
    self.method = method
    self.before = before
    after = Self.result(of: write, on: before, at: time)
  }

  private static func result(
    of write: DocumentWrite, on before: CachedDocument, at time: Timestamp
  ) -> CachedDocument {
    /// An invalid result isn't queued, so it doesn't matter what the rules say of it.
    func complete(on fields: Fields?) -> CachedDocument {
      (try? write.result(on: fields, at: time)).flatMap { $0 }.map { .exists($0) } ?? .unknown
    }
    switch (write.operation, before) {
    case (.delete, _): return .missing
    case (.set, _), (.update, .missing): return complete(on: nil)
    case (.update, .exists(let fields)): return complete(on: fields)
    case (.update(let fields, let mask), .partial(let known)):
      return .partial(write.knownResult(fields, mask, on: known, at: time))
    case (.update(let fields, let mask), .unknown):
      return .partial(write.knownResult(fields, mask, on: [:], at: time))
    }
  }
}

extension DocumentWrite {
  /// Returns the fields that are known after an update of a document of which only some are known. A field
  /// that is changed inside, deleted or computed from its former value isn't among them.
  fileprivate func knownResult(
    _ fields: Fields, _ mask: [FieldPath], on known: Fields, at time: Timestamp
  ) -> Fields {
    var known = known
    func set(_ field: FieldPath, _ value: Value?) {
      guard let name = field.segments.first else { return }
      known[FieldPath([name])] = field.segments.count == 1 ? value : nil
    }
    for field in mask { set(field, fields[field]) }
    for transform in transforms {
      if case .serverTimestamp = transform.kind {
        set(transform.field, .timestamp(time))
      } else {
        set(transform.field, nil)
      }
    }
    return known
  }
}
