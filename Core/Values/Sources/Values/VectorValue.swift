/// A vector, as a plain Swift value: what a field of this type is in untyped data, and a property of
/// `Codable` types whose field is a vector.
///
/// A property of type `[Double]` is decoded from a vector as well, but written as an array.
public struct VectorValue: Sendable, Hashable, Codable {
  /// The components, at most 2,048 of them in a field.
  public let array: [Double]

  /// Creates a vector. The number of components is checked when it is written.
  public init(_ array: [Double]) { self.array = array }

  /// Decodes the components from an array. ``FieldsDecoder`` requires a vector instead, and doesn't call
  /// this.
  ///
  /// - Throws: `DecodingError`.
  public init(from decoder: any Decoder) throws { array = try [Double](from: decoder) }

  /// Encodes the components as an array. ``FieldsEncoder`` stores a vector instead, and doesn't call this.
  ///
  /// - Throws: `EncodingError`.
  public func encode(to encoder: any Encoder) throws { try array.encode(to: encoder) }
}
