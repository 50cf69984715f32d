package import TenonFoundation

extension JSON {
  /// The value as compact UTF-8 text (RFC 8259), with the members of objects sorted by name, so that equal
  /// values have equal texts.
  ///
  /// Values that were parsed are within the limits, and so is their text, but for its size: parsing it yields
  /// an equal value. Slashes aren't escaped. The text is created at each access.
  ///
  /// - Throws: `EncodingError` for a `double` that isn't finite, with its path.
  package var serialized: Data {
    get throws {
      var writer = JSONWriter()
      try writer.write(self)
      return Data(writer.bytes)
    }
  }
}
