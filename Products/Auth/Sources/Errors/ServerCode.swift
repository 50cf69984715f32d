/// The code and the message that callers receive for an error of the server.
struct ServerCode: Sendable, Hashable {
  /// The kind of the error.
  let code: AuthError.Code
  /// A description of the error and of its remedy. `{email}` is a placeholder for the email address in the
  /// request.
  let sentence: String

  init(_ code: AuthError.Code, _ sentence: String) {
    self.code = code
    self.sentence = sentence
  }

  /// Every error that Identity Toolkit and Secure Token document, by the server's name.
  ///
  /// Source: <https://firebase.google.com/docs/reference/rest/auth>, "Common error codes" of each method.
  static let all: [String: ServerCode] = [
    signIn, tokens, credentials, mails, phones, secondFactors, passkeys, administration, projects,
  ].reduce(into: [:]) { $0.merge($1) { first, _ in first } }

  /// Returns the sentence with the email address in place of `{email}`.
  ///
  /// - Parameter email: the address; `the given address` replaces `{email}` if it is `nil`.
  func sentence(about email: String?) -> String {
    sentence.replacing("{email}", with: email.map { "\"\($0)\"" } ?? "the given address")
  }
}
