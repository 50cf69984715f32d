public import TenonFoundation
public import TenonValues

extension Bool: DocumentValue {
  /// Returns a boolean.
  public func fieldValue() -> FieldValue { FieldValue(plain: .boolean(self)) }
}

extension String: DocumentValue {
  /// Returns text.
  public func fieldValue() -> FieldValue { FieldValue(plain: .string(self)) }
}

extension Substring: DocumentValue {
  /// Returns text.
  public func fieldValue() -> FieldValue { FieldValue(plain: .string(String(self))) }
}

extension Date: DocumentValue {
  /// Returns a timestamp, rounded down to the microsecond.
  public func fieldValue() -> FieldValue { FieldValue(plain: .timestamp(Timestamp(date: self))) }
}

extension Timestamp: DocumentValue {
  /// Returns a timestamp.
  public func fieldValue() -> FieldValue { FieldValue(plain: .timestamp(self)) }
}

extension Data: DocumentValue {
  /// Returns bytes.
  public func fieldValue() -> FieldValue { FieldValue(plain: .bytes(self)) }
}

extension URL: DocumentValue {
  /// Returns the URL's text.
  public func fieldValue() -> FieldValue { FieldValue(plain: .string(absoluteString)) }
}

extension GeoPoint: DocumentValue {
  /// Returns a point.
  public func fieldValue() -> FieldValue { FieldValue(plain: .geoPoint(self)) }
}

extension VectorValue: DocumentValue {
  /// Returns a vector.
  public func fieldValue() -> FieldValue { FieldValue(plain: .vector(array)) }
}

extension Value: DocumentValue {
  /// Returns the value itself.
  public func fieldValue() -> FieldValue { FieldValue(plain: self) }
}

extension Fields: DocumentValue {
  /// Returns a map.
  public func fieldValue() -> FieldValue { FieldValue(plain: .map(self)) }
}

extension DocumentReference: DocumentValue {
  /// Returns a reference to the document, which must belong to the same database.
  ///
  /// - Throws: ``StoreError`` with ``StoreError/Code/invalidArgument`` if the path isn't that of a document.
  public func fieldValue() throws -> FieldValue { FieldValue(plain: .reference(try checkedPath())) }
}

// MARK: - Numbers

extension DocumentValue where Self: FixedWidthInteger & Encodable {
  /// Returns an integer.
  ///
  /// - Throws: an error if the number is outside the range of `Int64`.
  public func fieldValue() throws -> FieldValue { try FieldValue(integer: self) }
}

extension Int: DocumentValue {}
extension Int8: DocumentValue {}
extension Int16: DocumentValue {}
extension Int32: DocumentValue {}
extension Int64: DocumentValue {}
extension Int128: DocumentValue {}
extension UInt: DocumentValue {}
extension UInt8: DocumentValue {}
extension UInt16: DocumentValue {}
extension UInt32: DocumentValue {}
extension UInt64: DocumentValue {}
extension UInt128: DocumentValue {}

extension DocumentValue where Self: BinaryFloatingPoint & Encodable {
  /// Returns a double.
  public func fieldValue() throws -> FieldValue { FieldValue(plain: .double(Double(self))) }
}

extension Double: DocumentValue {}
extension Float: DocumentValue {}
#if !((os(macOS) || targetEnvironment(macCatalyst)) && arch(x86_64))
  extension Float16: DocumentValue {}
#endif

extension Decimal: DocumentValue {
  /// Returns the nearest double, as `FieldsEncoder` stores a property of this type.
  ///
  /// - Throws: `EncodingError`.
  public func fieldValue() throws -> FieldValue { FieldValue(plain: try storedValue(self)) }
}
