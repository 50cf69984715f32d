public import TenonValues

/// Something that collects writes to documents: a ``WriteBatch`` or a ``Transaction``.
///
/// ``DocumentReference`` offers the same operations for a single document.
public protocol DocumentWriting: AnyObject {
  /// Adds a write to a document.
  ///
  /// - Parameters:
  ///   - write: the write; its document is `document`.
  ///   - document: the document, which must belong to the collector's database.
  /// - Throws: ``StoreError`` if the document belongs to another database, or no writes can be added any
  ///   more.
  func add(_ write: DocumentWrite, to document: DocumentReference) throws
}

extension DocumentWriting {
  /// Sets the fields of a document; see ``DocumentReference/setData(_:merge:)-([String:DocumentValue],_)``.
  ///
  /// - Throws: ``StoreError`` if a path or a value is invalid, the document belongs to another database, or
  ///   no writes can be added any more.
  @discardableResult
  public func setData(
    _ data: [String: any DocumentValue], forDocument document: DocumentReference, merge: Bool = false
  ) throws -> Self {
    try add(.setting(document.checkedPath(), DocumentData(data), merge: merge), document)
  }

  /// Sets the fields of a document; see ``DocumentReference/setData(_:merge:)-(Fields,_)``.
  ///
  /// - Throws: as ``setData(_:forDocument:merge:)-([String:DocumentValue],_,_)``.
  @discardableResult @_disfavoredOverload
  public func setData(
    _ fields: Fields, forDocument document: DocumentReference, merge: Bool = false
  ) throws -> Self {
    try add(.setting(document.checkedPath(), DocumentData(fields), merge: merge), document)
  }

  /// Sets some fields of a document; see
  /// ``DocumentReference/setData(_:mergeFields:)-([String:DocumentValue],_)``.
  ///
  /// - Throws: as ``setData(_:forDocument:merge:)-([String:DocumentValue],_,_)``.
  @discardableResult
  public func setData(
    _ data: [String: any DocumentValue], forDocument document: DocumentReference,
    mergeFields fields: [any FieldPathConvertible]
  ) throws -> Self {
    try add(.merging(document.checkedPath(), DocumentData(data), fields: fields.map(\.fieldPath)), document)
  }

  /// Sets some fields of a document; see ``DocumentReference/setData(_:mergeFields:)-(Fields,_)``.
  ///
  /// - Throws: as ``setData(_:forDocument:merge:)-([String:DocumentValue],_,_)``.
  @discardableResult @_disfavoredOverload
  public func setData(
    _ data: Fields, forDocument document: DocumentReference, mergeFields fields: [any FieldPathConvertible]
  ) throws -> Self {
    try add(.merging(document.checkedPath(), DocumentData(data), fields: fields.map(\.fieldPath)), document)
  }

  /// Sets the fields of a document to those that a value encodes; see
  /// ``DocumentReference/setData(from:merge:)``.
  ///
  /// - Throws: as ``setData(_:forDocument:merge:)-([String:DocumentValue],_,_)``; `EncodingError`.
  @discardableResult
  public func setData(
    from value: some Encodable, forDocument document: DocumentReference, merge: Bool = false
  ) throws -> Self {
    try add(.setting(document.checkedPath(), DocumentData(encoding: value), merge: merge), document)
  }

  /// Sets some fields of a document to those that a value encodes; see
  /// ``DocumentReference/setData(from:mergeFields:)``.
  ///
  /// - Throws: as ``setData(_:forDocument:merge:)-([String:DocumentValue],_,_)``; `EncodingError`.
  @discardableResult
  public func setData(
    from value: some Encodable, forDocument document: DocumentReference,
    mergeFields fields: [any FieldPathConvertible]
  ) throws -> Self {
    try add(
      .merging(document.checkedPath(), DocumentData(encoding: value), fields: fields.map(\.fieldPath)),
      document)
  }

