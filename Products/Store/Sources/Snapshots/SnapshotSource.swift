import TenonStoreEngine

/// What can be listened to: a document, a collection or a query, with or without the type of its documents.
public protocol SnapshotSource<Snapshot>: Sendable {
  /// What a listener receives, for example a ``DocumentSnapshot``.
  associatedtype Snapshot: Sendable

  /// Returns a stream of the present state, and of the state after each change.
  ///
  /// - Parameters:
  ///   - includeMetadataChanges: whether changes of the metadata alone are delivered.
  ///   - source: whether the remote is asked for changes.
  func snapshots(
    includeMetadataChanges: Bool, source: ListenSource
  ) -> AsyncThrowingStream<Snapshot, any Error>
}

extension SnapshotSource {
  /// The present state, and the state after each change; see ``snapshots(includeMetadataChanges:source:)``.
  public var snapshots: AsyncThrowingStream<Snapshot, any Error> {
    snapshots(includeMetadataChanges: false, source: .default)
  }

  /// Calls a closure on the main actor, as Firebase does, with the present state and after each change; see
  /// ``snapshots(includeMetadataChanges:source:)``.
  ///
  /// ```swift
  /// let registration = page.addSnapshotListener { snapshot, error in
  ///   guard let snapshot else { return print(error ?? "") }
  ///   print(snapshot)
  /// }
  /// ```
  ///
  /// - Parameters:
  ///   - includeMetadataChanges: whether changes of the metadata alone are delivered.
  ///   - source: whether the remote is asked for changes.
  ///   - listener: called with one snapshot after the other, and finally with `nil` and an error if there is
  ///     one. See ``ListenerRegistration`` about processes whose main actor is blocked.
  /// - Returns: the registration, which ends the listener. The listener stays registered if it is dropped.
  @discardableResult
  public func addSnapshotListener(
    includeMetadataChanges: Bool = false, source: ListenSource = .default,
    _ listener: @escaping @MainActor @Sendable (Snapshot?, (any Error)?) -> Void
  ) -> ListenerRegistration {
    ListenerRegistration(
      snapshots(includeMetadataChanges: includeMetadataChanges, source: source), listener)
  }

  /// Calls a closure on the main actor with the present state and after each change, as the method whose
  /// closure takes a snapshot and an error.
  ///
  /// - Parameters:
  ///   - includeMetadataChanges: whether changes of the metadata alone are delivered.
  ///   - source: whether the remote is asked for changes.
  ///   - listener: called with one snapshot after the other, and finally with an error if there is one.
  /// - Returns: the registration, which ends the listener. The listener stays registered if it is dropped.
  @discardableResult
  public func addSnapshotListener(
    includeMetadataChanges: Bool = false, source: ListenSource = .default,
    _ listener: @escaping @MainActor @Sendable (Result<Snapshot, any Error>) -> Void
  ) -> ListenerRegistration {
    ListenerRegistration(
      snapshots(includeMetadataChanges: includeMetadataChanges, source: source), listener)
  }
}
