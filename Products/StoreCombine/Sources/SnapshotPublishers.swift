#if canImport(Combine) || OpenCombine
  #if canImport(Combine)
    public import Combine
  #else
    public import OpenCombine
  #endif
  public import TenonStore

  extension DocumentReference {
    /// Returns a publisher of the document now, and each time it changes; see ``StreamPublisher`` for demand
    /// and cancelling.
    ///
    /// - Parameters:
    ///   - includeMetadataChanges: whether changes of the metadata alone are published.
    ///   - source: whether the remote is asked for changes.
    ///   - delivery: the thread on which subscribers are called; the main actor, by default.
    /// - Returns: the publisher. It fails with the error that ends a listener, a `StoreError` unless it comes
    ///   from Auth.
    public func snapshotPublisher(
      includeMetadataChanges: Bool = false, source: ListenSource = .default,
      delivery: StreamDelivery = .mainActor
    ) -> AnyPublisher<DocumentSnapshot, any Error> {
      StreamPublisher(
        snapshots(includeMetadataChanges: includeMetadataChanges, source: source), delivery: delivery
      ).eraseToAnyPublisher()
    }

    /// The publishers of the document: `document.combine.snapshotPublisher()`.
    public var combine: CombinePublishers<DocumentReference> { CombinePublishers(base: self) }
  }

  extension Queryable {
    /// Returns a publisher of the documents now, and each time they change; see ``StreamPublisher`` for
    /// demand and cancelling.
    ///
    /// The changes of a snapshot are those since the snapshot that the subscriber received before it.
    ///
    /// - Parameters:
    ///   - includeMetadataChanges: whether changes of the metadata alone are published.
    ///   - source: whether the remote is asked for changes.
    ///   - delivery: the thread on which subscribers are called; the main actor, by default.
    /// - Returns: the publisher. It fails with the error that ends a listener, a `StoreError` unless it comes
    ///   from Auth.
    public func snapshotPublisher(
      includeMetadataChanges: Bool = false, source: ListenSource = .default,
      delivery: StreamDelivery = .mainActor
    ) -> AnyPublisher<QuerySnapshot, any Error> {
      let query = query
      return StreamPublisher(
        query.snapshots(includeMetadataChanges: includeMetadataChanges, source: source), delivery: delivery
      ).eraseToAnyPublisher()
    }

    /// The publishers of the query: `query.combine.snapshotPublisher()`.
    public var combine: CombinePublishers<Query> { CombinePublishers(base: query) }
  }

  /// The publishers of a document or a query, in a separate namespace.
  public struct CombinePublishers<Base: Sendable>: Sendable {
    fileprivate let base: Base
  }

  extension CombinePublishers<DocumentReference> {
    /// Returns a publisher of the document; see
    /// `DocumentReference.snapshotPublisher(includeMetadataChanges:source:delivery:)`.
    public func snapshotPublisher(
      includeMetadataChanges: Bool = false, source: ListenSource = .default,
      delivery: StreamDelivery = .mainActor
    ) -> AnyPublisher<DocumentSnapshot, any Error> {
      base.snapshotPublisher(
        includeMetadataChanges: includeMetadataChanges, source: source, delivery: delivery)
    }
  }

  extension CombinePublishers<Query> {
    /// Returns a publisher of the documents; see
    /// `Queryable.snapshotPublisher(includeMetadataChanges:source:delivery:)`.
    public func snapshotPublisher(
      includeMetadataChanges: Bool = false, source: ListenSource = .default,
      delivery: StreamDelivery = .mainActor
    ) -> AnyPublisher<QuerySnapshot, any Error> {
      base.snapshotPublisher(
        includeMetadataChanges: includeMetadataChanges, source: source, delivery: delivery)
    }
  }
#endif