  /// Creates a document, which must not exist when the writes are applied; see
  /// ``DocumentReference/create(_:)-([String:DocumentValue])``.
  ///
  /// - Throws: as ``setData(_:forDocument:merge:)-([String:DocumentValue],_,_)``.
  @discardableResult
  public func create(
    _ data: [String: any DocumentValue], forDocument document: DocumentReference
  ) throws -> Self {
    try add(.setting(document.checkedPath(), DocumentData(data), precondition: .exists(false)), document)
  }

  /// Creates a document, which must not exist when the writes are applied; see
  /// ``DocumentReference/create(_:)-(Fields)``.
  ///
  /// - Throws: as ``setData(_:forDocument:merge:)-([String:DocumentValue],_,_)``.
  @discardableResult @_disfavoredOverload
  public func create(_ fields: Fields, forDocument document: DocumentReference) throws -> Self {
    try add(.setting(document.checkedPath(), DocumentData(fields), precondition: .exists(false)), document)
  }

  /// Creates a document from a value, which must not exist when the writes are applied; see
  /// ``DocumentReference/create(from:)``.
  ///
  /// - Throws: as ``setData(_:forDocument:merge:)-([String:DocumentValue],_,_)``; `EncodingError`.
  @discardableResult
  public func create(from value: some Encodable, forDocument document: DocumentReference) throws -> Self {
    try add(
      .setting(document.checkedPath(), DocumentData(encoding: value), precondition: .exists(false)), document)
  }

  /// Changes fields of a document, which must exist when the writes are applied; see
  /// ``DocumentReference/updateData(_:if:)``.
  ///
  /// - Throws: as ``setData(_:forDocument:merge:)-([String:DocumentValue],_,_)``.
  @discardableResult
  public func updateData<Field: FieldPathConvertible & Hashable>(
    _ fields: [Field: any DocumentValue], forDocument document: DocumentReference,
    if precondition: WritePrecondition = .exists(true)
  ) throws -> Self {
    try add(.updating(document.checkedPath(), fields, precondition: precondition), document)
  }

  /// Deletes a document; see ``DocumentReference/delete(if:)``.
  ///
  /// - Throws: ``StoreError`` if the path is invalid, the document belongs to another database, or no writes
  ///   can be added any more.
  @discardableResult
  public func deleteDocument(
    _ document: DocumentReference, if precondition: WritePrecondition? = nil
  ) throws -> Self {
    try add(DocumentWrite(document.checkedPath(), .delete, precondition: precondition), document)
  }

  /// Adds a write, and returns the collector for chaining.
  private func add(_ write: DocumentWrite, _ document: DocumentReference) throws -> Self {
    try add(write, to: document)
    return self
  }
}

// MARK: - Untyped dictionaries

// Without these, the compiler has no better message for a dictionary of type [String: Any] than that it
// failed to produce one.

extension DocumentWriting {
  /// Unavailable; declared so that the compiler explains how to convert dictionaries of type `[String: Any]`.
  @available(
    *, unavailable,
    message:
      "a value of the dictionary isn't a DocumentValue; declare the dictionary as [String: any DocumentValue], adopt DocumentValue in your type, or use try [String: any DocumentValue](checking: untyped)"
  )
  @discardableResult @_disfavoredOverload
  public func setData(
    _ data: [String: Any], forDocument document: DocumentReference, merge: Bool = false
  ) throws -> Self { self }

  /// Unavailable; declared so that the compiler explains how to convert dictionaries of type `[String: Any]`.
  @available(
    *, unavailable,
    message:
      "a value of the dictionary isn't a DocumentValue; declare the dictionary as [String: any DocumentValue], adopt DocumentValue in your type, or use try [String: any DocumentValue](checking: untyped)"
  )
  @discardableResult @_disfavoredOverload
  public func updateData(_ fields: [String: Any], forDocument document: DocumentReference) throws -> Self {
    self
  }
}
