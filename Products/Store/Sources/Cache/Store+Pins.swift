import TenonDocuments
import TenonStoreEngine
import TenonValues

extension Store {
  /// A document or a query that garbage collection keeps.
  public enum Pin: Sendable, CustomStringConvertible {
    /// A document.
    case document(DocumentReference)
    /// The documents of a query.
    case query(Query)

    /// The path of the document or the query on one line.
    public var description: String {
      switch self {
      case .document(let document): document.path
      case .query(let query): query.description
      }
    }
  }

  /// Returns the documents and queries that are pinned, in the order in which they were; see
  /// ``QuerySource/pin()``.
  ///
  /// - Throws: ``StoreError``.
  public func pins() async throws -> [Pin] {
    try await engine.pins().map { subject in
      switch subject {
      case .document(let path): .document(DocumentReference(store: self, path: path))
      case .query(let query):
        .query(Query(store: self, structure: query.order.query, isLimitedToLast: query.isReversed))
      }
    }
  }
}

extension QuerySource {
  /// Protects the documents of the query from garbage collection, until ``unpin()`` is called.
  ///
  /// ```swift
  /// let newest = store.collection("messages").order(by: "sent", descending: true).limit(to: 100)
  /// try await newest.pin()
  /// _ = try await newest.getDocuments()
  /// ```
  ///
  /// A pin downloads nothing: it keeps what listeners and reads have received or will receive. It keeps the
  /// documents on this device that belong to the query's result, within its limit, as the result changes; and
  /// what the remote has last sent for the query, so that a listener or read receives only the changes since
  /// then. Pins are stored with the database. They survive restarts, and apply to all of its processes and
  /// users, with either setting of ``StoreSettings/garbageCollection``. With
  /// ``StoreSettings/GarbageCollection/eager``, a document that others displace from a result with a limit is
  /// deleted when other documents are next released, or when the query is unpinned.
  ///
  /// Pinning a query that is pinned has no effect. Neither does a pin as long as nothing is collected: in a
  /// local-only database, and for collections that exist only on this device. A document that the remote or
  /// the app deletes is deleted.
  ///
  /// - Throws: ``StoreError`` with ``StoreError/Code/invalidArgument`` if the query breaks a rule, and with
  ///   ``StoreError/Code/resourceExhausted`` if there are 1,000 pins already.
  /// - Complexity: O(n) in the number of pins. Each garbage collection runs the pinned queries that have a
  ///   limit.
  public func pin() async throws {
    let query = query
    let subject = PinSubject.query(try query.runnable(isSent: false))
    try await query.store.engine.pin(subject)
  }

  /// Removes a pin, so that the documents are collected like others from now on; no effect if the query isn't
  /// pinned.
  ///
  /// Nothing is deleted by this, unless ``StoreSettings/garbageCollection`` is
  /// ``StoreSettings/GarbageCollection/eager`` and nothing else uses the documents.
  ///
  /// - Throws: ``StoreError`` with ``StoreError/Code/invalidArgument`` if the query breaks a rule.
  public func unpin() async throws {
    let query = query
    let subject = PinSubject.query(try query.runnable(isSent: false))
    try await query.store.engine.unpin(subject)
  }
}

extension DocumentReference {
  /// Protects the document from garbage collection, until ``unpin()`` is called; it may be unknown on this
  /// device. The rules are those of ``QuerySource/pin()``.
  ///
  /// - Throws: ``StoreError`` with ``StoreError/Code/invalidArgument`` if the path is invalid, and with
  ///   ``StoreError/Code/resourceExhausted`` if there are 1,000 pins already.
  public func pin() async throws {
    let subject = PinSubject.document(try checkedPath())
    try await store.engine.pin(subject)
  }

  /// Removes a pin; no effect if the document isn't pinned. See ``QuerySource/unpin()``.
  ///
  /// - Throws: ``StoreError`` with ``StoreError/Code/invalidArgument`` if the path is invalid.
  public func unpin() async throws {
    let subject = PinSubject.document(try checkedPath())
    try await store.engine.unpin(subject)
  }
}
