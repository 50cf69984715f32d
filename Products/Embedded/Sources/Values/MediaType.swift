import TenonTransport

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
    let parts = field.split(separator: ";", omittingEmptySubsequences: false).map { String($0).trimmed }
    essence = parts[0].lowercased()
    parameters = parts.dropFirst().reduce(into: [:]) { result, part in
      guard let equals = part.firstIndex(of: "=") else { return }
      let value = String(part[part.index(after: equals)...]).trimmed
      result[String(part[..<equals]).trimmed.lowercased()] = Self.unquoted(value)
    }
  }

  /// Returns a value without quotes. Single quotes are removed, too, because clients of Google's upload
  /// endpoints send both.
  private static func unquoted(_ text: String) -> String {
    guard text.count >= 2, let first = text.first, first == "\"" || first == "'", text.last == first else {
      return text
    }
    return String(text.dropFirst().dropLast())
  }
}
