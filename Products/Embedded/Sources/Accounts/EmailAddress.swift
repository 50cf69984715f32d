import Foundation

/// The one form in which addresses are stored and compared.
///
/// Accounts, codes, providers and imports use it alike, so that two spellings either are the same address everywhere
/// or nowhere. As in Identity Toolkit, case doesn't count. Canonically equivalent spellings are one address, because
/// mail systems normalize them (RFC 6532, section 3.1).
enum EmailAddress {
  /// The longest address, in bytes of UTF-8: a forward-path (RFC 5321, section 4.5.3.1.3).
  static let longest = 256

  /// Lower case in Unicode's normalization form C. Equal addresses have equal bytes.
  static func canonical(_ text: String) -> String {
    text.lowercased().precomposedStringWithCanonicalMapping
  }

  /// The canonical form; `nil` if the text isn't an address: something on both sides of a single `@`, without white
  /// space, control characters and invisible format characters.
  static func checked(_ text: String) -> String? {
    let parts = text.split(separator: "@", omittingEmptySubsequences: false)
    guard parts.count == 2, !parts[0].isEmpty, !parts[1].isEmpty, text.utf8.count <= longest,
      !text.unicodeScalars.contains(where: isForbidden)
    else { return nil }
    return canonical(text)
  }

  private static func isForbidden(_ scalar: Unicode.Scalar) -> Bool {
    if scalar.properties.isWhitespace { return true }
    return switch scalar.properties.generalCategory {
    case .control, .format, .lineSeparator, .paragraphSeparator, .spaceSeparator: true
    default: false
    }
  }
}
