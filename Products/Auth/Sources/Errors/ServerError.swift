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

  /// What stands before the first colon of the message: the code.
  var code: String { parts.code }

  private var parts: (code: String, detail: String?) {
    let halves = (error.message ?? "").split(separator: ":", maxSplits: 1).map {
      $0.trimmingCharacters(in: .whitespaces)
    }
    let code = halves.first ?? ""
    return (code, halves.count == 2 ? Self.withoutSecrets(halves[1], of: code) : nil)
  }

  /// The error for the caller, to whom `email` names the user in the sentence.
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
        "The server refuses the API key. Compare AppOptions.apiKey with the project's settings."
      )
    }
    if let appCheckRefusal { return appCheckRefusal }
    if reasons.contains(where: { $0.hasPrefix("ipRefererBlocked") }) {
      return AuthError(
        .appNotAuthorized,
        "The API key may not be used by this app. Check the key's restrictions."
      )
    }
    var unknown = AuthError(
      .internalError,
      "The server answered with status \(status) and an error that isn't known: \(Self.withoutSecrets(error.message ?? "", of: code))"
    )
    unknown.serverCode = code
    return unknown
  }

  /// Codes whose text quotes the token that was refused, which may be JSON.
  private static let quotingTokens: Set<String> = [
    "INVALID_IDP_RESPONSE", "INVALID_CUSTOM_TOKEN", "INVALID_CREDENTIAL_OR_PROVIDER_ID",
  ]
  /// Words of this length are tokens rather than words.
  private static let longestWord = 40

  /// What the server says, without the tokens that it quotes.
  private static func withoutSecrets(_ text: String, of code: String) -> String {
    let plain =
      quotingTokens.contains(code) ? text.prefix { $0 != "{" } + (text.contains("{") ? "•••" : "") : text[...]
    return plain.split(separator: " ", omittingEmptySubsequences: false)
      .map { $0.count > longestWord ? "•••" : String($0) }
      .joined(separator: " ")
  }
}
