package import TenonDocuments
package import TenonStoreInterop

/// The documents of one database and their history, in memory. ``FakeStoreRemote`` has one for each database.
///
/// See `DocumentHistory` for the contract of the members. The value isn't synchronized; its owner provides
/// the lock. A copy is a snapshot, which queries can read while the original changes.
///
/// The history grows with each change of a document until ``forgetChanges()``, so the memory is proportional
/// to the number of changes, not only of documents.
package struct MemoryDocuments: DocumentHistory {
  /// A change of one document by a commit.
  private struct Change {
    /// The time of the commit.
    let commitTime: Timestamp
    /// The path of the document.
    let path: ResourcePath
    /// The document before the commit; `nil` if it didn't exist.
    let before: RemoteDocument?
  }

  /// The identity of this database, which distinguishes it from any earlier one of the same name.
  package let identity: String
  /// The prefix of the full names of documents, of the project `fake`.
  package let namePrefix: String
  /// The time of the last commit; one second after 1970 before the first.
  package private(set) var commitTime = Timestamp(seconds: 1)
  /// The current documents, by path. A deleted document is absent.
  private var documents: [ResourcePath: RemoteDocument] = [:]
  /// The changes since ``horizon``, in the order of their commits.
  private var changes: [Change] = []
  /// The earliest time from which changes can be reported.
  private var horizon = Timestamp(seconds: 1)

  /// Creates an empty database.
  ///
  /// - Parameters:
  ///   - identity: distinguishes this database from all others. It must not contain a space.
  ///   - name: the name of the database, for ``namePrefix``.
  package init(identity: String, name: String) {
    self.identity = identity
    namePrefix = "projects/fake/databases/\(name)/documents/"
  }

  /// Applies writes atomically, one millisecond after the previous commit.
  ///
  /// - Parameter writes: the writes, in the order in which they are applied.
  /// - Throws: `StoreRemoteError` if a precondition doesn't hold or a write is invalid. The documents and the
  ///   time are then unchanged.
  /// - Returns: the commit time, and the result of each write.
  /// - Complexity: proportional to the size of the writes and of the documents that they change. If the value
  ///   shares its storage with a copy, all entries are copied first: O(*n*) in the number of documents and
  ///   changes.
  package mutating func commit(_ writes: [DocumentWrite]) throws -> RemoteCommit {
    let next = Timestamp(microsecondsSince1970: commitTime.microsecondsSince1970 + 1000)
    let plan = try CommitPlan(writes, at: next) { documents[$0] }
    commitTime = next
    for transition in plan.transitions {
      changes.append(Change(commitTime: next, path: transition.path, before: transition.before))
      documents[transition.path] = transition.after.fields == nil ? nil : transition.after
    }
    return plan.commit
  }

  /// Discards the history, so that no earlier state can be resumed. The current state can.
  package mutating func forgetChanges() {
    changes = []
    horizon = commitTime
  }

  /// Returns the current state of a document, or `nil` if it doesn't exist.
  package func document(_ path: ResourcePath) -> RemoteDocument? { documents[path] }

  /// Calls a closure for each document that matches a query, in an unspecified order. The query's limit is
  /// ignored.
  ///
  /// - Parameters:
  ///   - query: the query. Every document of the database is compared with it.
  ///   - body: the closure. An error that it throws ends the iteration and is rethrown.
  /// - Complexity: O(*n*) in the number of documents of the database.
  package func forEachMatch(of query: ResolvedQuery, _ body: (RemoteDocument) throws -> Void) rethrows {
    for document in documents.values {
      if let fields = document.fields, query.matches(fields, at: document.path) { try body(document) }
    }
  }

  /// Returns one transition for each document changed after a time, from its state at that time to the
  /// current one.
  ///
  /// The history is read backwards. For each document, the last change seen is the earliest after `past`, so
  /// its previous state is the state at `past`. A document that was created and deleted in between has a
  /// transition from `nil` to a deletion.
  ///
  /// - Parameter past: the time of an earlier commit.
  /// - Returns: the transitions, in an unspecified order; `nil` if the history doesn't reach back to `past`,
  ///   or if `past` is later than the last commit.
  /// - Complexity: O(*n*) in the number of changes since `past`.
  package func transitions(since past: Timestamp) -> [DocumentTransition]? {
    guard past.compare(horizon) >= 0, past.compare(commitTime) <= 0 else { return nil }
    var transitions: [ResourcePath: DocumentTransition] = [:]
    for change in changes.reversed() {
      guard change.commitTime.compare(past) > 0 else { break }
      let path = change.path
      let deleted = RemoteDocument(path: path, fields: nil, updateTime: change.commitTime)
      // Later changes come first, so the first one seen has the time of a deletion.
      let after = transitions[path]?.after ?? documents[path] ?? deleted
      transitions[path] = DocumentTransition(path: path, before: change.before, after: after)
    }
    return Array(transitions.values)
  }
}
