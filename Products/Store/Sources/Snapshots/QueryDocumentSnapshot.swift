public import TenonValues

/// The state of a document in the result of a query. It exists, so its data isn't optional.
///
/// ```swift
/// for note in try await store.collection("notes").getDocuments().documents {
///   print(note.documentID, note.data()["title"] as? String ?? "Untitled")
/// }
/// ```
public struct QueryDocumentSnapshot: DocumentSnapshotConvertible {
  /// The snapshot as one of a document that may not exist.
  public let documentSnapshot: DocumentSnapshot

  /// Creates the snapshot from one of a document that may not exist; returns `nil` if it doesn't.
  public init?(_ snapshot: DocumentSnapshot) {
    guard snapshot.exists else { return nil }
    documentSnapshot = snapshot
  }

  /// Creates the snapshot of a document that exists.
  init(existing snapshot: DocumentSnapshot) { documentSnapshot = snapshot }

  /// The fields, with their Firestore types; see ``DocumentSnapshot/fields``.
  public var fields: Fields { documentSnapshot.fields ?? [:] }

  /// Returns the fields, with their Firestore types.
  ///
  /// - Parameter behavior: the values of fields whose server timestamp isn't known yet.
  public func fields(with behavior: ServerTimestampBehavior) -> Fields {
    documentSnapshot.fields(with: behavior) ?? [:]
  }

  /// Returns the fields as plain Swift values; see ``DocumentSnapshot/data(with:)``.
  ///
  /// - Parameter behavior: the values of fields whose server timestamp isn't known yet; estimates, by
  ///   default.
  public func data(with behavior: ServerTimestampBehavior = .estimate) -> [String: any Sendable] {
    documentSnapshot.data(with: behavior) ?? [:]
  }
}
