/// The meaning of a server's error for the caller.
struct ServerCode: Sendable, Hashable {
  let code: AuthError.Code
  /// What went wrong and what to do. `{email}` is a placeholder for the email address that was sent.
  let sentence: String

  init(_ code: AuthError.Code, _ sentence: String) {
    self.code = code
    self.sentence = sentence
  }

  /// Every error that Identity Toolkit and Secure Token document, by the server's name.
  static let all: [String: ServerCode] = [
    signIn, tokens, credentials, mails, phones, secondFactors, administration,
  ].reduce(into: [:]) { $0.merge($1) { first, _ in first } }

  /// Returns the sentence with the email address.
  func sentence(about email: String?) -> String {
    sentence.replacing("{email}", with: email.map { "\"\($0)\"" } ?? "the given address")
  }
}
