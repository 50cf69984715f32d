import TenonBasics

/// The value of the `User-Agent` header: `name/version` pairs, sorted by name ([RFC 9110, section
/// 10.1.5](https://www.rfc-editor.org/rfc/rfc9110.html#section-10.1.5)). It identifies the software, not the
/// user, the device or the project.
enum UserAgent {
  /// The greatest length in bytes. Servers accept about 8 KiB for all header fields of a request, tokens
  /// included; Google's Firestore emulator loses the body of a request with more.
  static let longest = 1_024

  /// Returns the pairs of the platform, of Core and of libraries, separated by spaces.
  ///
  /// - Parameter libraries: the libraries of the app.
  /// - Returns: the text, for example `os/linux swift/6.3 tenon-auth/1.0.0 tenon-core/0.2.0`. It consists of
  ///   visible ASCII characters and spaces, whatever the libraries' names contain, so it can be sent as it
  ///   is. A library with which it would be longer than ``longest`` is left out.
  /// - Complexity: O(*n* log *n*) in the number of libraries.
  static func text(libraries: [LibraryDescription]) -> String {
    let platform = [
      ("swift", swiftVersion), ("os", operatingSystem), ("tenon-core", CoreVersion.current.description),
    ]
    func pair(_ name: String, _ version: String) -> String { "\(token(name))/\(token(version))" }
    var pairs = platform.map { pair($0.0, $0.1) }
    var length = pairs.joined(separator: " ").utf8.count
    for library in libraries.map({ pair($0.name, $0.version) }).ordered() {
      guard length + 1 + library.utf8.count <= longest else { continue }
      length += 1 + library.utf8.count
      pairs.append(library)
    }
    return pairs.ordered().joined(separator: " ")
  }

  /// Returns a text in which `-` replaces each character that [RFC 9110, section
  /// 5.6.2](https://www.rfc-editor.org/rfc/rfc9110.html#section-5.6.2) doesn't allow in a token; `-` for an
  /// empty text.
  ///
  /// - Parameter text: a library's name or version, for example `1.0.0-beta.1`.
  static func token(_ text: String) -> String {
    let allowed = "!#$%&'*+-.^_`|~"
    let characters = text.unicodeScalars.map { scalar -> Character in
      let isLetterOrDigit = scalar.isASCII && (scalar.properties.isAlphabetic || ("0"..."9").contains(scalar))
      return isLetterOrDigit || allowed.unicodeScalars.contains(scalar) ? Character(scalar) : "-"
    }
    return characters.isEmpty ? "-" : String(characters)
  }

  /// The version of the compiler that built Core, major and minor. A later compiler counts as the newest
  /// version in this list.
  private static var swiftVersion: String {
    #if compiler(>=6.4)
      "6.4"
    #elseif compiler(>=6.3)
      "6.3"
    #else
      "6.2"
    #endif
  }

  /// The operating system that Core was built for: a token, `other` if it isn't listed.
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

/// The version of Core itself, for the user agent.
enum CoreVersion {
  /// The current version.
  static let current = SemanticVersion(0, 2, 0)
}
