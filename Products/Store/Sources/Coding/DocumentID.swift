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
  /// Always throws: the document has a field of the property's name, or the decoder doesn't read documents.
  ///
  /// - Throws: `DecodingError`.
  public init(from decoder: any Decoder) throws {
    let name = decoder.codingPath.last?.stringValue ?? ""
    let text =
      decoder.userInfo[.document] == nil
      ? "a @DocumentID property can only be decoded with DocumentSnapshot.data(as:)"
      : "the document has a field \"\(name)\", the name of a @DocumentID property; rename one of them"
    throw DecodingError.dataCorrupted(.init(codingPath: decoder.codingPath, debugDescription: text))
  }

  /// Omits the property.
  ///
  /// - Throws: `EncodingError` for encoders other than that of `setData(from:)`.
  public func encode(to encoder: any Encoder) throws {
    guard let encoder = encoder as? any FieldEncoder else {
      throw EncodingError.invalidValue(
        self,
        .init(
          codingPath: encoder.codingPath,
          debugDescription: "a @DocumentID property can only be encoded with setData(from:)"))
    }
    encoder.omit()
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
