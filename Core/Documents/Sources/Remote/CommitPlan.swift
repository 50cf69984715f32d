package import TenonStoreInterop

/// A document before and after something happened to it.
package struct DocumentTransition: Sendable {
  /// The document's path.
  package var path: ResourcePath
  /// The document before; `nil` when there was none.
  package var before: RemoteDocument?
  /// The document after; without fields when there is none.
  package var after: RemoteDocument

  package init(path: ResourcePath, before: RemoteDocument?, after: RemoteDocument) {
    self.path = path
    self.before = before
    self.after = after
  }
}

/// What a remote makes of a batch of writes: decided as a whole, before anything is changed.
package struct CommitPlan: Sendable {
  /// What each write does, in their order.
  package private(set) var steps: [DocumentTransition] = []
  /// The documents that change, each once.
  package private(set) var transitions: [DocumentTransition] = []
  /// The answer.
  package private(set) var commit: RemoteCommit

  /// How many transforms a document may have in one batch.
  package static let maximumTransforms = 500
  /// The greatest size of a batch, in bytes as documents are counted.
  package static let maximumSize = 10 * 1_048_576

  /// Decides what writes do.
  ///
  /// - Parameters:
  ///   - moment: the moment of the commit, later than that of every earlier one.
  ///   - read: the present state of a document; `nil` when there is none.
  /// - Throws: ``StoreRemoteError`` when a write breaks a rule or its precondition doesn't hold; what `read` throws.
  package init(
    _ writes: [DocumentWrite], at moment: Timestamp, reading read: (ResourcePath) throws -> RemoteDocument?
  ) throws {
    commit = RemoteCommit(time: moment, results: [])
    try Self.checkSizes(of: writes)
    var before: [ResourcePath: RemoteDocument?] = [:]
    var after: [ResourcePath: RemoteDocument] = [:]
    var paths: [ResourcePath] = []
    for write in writes {
      let path = write.document
      try Self.checked { () throws(DocumentError) in try write.check() }
      if before[path] == nil {
        before[path] = .some(try read(path))
        paths.append(path)
      }
      let present = after[path] ?? before[path] ?? nil
      let existing = present?.fields == nil ? nil : present
      try Self.check(write, existing)
      let outcome = try Self.checked { () throws(DocumentError) in
        try write.outcome(on: existing?.fields, at: moment)
      }
      var result = RemoteDocument(
        path: path, fields: outcome.fields, createTime: existing?.createTime ?? moment, updateTime: moment)
      if outcome.fields == nil { result.createTime = nil }
      // What changes nothing leaves the time of the last change.
      if let existing, existing.fields == outcome.fields { result.updateTime = existing.updateTime }
      after[path] = result
      steps.append(DocumentTransition(path: path, before: existing, after: result))
      commit.results.append(
        RemoteCommit.Result(
          updateTime: result.updateTime == moment ? nil : result.updateTime,
          transformResults: outcome.transformResults
        )
      )
    }
    for path in paths {
      guard let after = after[path] else { continue }
      let before = before[path] ?? nil
      guard before?.fields != after.fields else { continue }
      transitions.append(DocumentTransition(path: path, before: before, after: after))
    }
  }

  private static func check(_ write: DocumentWrite, _ existing: RemoteDocument?) throws(StoreRemoteError) {
    let name = write.document.text
    switch write.precondition {
    case .exists(true) where existing == nil:
      throw StoreRemoteError(.notFound, "There is no document \(name) to update.")
    case .exists(false) where existing != nil:
      throw StoreRemoteError(.alreadyExists, "The document \(name) exists already.")
    case .updated(let time) where existing?.updateTime != time:
      throw StoreRemoteError(
        .failedPrecondition, "The document \(name) isn't as it was read: it was changed or deleted since.")
    default: break
    }
  }

  private static func checkSizes(of writes: [DocumentWrite]) throws(StoreRemoteError) {
    var transforms: [ResourcePath: Int] = [:]
    var size = 0
    for write in writes {
      switch write.operation {
      case .set(let fields), .update(let fields, _): size += fields.documentSize(at: write.document)
      case .delete: break
      }
      transforms[write.document, default: 0] += write.transforms.count
      guard transforms[write.document, default: 0] <= maximumTransforms else {
        throw StoreRemoteError(
          .invalidArgument,
          "The document \(write.document.text) has more than \(maximumTransforms) transforms in one batch."
        )
      }
    }
    guard size <= maximumSize else {
      throw StoreRemoteError(
        .invalidArgument, "A batch has at most \(maximumSize) bytes; this one has \(size). Split it.")
    }
  }

  private static func checked<Result>(
    _ body: () throws(DocumentError) -> Result
  ) throws(StoreRemoteError) -> Result {
    do { return try body() } catch {
      throw StoreRemoteError(.invalidArgument, error.message, underlying: error)
    }
  }
}

extension DocumentWrite {
  /// Checks what holds whatever the document is: its path, and the paths of fields.
  package func check() throws(DocumentError) {
    try document.checkDocument()
    if case .update(_, let mask) = operation { for field in mask { try field.check() } }
  }
}
