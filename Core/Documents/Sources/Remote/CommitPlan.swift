package import TenonStoreInterop

/// The state of a document before and after a change.
///
/// A transition describes either the effect of one write or the net effect of all writes in a period; both
/// use the same type.
package struct DocumentTransition: Sendable {
  /// The document's path.
  package var path: ResourcePath
  /// The document before the change; `nil` if it didn't exist.
  package var before: RemoteDocument?
  /// The document after the change. Its ``RemoteDocument/fields`` are `nil` if it doesn't exist.
  package var after: RemoteDocument

  /// Creates a transition.
  ///
  /// - Parameters:
  ///   - path: the document's path.
  ///   - before: the document before the change; `nil` if it didn't exist.
  ///   - after: the document after the change, without fields if it doesn't exist.
  package init(path: ResourcePath, before: RemoteDocument?, after: RemoteDocument) {
    self.path = path
    self.before = before
    self.after = after
  }
}

/// The effect of a batch of writes on a remote database, computed before anything is stored.
///
/// A plan is computed for the batch as a whole: if any write is invalid or its precondition doesn't hold, the
/// initializer throws and nothing is to be stored, which makes the batch atomic
/// (`google.firestore.v1.Firestore.Commit`). Later writes of a batch see the result of earlier ones.
///
/// A plan only reads. The caller stores ``transitions`` and returns ``commit``, and must ensure that the
/// documents don't change in between.
package struct CommitPlan: Sendable {
  /// The effect of each write, in the order of the writes. A document that is written twice occurs twice.
  package private(set) var steps: [DocumentTransition] = []
  /// The documents that change, each once, in the order of their first write. Those whose fields are the same
  /// after all writes aren't included, unless they were deleted and created again in between.
  package private(set) var transitions: [DocumentTransition] = []
  /// The response to the batch: the commit time, and for each write its update time and transform results.
  package private(set) var commit: RemoteCommit

  /// The maximum number of field transforms per document in one batch, 500 as documented for Firestore.
  package static let maximumTransforms = 500
  /// The maximum size of a batch, 10 MiB. It is the sum of the sizes of the documents that the batch sets or
  /// updates, as computed by `Fields.documentSize(at:)`; deletions count 0.
  package static let maximumSize = 10 * 1_048_576

  /// Computes the effect of a batch.
  ///
  /// A batch that doesn't change a document's fields keeps the document's update time, which is also that of
  /// the results of its writes, as in Firestore: all writes of a batch to a document have one update time.
  /// Fields are compared by identity: replacing 1 by 1.0 is a change.
  ///
  /// - Parameters:
  ///   - writes: the writes, in the order in which they are applied. The same document may occur more than
  ///     once, and there may be none.
  ///   - commitTime: the commit time, which becomes the update time of the changed documents. It must be
  ///     later than that of every earlier commit.
  ///   - read: returns the current state of a document, `nil` if it doesn't exist. It is called at most once
  ///     per document, in the order of their first writes, and not at all if the batch exceeds a limit.
  ///   - prefix: the text before the paths of documents in errors, by default none.
  ///   - authorize: throws an error if the batch isn't allowed: the effect of each write, and the documents
  ///     after all of them. It is called before anything is thrown that depends on the documents, so that it
  ///     decides whether the caller learns it. If a precondition doesn't hold, the effect is the one that the
  ///     write would have without it, and for a document that must not exist, if it didn't; if the result is
  ///     invalid, the transforms are left out.
  /// - Throws: ``StoreRemoteError``: `invalidArgument` if a write is invalid or the batch exceeds a limit;
  ///   `notFound`, `alreadyExists` or `failedPrecondition` if a precondition doesn't hold. Errors of `read`
  ///   and `authorize` are rethrown.
  package init(
    _ writes: [DocumentWrite], at commitTime: Timestamp, namePrefix prefix: String = "",
    reading read: (ResourcePath) throws -> RemoteDocument?,
    authorizing authorize: ([DocumentTransition], [ResourcePath: RemoteDocument]) throws -> Void = { _, _ in }
  ) throws {
    commit = RemoteCommit(time: commitTime, results: [])
    try Self.checkSizes(of: writes)
    try Self.checkVerifications(in: writes)
    var before: [ResourcePath: RemoteDocument?] = [:]
    var after: [ResourcePath: RemoteDocument] = [:]
    var paths: [ResourcePath] = []
    var failure: StoreRemoteError?
    for write in writes { try Self.checked { () throws(DocumentError) in try write.check() } }
    for write in writes {
      let path = write.document
      if before[path] == nil {
        before[path] = .some(try read(path))
        paths.append(path)
      }
      let present = after[path] ?? before[path] ?? nil
      var existing = present?.fields == nil ? nil : present
      // Nothing is thrown that depends on a document, until the whole batch has been authorized.
      do throws(StoreRemoteError) {
        let isDeleted = after[path].map { $0.fields == nil } ?? false
        try Self.check(write, existing, isDeleted: isDeleted, prefix)
      } catch { failure = failure ?? error }
      guard !write.isVerification else {
        let state =
          existing ?? RemoteDocument(path: path, fields: nil, updateTime: commitTime)
        steps.append(DocumentTransition(path: path, before: existing, after: state))
        commit.results.append(RemoteCommit.Result())
        continue
      }
      if write.precondition == .exists(false) { existing = nil }
      let outcome: (fields: Fields?, transformResults: [Value])
      do throws(StoreRemoteError) {
        outcome = try Self.checked { () throws(DocumentError) in
          try write.outcome(on: existing?.fields, at: commitTime)
        }
      } catch {
        failure = failure ?? error
        outcome = (write.contents(on: existing?.fields), [])
      }
      var result = RemoteDocument(
        path: path, fields: outcome.fields, createTime: existing?.createTime ?? commitTime,
        updateTime: commitTime)
      if outcome.fields == nil { result.createTime = nil }
      // A write without effect keeps the update time.
      if let existing, existing.fields == outcome.fields { result.updateTime = existing.updateTime }
      after[path] = result
      steps.append(DocumentTransition(path: path, before: existing, after: result))
      commit.results.append(RemoteCommit.Result(transformResults: outcome.transformResults))
    }
    try authorize(steps, after)
    if let failure { throw failure }
    var kept: [ResourcePath: Timestamp] = [:]
    for path in paths {
      guard let after = after[path] else { continue }
      let before = before[path] ?? nil
      // A document that was created again has a new creation time.
      if before?.fields == after.fields, before?.createTime == after.createTime {
        if let before, before.fields != nil { kept[path] = before.updateTime }
      } else {
        transitions.append(DocumentTransition(path: path, before: before, after: after))
      }
    }
    for (index, write) in writes.enumerated() { commit.results[index].updateTime = kept[write.document] }
  }

  /// Checks the precondition of a write, with the errors of Firestore's server.
  ///
  /// - Parameters:
  ///   - write: the write; without a precondition, nothing is checked.
  ///   - existing: the document as left by the earlier writes of the batch; `nil` if it doesn't exist.
  ///   - isDeleted: whether an earlier write of the batch has deleted it.
  ///   - prefix: the text before the path in the error.
  /// - Throws: ``StoreRemoteError``: `notFound` if the document must exist, `alreadyExists` if it must not,
  ///   and `failedPrecondition` if it has another update time than required or doesn't exist;
  ///   `invalidArgument` if the required time is later than that of the document, or if the batch itself has
  ///   deleted a document that must exist.
  private static func check(
    _ write: DocumentWrite, _ existing: RemoteDocument?, isDeleted: Bool, _ prefix: String
  ) throws(StoreRemoteError) {
    let name = prefix + write.document.text
    switch write.precondition {
    case .exists(true) where existing == nil && isDeleted && write.operation != .delete:
      throw StoreRemoteError(
        .invalidArgument, "Cannot delete then update an entity in the same request: \(name)")
    case .exists(true) where existing == nil:
      throw StoreRemoteError(.notFound, "No document to update: \(name)")
    case .exists(false) where existing != nil:
      throw StoreRemoteError(.alreadyExists, "Document already exists: \(name)")
    case .updated(let time) where existing.map { $0.updateTime.compare(time) < 0 } ?? false:
      throw StoreRemoteError(
        .invalidArgument, "The required update time is later than that of the document: \(name)")
    case .updated(let time) where existing?.updateTime != time:
      throw StoreRemoteError(
        .failedPrecondition,
        "the stored version (\(existing?.updateTime.microsecondsSince1970 ?? 0)) does not match the required base version "
          + "(\(time.microsecondsSince1970)): \(name)")
    default: break
    }
  }

  /// Checks that a document that is verified occurs once in the batch.
  ///
  /// - Throws: ``StoreRemoteError`` with `invalidArgument`.
  private static func checkVerifications(in writes: [DocumentWrite]) throws(StoreRemoteError) {
    guard writes.contains(where: \.isVerification) else { return }
    var verified: Set<ResourcePath> = []
    var written: Set<ResourcePath> = []
    for write in writes {
      let isNew = write.isVerification ? verified.insert(write.document).inserted : true
      if !write.isVerification { written.insert(write.document) }
      guard isNew, !written.contains(write.document) || !verified.contains(write.document) else {
        throw StoreRemoteError(
          .invalidArgument,
          "The document \(write.document.text) is verified and occurs once more in the same request.")
      }
    }
  }

  /// Checks the limits of a batch: ``maximumTransforms`` per document and ``maximumSize`` in total.
  ///
  /// The number of writes isn't limited. A document that is written twice counts twice toward the size; an
  /// update counts the fields in the write, not the document that results.
  ///
  /// - Throws: ``StoreRemoteError`` with `invalidArgument`.
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

  /// Calls a function and converts its ``DocumentError`` to a ``StoreRemoteError`` with `invalidArgument`.
  ///
  /// The original error becomes its ``StoreRemoteError/underlying`` error.
  private static func checked<Result>(
    _ body: () throws(DocumentError) -> Result
  ) throws(StoreRemoteError) -> Result {
    do { return try body() } catch {
      throw StoreRemoteError(.invalidArgument, error.message, underlying: error)
    }
  }
}
