import TenonFoundation
import TenonTransport
import TenonTransportInterop

/// The JSON object of an error of Identity Toolkit and Secure Token, for example
/// `{"error": {"message": "WEAK_PASSWORD : Password should be at least 6 characters"}}`.
struct ServerError: Decodable {
  /// The member `error`: a message, which begins with the code, and the reasons.
  struct Body: Decodable {
    var message: String?
    var errors: [Reason]?
  }

  /// A reason of Google's API infrastructure, for example `keyInvalid`.
  struct Reason: Decodable {
    var reason: String?
  }

  var error: Body

  /// The code: the text before the first colon of the message.
  var code: String { parts.code }

  /// The code, and the text after the colon without tokens; `nil` if there is none.
  private var parts: (code: String, detail: String?) {
    let halves = (error.message ?? "").split(separator: ":", maxSplits: 1).map { String($0).trimmed }
    let code = halves.first ?? ""
    return (code, halves.count == 2 ? Self.withoutSecrets(halves[1], of: code) : nil)
  }

  /// Returns the error for the caller.
  ///
  /// - Parameters:
  ///   - status: the HTTP status code, which the message of an unknown error contains.
  ///   - email: the email address to name in the message.
  func authError(status: Int, email: String?) -> AuthError {
    let (code, detail) = parts
    if let known = ServerCode.all[code] {
      let sentence = known.sentence(about: email)
      var error = AuthError(known.code, detail.map { "\(sentence) The server says: \($0)" } ?? sentence)
      error.serverCode = code
      return error
    }
    let reasons = (error.errors ?? []).compactMap(\.reason)
    if reasons.contains(where: { $0.hasPrefix("keyInvalid") }) || (error.message ?? "").contains("API key") {
      return AuthError(
        .invalidAPIKey,
        "The server rejected the API key. Compare AppOptions.apiKey with the project's settings."
      )
    }
    if let appCheckRefusal { return appCheckRefusal }
    if reasons.contains(where: { $0.hasPrefix("ipRefererBlocked") }) {
      return AuthError(
        .appNotAuthorized,
        "This app may not use the API key. Check the key's restrictions."
      )
    }
    var unknown = AuthError(
      .internalError,
      "The server answered with status \(status) and an unknown error: "
        + Self.withoutSecrets(error.message ?? "", of: code)
    )
    unknown.serverCode = code
    return unknown
  }

  /// The codes whose text quotes the rejected token, which may be JSON.
  private static let quotingTokens: Set<String> = [
    "INVALID_IDP_RESPONSE", "INVALID_CUSTOM_TOKEN", "INVALID_CREDENTIAL_OR_PROVIDER_ID",
  ]
  /// The length, in characters, above which a word counts as a token.
  private static let longestWord = 40

  /// Returns the server's text with `•••` in place of the tokens that it quotes.
  private static func withoutSecrets(_ text: String, of code: String) -> String {
    let plain =
      quotingTokens.contains(code) ? text.prefix { $0 != "{" } + (text.contains("{") ? "•••" : "") : text[...]
    return plain.split(separator: " ", omittingEmptySubsequences: false)
      .map { $0.count > longestWord ? "•••" : String($0) }
      .joined(separator: " ")
  }
}
