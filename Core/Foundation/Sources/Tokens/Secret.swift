/// Text that must not appear in descriptions, logs and errors, such as a token. Its description is `•••`, and
/// mirrors show no content. Interpolating it into a text, logging it or dumping it is therefore safe; only
/// ``value`` and encoding disclose it.
///
/// It doesn't protect the memory: the text is neither encrypted nor erased when the value is released.
package struct Secret: Sendable, Hashable {
  /// The text itself.
  package let value: String

  /// Creates a secret.
  ///
  /// - Parameter value: the text.
  package init(_ value: String) { self.value = value }
}

extension Secret: CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
  /// Three bullets, whatever the text is and however long.
  package var description: String { "•••" }
  package var debugDescription: String { description }
  package var customMirror: Mirror { Mirror(self, children: []) }
}

/// Encoded as its plain text, so whatever contains an encoded secret must be protected.
extension Secret: Codable {
  /// Decodes a secret from a string.
  ///
  /// - Parameter decoder: the decoder.
  /// - Throws: `DecodingError` if the value isn't a string.
  package init(from decoder: any Decoder) throws {
    value = try decoder.singleValueContainer().decode(String.self)
  }

  /// Encodes the text itself.
  ///
  /// - Parameter encoder: the encoder, whose output discloses the text.
  /// - Throws: what the encoder throws.
  package func encode(to encoder: any Encoder) throws {
    var container = encoder.singleValueContainer()
    try container.encode(value)
  }
}
