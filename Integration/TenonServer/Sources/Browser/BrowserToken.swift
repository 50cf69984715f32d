import TenonDocuments
import TenonFoundation

/// The secret that opens the data browser. It is in the address that the server prints, and nowhere else.
struct BrowserToken: Sendable {
  /// The field in which the page sends it.
  static let field = "Tenon-Browser-Token"

  /// The token itself: about 190 bits from the system's random number generator.
  let secret: Secret

  /// Creates a random token.
  init() { secret = Secret(AutomaticID.text(count: 32)) }

  /// Returns whether a text is the token. The time doesn't depend on where the first difference is.
  func matches(_ text: String?) -> Bool {
    guard let text else { return false }
    let (own, other) = (Array(secret.value.utf8), Array(text.utf8))
    guard own.count == other.count else { return false }
    return zip(own, other).reduce(0) { $0 | ($1.0 ^ $1.1) } == 0
  }
}
