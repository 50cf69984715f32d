package import TenonFoundation

extension JSON {
  /// The form of dates in JSON, for which there is no standard.
  package enum DateCoding: Sendable {
    /// Dates decode themselves, from a number of seconds since 2001. `JSONEncoder` writes them so by default.
    case secondsSince2001
    /// Dates are strings. The function returns the date of a string, or `nil` for a string that isn't one;
    /// the text says in one sentence which strings are dates.
    case text(@Sendable (String) -> Date?, String)
  }

  /// Decodes a value of a `Decodable` type.
  ///
  /// The tree of the value is decoded as it is: it isn't written as text and parsed again, and a part of type
  /// `JSON` is returned without a copy. A response that may have one of several forms is parsed once and then
  /// decoded as each of them.
  ///
  /// The rules are those of `JSONDecoder` with its default strategies: `Data` is base64 text and `URL` is
  /// text. Integer types accept every number that they represent exactly, and `Double` and `Float` the
  /// nearest value to every number in their range.
  ///
  /// - Parameters:
  ///   - type: the type.
  ///   - dates: the form of dates.
  /// - Throws: `DecodingError` if the value doesn't have the form of `type`, with the coding path of the part
  ///   that has. Texts of errors don't quote values, which may be credentials.
  /// - Complexity: O(*n*) calls of `init(from:)` and of containers, unless types decode a part more than
  ///   once.
  package func decode<Value: Decodable>(
    _ type: Value.Type = Value.self, dates: DateCoding = .secondsSince2001
  ) throws -> Value {
    try JSONTreeDecoder(value: self, path: .root, dates: dates).decode(type)
  }

  /// Parses JSON text and decodes a value of a `Decodable` type.
  ///
  /// This replaces `JSONDecoder`, which has no limits, accepts duplicate names, and takes time proportional
  /// to the cube of the depth if types try several forms.
  ///
  /// - Parameters:
  ///   - type: the type.
  ///   - text: the text, as in ``init(parsing:limit:)``.
  ///   - limit: the maximum size of the text in bytes.
  /// - Throws: ``JSONError``, or `DecodingError` as ``decode(_:dates:)``.
  package static func decode<Value: Decodable>(
    _ type: Value.Type = Value.self, from text: Data, limit: Int = largestText
  ) throws -> Value {
    try JSON(parsing: text, limit: limit).decode(type)
  }
}
