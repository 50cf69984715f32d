/// A media type with its parameters (RFC 9110, section 8.3.1).
///
/// White space around its parts is ignored. Types and parameter names are compared in lower case.
struct MediaType: Sendable, Hashable {
  /// The type and subtype in lower case, for example `multipart/related`.
  let essence: String
  /// The parameters by their names in lower case, without the quotes around their values.
  let parameters: [String: String]

  /// Parses the value of a `Content-Type` field. Malformed parameters are ignored.
  init(_ field: String) {
    let parts = field.split(separator: ";", omittingEmptySubsequences: false).map(Self.trimmed)
    essence = parts[0].lowercased()
    parameters = parts.dropFirst().reduce(into: [:]) { result, part in
      guard let equals = part.firstIndex(of: "=") else { return }
      let value = Self.trimmed(part[part.index(after: equals)...])
      result[Self.trimmed(part[..<equals]).lowercased()] = Self.unquoted(value)
    }
  }

  /// Returns a text without white space at its ends.
  private static func trimmed(_ text: Substring) -> Substring {
    var text = text
    while let first = text.first, first.isWhitespace { text.removeFirst() }
    while let last = text.last, last.isWhitespace { text.removeLast() }
    return text
  }

  /// Returns a value without quotes. Single quotes are removed, too, because clients of Google's upload
  /// endpoints send both.
  private static func unquoted(_ text: Substring) -> String {
    guard text.count >= 2, let first = text.first, first == "\"" || first == "'", text.last == first else {
      return String(text)
    }
    return String(text.dropFirst().dropLast())
  }
}
