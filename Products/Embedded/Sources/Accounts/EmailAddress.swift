#if canImport(FoundationEssentials)
  // `_nfc`, with which FoundationEssentials normalizes text itself; it has no function for that in its
  // interface.
  @_spi(_Unicode) import Swift
#else
  import Foundation
#endif

/// The canonical form in which email addresses are stored and compared.
///
/// Accounts, codes, providers and imports all use this form, so that two spellings are the same address
/// either everywhere or nowhere. As in Identity Toolkit, addresses are case-insensitive. Canonically
/// equivalent spellings are the same address, because mail systems normalize them (RFC 6532, section 3.1).
///
/// The check is as tolerant as that of Identity Toolkit: it doesn't implement the grammar of RFC 5322.
enum EmailAddress {
  /// The greatest length of an address, in bytes of UTF-8: that of a forward-path (RFC 5321, section
  /// 4.5.3.1.3).
  static let longest = 256

  /// Returns a text in lower case and in Unicode's normalization form C. Equal addresses have equal bytes.
  ///
  /// - Parameter text: any text; it isn't checked.
  static func canonical(_ text: String) -> String {
    #if canImport(FoundationEssentials)
      var canonical = String.UnicodeScalarView()
      for scalar in text.lowercased()._nfc { canonical.append(scalar) }
      return String(canonical)
    #else
      return text.lowercased().precomposedStringWithCanonicalMapping
    #endif
  }

  /// Returns the canonical form of an address.
  ///
  /// - Returns: `nil` if the text isn't an address: it must have text on both sides of a single `@`, at most
  ///   ``longest`` bytes, and no white space, control characters or invisible format characters.
  static func checked(_ text: String) -> String? {
    let parts = text.split(separator: "@", omittingEmptySubsequences: false)
    guard parts.count == 2, !parts[0].isEmpty, !parts[1].isEmpty, text.utf8.count <= longest,
      !text.unicodeScalars.contains(where: isForbidden)
    else { return nil }
    return canonical(text)
  }

  /// Returns whether an address must not contain a character, by its general category.
  private static func isForbidden(_ scalar: Unicode.Scalar) -> Bool {
    if scalar.properties.isWhitespace { return true }
    return switch scalar.properties.generalCategory {
    case .control, .format, .lineSeparator, .paragraphSeparator, .spaceSeparator: true
    default: false
    }
  }
}
