/// Text that must not appear in descriptions, logs and errors, such as a token. Its description is `•••`, and mirrors show no
/// content.
package struct Secret: Sendable, Hashable {
  /// The text itself.
  package let value: String

  package init(_ value: String) { self.value = value }
}

extension Secret: CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
  package var description: String { "•••" }
  package var debugDescription: String { description }
  package var customMirror: Mirror { Mirror(self, children: []) }
}

/// Encoded as its plain text, so whatever contains an encoded secret must be protected.
extension Secret: Codable {
  package init(from decoder: any Decoder) throws {
    value = try decoder.singleValueContainer().decode(String.self)
  }

  package func encode(to encoder: any Encoder) throws {
    var container = encoder.singleValueContainer()
    try container.encode(value)
  }
}
