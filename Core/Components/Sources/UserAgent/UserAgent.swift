/// How a process identifies itself to servers: `name/version` pairs, sorted by name (RFC 9110, section
/// 10.1.5).
enum UserAgent {
  static func text(libraries: [LibraryDescription]) -> String {
    let platform = [
      ("swift", swiftVersion), ("os", operatingSystem), ("tenon-core", CoreVersion.current.description),
    ]
    let pairs = platform + libraries.map { ($0.name, $0.version) }
    return pairs.map { "\(token($0.0))/\(token($0.1))" }.sorted().joined(separator: " ")
  }

  /// Returns text with the characters replaced that RFC 9110, section 5.6.2, does not allow in a token.
  static func token(_ text: String) -> String {
    let allowed = "!#$%&'*+-.^_`|~"
    let characters = text.unicodeScalars.map { scalar -> Character in
      let isLetterOrDigit = scalar.isASCII && (scalar.properties.isAlphabetic || ("0"..."9").contains(scalar))
      return isLetterOrDigit || allowed.unicodeScalars.contains(scalar) ? Character(scalar) : "-"
    }
    return characters.isEmpty ? "-" : String(characters)
  }

  private static var swiftVersion: String {
    #if compiler(>=6.4)
      "6.4"
    #elseif compiler(>=6.3)
      "6.3"
    #else
      "6.2"
    #endif
  }

  private static var operatingSystem: String {
    #if os(Linux)
      "linux"
    #elseif os(macOS)
      "macos"
    #elseif os(iOS)
      "ios"
    #elseif os(Windows)
      "windows"
    #elseif os(Android)
      "android"
    #elseif os(WASI)
      "wasi"
    #else
      "other"
    #endif
  }
}

/// The version of Core itself.
enum CoreVersion {
  static let current = SemanticVersion(0, 1, 0)
}

extension Features {
  static func userAgent(of libraries: [LibraryDescription]) -> String { UserAgent.text(libraries: libraries) }
}
