public import TenonValues

/// The state of a document at one time: a ``DocumentSnapshot``, or a ``QueryDocumentSnapshot`` from the
/// result of a query. Methods that take a document, for example ``QuerySource/start(afterDocument:)``, take
/// both.
public protocol DocumentSnapshotConvertible: Sendable, CustomStringConvertible {
  /// The state as that of a document that may not exist.
  var documentSnapshot: DocumentSnapshot { get }
}

extension DocumentSnapshotConvertible {
  /// The reference to the document.
  public var reference: DocumentReference { documentSnapshot.reference }
  /// The document's ID.
  public var documentID: String { documentSnapshot.reference.documentID }
  /// Whether the document exists.
  public var exists: Bool { documentSnapshot.fields != nil }
  /// The time at which the document was created; `nil` if it doesn't exist or the remote hasn't reported the
  /// time.
  public var createTime: Timestamp? { documentSnapshot.createTime }
  /// The time at which the document was last updated; `nil` if it doesn't exist or the remote hasn't reported
  /// the time.
  public var updateTime: Timestamp? { documentSnapshot.updateTime }
  /// The relation of the snapshot to the state of the remote.
  public var metadata: SnapshotMetadata { documentSnapshot.metadata }

  /// Returns the document as a `Decodable` value.
  ///
  /// - Parameters:
  ///   - type: the value's type; see ``DocumentID``, ``ServerTimestamp`` and ``ExplicitNull`` for its
  ///     properties.
  ///   - behavior: the values of fields whose server timestamp isn't known yet; estimates, by default.
  /// - Throws: ``StoreError`` with ``StoreError/Code/notFound`` if the document doesn't exist;
  ///   `DecodingError` that names the field.
  public func data<Decoded: Decodable>(
    as type: Decoded.Type, with behavior: ServerTimestampBehavior = .estimate
  ) throws -> Decoded {
    guard let fields = documentSnapshot.fields(with: behavior) else {
      throw StoreError(.notFound, "The document \(reference.path) doesn't exist, so it can't be decoded.")
    }
    return try FieldsDecoder().decode(type, from: fields, of: reference)
  }

  /// Returns the plain Swift value of a field, of a type that ``DocumentSnapshot/data(with:)`` lists; `nil`
  /// if there is no such field.
  ///
  /// ```swift
  /// let title = document.get("title") as? String
  /// let city = document.get("author.city") as? String
  /// ```
  ///
  /// - Parameters:
  ///   - field: the field's name, with dots between the names of maps, or its path.
  ///   - behavior: the value of a field whose server timestamp isn't known yet; an estimate, by default.
  public func get(
    _ field: some FieldPathConvertible, serverTimestampBehavior behavior: ServerTimestampBehavior = .estimate
  ) -> (any Sendable)? {
    value(at: field, behavior)?.plain(in: reference.store)
  }

  /// Returns the value of a field as a `Decodable` type; `nil` if there is no such field.
  ///
  /// Unlike a cast of what ``get(_:serverTimestampBehavior:)`` returns, this converts numbers: an integer is
  /// also a `Double`, and a double without a fraction an `Int`.
  ///
  /// ```swift
  /// let rating = try document.get("rating", as: Double.self)
  /// ```
  ///
  /// - Parameters:
  ///   - field: the field's name, with dots between the names of maps, or its path.
  ///   - type: the type of the value.
  ///   - behavior: the value of a field whose server timestamp isn't known yet; an estimate, by default.
  /// - Throws: `DecodingError` that names the field if its value has another type.
  public func get<Decoded: Decodable>(
    _ field: some FieldPathConvertible, as type: Decoded.Type,
    serverTimestampBehavior behavior: ServerTimestampBehavior = .estimate
  ) throws -> Decoded? {
    guard let value = value(at: field, behavior) else { return nil }
    let path = field.fieldPath.segments.map { FieldKey(stringValue: $0) }
    return try FieldsDecoder().decode(type, from: value, at: path, of: reference)
  }

  /// The plain Swift value of a field; `nil` if there is no such field. See
  /// ``get(_:serverTimestampBehavior:)``.
  public subscript(field: some FieldPathConvertible) -> (any Sendable)? {
    value(at: field, .estimate)?.plain(in: reference.store)
  }

  /// Returns the document to which a field refers; `nil` if the field isn't a reference.
  public func getReference(_ field: some FieldPathConvertible) -> DocumentReference? {
    value(at: field, .estimate)?.referenceValue.map { DocumentReference(store: reference.store, path: $0) }
  }

  /// The document on one line, for example `notes/tea {rating: 5, title: "Tea"}`.
  public var description: String {
    "\(reference.path) \(documentSnapshot.fields?.description ?? "(doesn't exist)")\(metadata.suffix)"
  }

  /// Returns the value of a field; `nil` if there is no such field.
  private func value(
    at field: some FieldPathConvertible, _ behavior: ServerTimestampBehavior
  ) -> TenonValues.Value? {
    documentSnapshot.fields(with: behavior)?[field.fieldPath]
  }
}

/// The name of a field in the path of a decoding error.
private struct FieldKey: CodingKey {
  let stringValue: String
  var intValue: Int? { nil }
  init(stringValue: String) { self.stringValue = stringValue }
  init?(intValue: Int) { nil }
}
