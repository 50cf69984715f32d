import TenonDocuments
import TenonValues

/// A type that a document's ID or reference can be converted to, for ``DocumentID``: `String` and
/// ``DocumentReference``.
public protocol DocumentIDWrappable {
  /// Returns the value for a document.
  ///
  /// - Parameter reference: the document that is being decoded.
  /// - Throws: any error; decoding the document then throws it.
  static func wrap(_ reference: DocumentReference) throws -> Self
}

extension String: DocumentIDWrappable {
  /// Returns the document's ID.
  public static func wrap(_ reference: DocumentReference) -> String { reference.documentID }
}

extension DocumentReference: DocumentIDWrappable {
  /// Returns the reference itself.
  public static func wrap(_ reference: DocumentReference) -> DocumentReference { reference }
}

/// A property of a `Codable` type that is set to the document's ID or reference when the document is read.
///
/// ```swift
/// struct Note: Codable {
///   @DocumentID var id: String?
///   var title: String
/// }
/// try await store.document("notes/tea").setData(from: Note(title: "Tea"))
/// let note = try await store.document("notes/tea").getDocument(as: Note.self)
/// note.id  // → "tea"
/// ```
///
/// The property isn't written: `setData(from:)` ignores its value. Reading a document that has a field of the
/// property's name is an error.
///
/// In other formats, such as JSON and property lists, the property is encoded and decoded with its value, so
/// that a model can be sent to a server or kept in a file together with its ID. A reference is encoded as its
/// path, and can't be decoded, because a path has no database.
///
/// In a type that is nested in the document, also as an element of an array, the property is treated in the
/// same way: it isn't written, and it is set to the ID of the document that contains the value. A
/// `DocumentID` that is itself an element of an array can't be written: `setData(from:)` throws an error that
/// names the field.
@propertyWrapper
public struct DocumentID<Value: DocumentIDWrappable> {
  /// The ID or the reference; `nil` in a value that wasn't read from a document.
  public var wrappedValue: Value?

  /// Creates the property.
  public init(wrappedValue: Value?) { self.wrappedValue = wrappedValue }
}

extension DocumentID: Codable {
  /// Decodes the ID from another format than documents, such as JSON.
  ///
  /// - Throws: `DecodingError` if the value isn't an ID; in a document always, because it has a field of the
  ///   property's name.
  public init(from decoder: any Decoder) throws {
    func failure(_ text: String) -> DecodingError {
      .dataCorrupted(.init(codingPath: decoder.codingPath, debugDescription: text))
    }
    guard decoder.userInfo[.document] == nil else {
      let name = decoder.codingPath.last?.stringValue ?? ""
      throw failure(
        "the document has a field \"\(name)\", the name of a @DocumentID property; rename one of them")
    }
    let container = try decoder.singleValueContainer()
    if container.decodeNil() {
      wrappedValue = nil
    } else if let type = Value.self as? any Decodable.Type, Value.self != DocumentReference.self {
      wrappedValue = try container.decode(type) as? Value
    } else {
      throw failure("a @DocumentID property of the type \(Value.self) can only be decoded from a document")
    }
  }

  /// Omits the property from a document. In other formats, such as JSON, the ID is encoded; a reference as
  /// its path.
  ///
  /// - Throws: `EncodingError` if the ID is of a type that isn't `Encodable`; errors of the encoder.
  public func encode(to encoder: any Encoder) throws {
    if let encoder = encoder as? any FieldEncoder { return encoder.omit() }
    var container = encoder.singleValueContainer()
    switch wrappedValue {
    case nil: try container.encodeNil()
    case let reference as DocumentReference: try container.encode(reference.path)
    case let value as any Encodable: try container.encode(value)
    case let value?:
      throw EncodingError.invalidValue(
        value,
        .init(
          codingPath: encoder.codingPath,
          debugDescription: "a @DocumentID property of the type \(Value.self) isn't Encodable"))
    }
  }
}

// The compiler's implementations of `Codable` prefer these methods, because their types are more specific.

extension KeyedEncodingContainer {
  /// Encodes a `@DocumentID` property; one that is `nil` is omitted, as other optional properties are.
  public mutating func encode<Value>(_ value: DocumentID<Value>, forKey key: Key) throws {
    guard value.wrappedValue != nil else { return }
    try encodeProperty(value, forKey: key)
  }

  /// Encodes a value with the method for all types.
  private mutating func encodeProperty(_ value: some Encodable, forKey key: Key) throws {
    try encode(value, forKey: key)
  }
}

extension KeyedDecodingContainer {
  /// Decodes a `@DocumentID` property, which is `nil` in JSON without it.
  public func decode<Value>(_ type: DocumentID<Value>.Type, forKey key: Key) throws -> DocumentID<Value> {
    do { return try decodeProperty(type, forKey: key) } catch DecodingError.keyNotFound {
      return DocumentID(wrappedValue: nil)
    }
  }

  /// Decodes a value with the method for all types.
  private func decodeProperty<Decoded: Decodable>(_ type: Decoded.Type, forKey key: Key) throws -> Decoded {
    try decode(type, forKey: key)
  }
}

extension DocumentID: FieldlessDecodable {
  /// Creates the property from the document that is decoded.
  package init(fieldless userInfo: [CodingUserInfoKey: Any]) throws {
    wrappedValue = try (userInfo[.document] as? DocumentReference).map(Value.wrap)
  }
}

extension DocumentID: Equatable where Value: Equatable {}
extension DocumentID: Hashable where Value: Hashable {}
extension DocumentID: Sendable where Value: Sendable {}
