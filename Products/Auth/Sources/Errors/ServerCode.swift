/// What a code of the server means to the user.
struct ServerCode: Sendable, Hashable {
  let code: AuthError.Code
  /// What is wrong and what to do. `{email}` stands for the address that was sent.
  let sentence: String

  init(_ code: AuthError.Code, _ sentence: String) {
    self.code = code
    self.sentence = sentence
  }

  /// Every code that Identity Toolkit and Secure Token document, by its name.
  static let all: [String: ServerCode] = [
    signIn, tokens, credentials, mails, phones, secondFactors, administration,
  ].reduce(into: [:]) { $0.merge($1) { first, _ in first } }

  /// The sentence with the address in it.
  func sentence(about email: String?) -> String {
    sentence.replacing("{email}", with: email.map { "\"\($0)\"" } ?? "the given address")
  }
}
