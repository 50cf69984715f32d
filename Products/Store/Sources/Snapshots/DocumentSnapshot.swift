import TenonDocuments
import TenonStoreEngine
public import TenonValues

/// The state of a document at one time.
///
/// A snapshot is a value: it never changes, and can be read on any thread. It includes the pending writes of
/// this device; see ``metadata``.
///
/// ```swift
/// let note = try await store.document("notes/tea").getDocument()
/// let title = note.data()?["title"] as? String ?? "Untitled"
/// ```
///
/// ``data(with:)`` has plain Swift values, ``fields`` the values with their Firestore types, and
/// ``DocumentSnapshotConvertible/data(as:with:)`` decodes a type.
public struct DocumentSnapshot: DocumentSnapshotConvertible {
  /// The reference to the document.
  public let reference: DocumentReference
  /// The fields, with their Firestore types; `nil` if the document doesn't exist. A field whose server
  /// timestamp isn't known yet has an estimate.
  ///
  /// ```swift
  /// let title = document.fields?["title"]?.stringValue ?? "Untitled"
  /// ```
  public let fields: Fields?
  /// The time at which the document was created; `nil` if it doesn't exist or the remote hasn't reported the
  /// time.
  public let createTime: Timestamp?
  /// The time at which the document was last updated; `nil` if it doesn't exist or the remote hasn't reported
  /// the time.
  public let updateTime: Timestamp?
  /// The relation of the snapshot to the state of the remote.
  public let metadata: SnapshotMetadata
  /// The fields whose server timestamps aren't known yet, with their previous values.
  private let pendingTimestamps: [PendingTimestamp]

  /// Creates the snapshot of a document, or of a document that doesn't exist.
  ///
  /// - Parameters:
  ///   - reference: the reference to the document.
  ///   - document: the document as it is stored; `nil` if it doesn't exist.
  ///   - isFromCache: whether the remote hasn't confirmed that the state is current.
  init(reference: DocumentReference, document: StoredDocument?, isFromCache: Bool) {
    self.init(
      reference: reference, fields: document?.fields, createTime: document?.createTime ?? .zero,
      updateTime: document?.updateTime ?? .zero,
      metadata: SnapshotMetadata(flags: document?.flags ?? 0, isFromCache: isFromCache),
      pendingTimestamps: document?.pendingTimestamps ?? [])
  }

  /// Creates the snapshot of a document that was read.
  ///
  /// - Parameters:
  ///   - reference: the reference to the document.
  ///   - fields: the fields with estimated server timestamps; `nil` if the document doesn't exist.
  ///   - createTime: 0 if it isn't known.
  ///   - updateTime: 0 if it isn't known.
  ///   - metadata: the relation to the state of the remote.
  ///   - pendingTimestamps: the fields whose server timestamps aren't known yet.
  init(
    reference: DocumentReference, fields: Fields?, createTime: Timestamp, updateTime: Timestamp,
    metadata: SnapshotMetadata, pendingTimestamps: [PendingTimestamp]
  ) {
    self.reference = reference
    self.fields = fields
    self.createTime = createTime == .zero ? nil : createTime
    self.updateTime = updateTime == .zero ? nil : updateTime
    self.metadata = metadata
    self.pendingTimestamps = pendingTimestamps
  }

  /// The snapshot itself.
  public var documentSnapshot: DocumentSnapshot { self }

  /// Returns the fields, with their Firestore types; `nil` if the document doesn't exist.
  ///
  /// - Parameter behavior: the values of fields whose server timestamp isn't known yet.
  public func fields(with behavior: ServerTimestampBehavior) -> Fields? {
    guard var fields, behavior != .estimate else { return fields }
    for pending in pendingTimestamps {
      fields[pending.field] = behavior == .previous ? pending.previous ?? .null : .null
    }
    return fields
  }

  /// Returns the fields as plain Swift values; `nil` if the document doesn't exist.
  ///
  /// A value is a `Bool`, `Int`, `Double`, `String`, `Timestamp`, `Data`, `GeoPoint`, ``DocumentReference``
  /// or `VectorValue`; an array is `[any Sendable]`, which casts to `[String]` if all its elements are text;
  /// a map is `[String: any Sendable]`. Null is `NSNull`, or an optional that is `nil` on Linux in a program
  /// that doesn't contain the full Foundation: a cast of it to any of the other types is `nil`.
  ///
  /// ```swift
  /// let data = document.data() ?? [:]
  /// let title = data["title"] as? String
  /// let tags = data["tags"] as? [String] ?? []
  /// ```
  ///
  /// - Important: A number is what was written: the integer 4 is an `Int`, and `as? Double` of it is `nil`.
  ///   On Apple's platforms, Firebase's numbers cast to both. For a field that contains integers and doubles,
  ///   use ``DocumentSnapshotConvertible/get(_:as:serverTimestampBehavior:)``,
  ///   `fields?["rating"]?.doubleValue` or a `Codable` type.
  ///
  /// - Parameter behavior: the values of fields whose server timestamp isn't known yet; estimates, by
  ///   default.
  /// - Complexity: O(n) in the size of the document.
  public func data(with behavior: ServerTimestampBehavior = .estimate) -> [String: any Sendable]? {
    fields(with: behavior)?.plain(in: reference.store)
  }
}
