import Foundation
import TenonTransport
import TenonTransportInterop

/// The error envelope of Identity Toolkit and Secure Token.
struct ServerError: Decodable {
  struct Body: Decodable {
    var message: String?
    var errors: [Reason]?
  }

  struct Reason: Decodable {
    var reason: String?
  }

  var error: Body

  /// The code: the text before the first colon of the message.
  var code: String { parts.code }

  private var parts: (code: String, detail: String?) {
    let halves = (error.message ?? "").split(separator: ":", maxSplits: 1).map {
      $0.trimmingCharacters(in: .whitespaces)
    }
    let code = halves.first ?? ""
    return (code, halves.count == 2 ? Self.withoutSecrets(halves[1], of: code) : nil)
  }

  /// Returns the error for the caller.
  ///
  /// - Parameter email: the email address to name in the message.
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

  /// Codes whose text quotes the rejected token, which may be JSON.
  private static let quotingTokens: Set<String> = [
    "INVALID_IDP_RESPONSE", "INVALID_CUSTOM_TOKEN", "INVALID_CREDENTIAL_OR_PROVIDER_ID",
  ]
  /// Longer words are taken for tokens.
  private static let longestWord = 40

  /// Returns the server's text without the tokens that it quotes.
  private static func withoutSecrets(_ text: String, of code: String) -> String {
    let plain =
      quotingTokens.contains(code) ? text.prefix { $0 != "{" } + (text.contains("{") ? "•••" : "") : text[...]
    return plain.split(separator: " ", omittingEmptySubsequences: false)
      .map { $0.count > longestWord ? "•••" : String($0) }
      .joined(separator: " ")
  }
}
