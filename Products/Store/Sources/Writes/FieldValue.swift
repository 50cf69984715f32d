import TenonStoreEngine
import TenonValues

/// A value that is computed when a document is written, or the deletion of a field.
///
/// ```swift
/// try await page.updateData(["views": .increment(1), "seen": .serverTimestamp(), "draft": .delete()])
/// ```
///
/// Where the compiler doesn't know that a ``DocumentValue`` is expected, as in a nested map, write
/// `FieldValue.increment(1)`.
public struct FieldValue: Sendable {
  /// What is written to the field.
  enum Content: Sendable {
    /// A plain value.
    case value(TenonValues.Value)
    /// A map with fields that are computed or deleted.
    case map(DocumentData)
    /// A value that is computed from the present one when the write is applied.
    case transform(FieldTransform.Kind)
    /// The removal of the field.
    case delete
    /// A value that can't be stored, which is thrown when it is written.
    case invalid(DocumentValueError)
  }

  let content: Content

  /// Creates a field value from a document value, for implementations of ``DocumentValue/fieldValue()``.
  ///
  /// - Throws: an error if the value can't be stored.
  public init(_ value: any DocumentValue) throws {
    self = try value.fieldValue()
    if case .invalid(let error) = content { throw error }
  }

  /// Creates a field value from a map, for implementations of ``DocumentValue/fieldValue()``.
  ///
  /// - Throws: an error if a value can't be stored.
  public init(_ map: [String: any DocumentValue]) throws { self = try map.fieldValue() }

  /// Creates a field value from a value.
  init(plain value: TenonValues.Value) { content = .value(value) }

  init(map data: DocumentData) { content = data.isPlain ? .value(.map(data.fields)) : .map(data) }

  /// Creates an integer.
  ///
  /// - Throws: ``DocumentValueError`` if it is outside the range of `Int64`.
  init(integer value: some BinaryInteger) throws {
    guard let integer = Int64(exactly: value) else {
      throw DocumentValueError("has the value \(value), which doesn't fit into a signed 64-bit integer")
    }
    self.init(plain: .integer(integer))
  }

  /// Creates a map from what a value encodes.
  ///
  /// - Throws: ``DocumentError``; `EncodingError`.
  init(encoding value: some Encodable) throws {
    let (fields, serverTimestamps) = try FieldsEncoder().encodeDocument(value)
    guard !serverTimestamps.isEmpty else {
      self.init(plain: .map(fields))
      return
    }
    throw DocumentValueError(
      "has a server timestamp in \"\(serverTimestamps[0])\", which only setData(from:) can set")
  }

  fileprivate init(transform kind: FieldTransform.Kind) { content = .transform(kind) }

  fileprivate init(content: Content) { self.content = content }

  fileprivate init(invalid error: any Error) { content = .invalid(DocumentValueError(converting: error)) }

  /// Creates a transform with array elements. An element that can't be stored makes the field value invalid,
  /// which is thrown when it is written.
  fileprivate init(
    of elements: [any DocumentValue], _ kind: ([TenonValues.Value]) -> FieldTransform.Kind
  ) {
    do { self.init(transform: kind(try elements.fieldValue().inArray().arrayValue ?? [])) } catch {
      self.init(invalid: error)
    }
  }

  /// Creates a transform with an integer. A number outside the range of `Int64` makes the field value
  /// invalid, which is thrown when it is written.
  fileprivate init<Number: BinaryInteger>(
    _ number: Number, _ kind: (TenonValues.Value) -> FieldTransform.Kind
  ) {
    do { self.init(transform: kind(try FieldValue(integer: number).inArray())) } catch {
      self.init(invalid: error)
    }
  }
}

extension FieldValue: DocumentValue {
  /// Returns the field value itself.
  public func fieldValue() throws -> FieldValue {
    if case .invalid(let error) = content { throw error }
    return self
  }
}

extension DocumentValue where Self == FieldValue {
  /// The null value, for example in `whereField("due", isEqualTo: .null)`.
  public static var null: FieldValue { FieldValue(plain: .null) }

  /// Deletes the field. Allowed in `updateData`, and in `setData` with `merge` or `mergeFields`.
  public static func delete() -> FieldValue { FieldValue(content: .delete) }

  /// Sets the field to the time of the commit, with millisecond precision; all fields set by one commit have
  /// the same time.
  public static func serverTimestamp() -> FieldValue { FieldValue(transform: .serverTimestamp) }

  /// Adds an integer to the field's number. Integers saturate at the limits of `Int64`; a field that isn't a
  /// number counts as 0.
  ///
  /// - Parameter number: the number; the write throws a ``StoreError`` with
  ///   ``StoreError/Code/invalidArgument`` if it is outside the range of `Int64`.
  public static func increment(_ number: some BinaryInteger) -> FieldValue {
    FieldValue(number, FieldTransform.Kind.increment)
  }

  /// Adds a number to the field's number; the result is a double. A field that isn't a number counts as 0.
  public static func increment(_ number: some BinaryFloatingPoint) -> FieldValue {
    FieldValue(transform: .increment(.double(Double(number))))
  }

  /// Sets the field to the smaller of its number and this one; to this one if the field isn't a number.
  public static func minimum(_ number: some BinaryInteger) -> FieldValue {
    FieldValue(number, FieldTransform.Kind.minimum)
  }

  /// Sets the field to the smaller of its number and this one; to this one if the field isn't a number.
  public static func minimum(_ number: some BinaryFloatingPoint) -> FieldValue {
    FieldValue(transform: .minimum(.double(Double(number))))
  }

  /// Sets the field to the larger of its number and this one; to this one if the field isn't a number.
  public static func maximum(_ number: some BinaryInteger) -> FieldValue {
    FieldValue(number, FieldTransform.Kind.maximum)
  }

  /// Sets the field to the larger of its number and this one; to this one if the field isn't a number.
  public static func maximum(_ number: some BinaryFloatingPoint) -> FieldValue {
    FieldValue(transform: .maximum(.double(Double(number))))
  }

  /// Appends the elements that the field's array doesn't contain yet, each once. 1 and 1.0 are the same
  /// element. A field that isn't an array counts as empty.
  public static func arrayUnion(_ elements: [any DocumentValue]) -> FieldValue {
    FieldValue(of: elements, FieldTransform.Kind.union)
  }

  /// Removes all occurrences of the elements from the field's array. 1 and 1.0 are the same element. A field
  /// that isn't an array counts as empty.
  public static func arrayRemove(_ elements: [any DocumentValue]) -> FieldValue {
    FieldValue(of: elements, FieldTransform.Kind.remove)
  }

  /// A vector of up to 2,048 dimensions, which `findNearest` searches.
  public static func vector(_ components: [Double]) -> FieldValue { FieldValue(plain: .vector(components)) }
}
