/// The URL-safe alphabet of base64 without padding (RFC 4648, section 5), in which the parts of a JWT are
/// encoded (RFC 7515, section 2).
package enum Base64URL {
  /// Returns the encoding of bytes.
  package static func encode(_ bytes: Data) -> String {
    String(
      bytes.base64EncodedString().compactMap { letter -> Character? in
        switch letter {
        case "+": "-"
        case "/": "_"
        case "=": nil
        default: letter
        }
      }
    )
  }

  /// Returns a text in base64 or base64url, with or without padding, as base64url without padding.
  package static func converted(_ text: some StringProtocol) -> String {
    String(
      text.prefix { $0 != "=" }.map { letter -> Character in
        switch letter {
        case "+": "-"
        case "/": "_"
        default: letter
        }
      })
  }

  /// Returns the bytes of an encoding; `nil` if the text isn't valid.
  ///
  /// - Parameter text: the encoding, without padding.
  package static func decode(_ text: some StringProtocol) -> Data? {
    var standard = String(
      text.map { letter -> Character in
        switch letter {
        case "-": "+"
        case "_": "/"
        default: letter
        }
      }
    )
    // Checked: from 0 to 3.
    standard += String(repeating: "=", count: (4 - standard.count % 4) % 4)
    return Data(base64Encoded: standard)
  }
}
