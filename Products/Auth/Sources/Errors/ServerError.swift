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
    return (halves.first ?? "", halves.count == 2 ? halves[1] : nil)
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
    if reasons.contains(where: { $0.hasPrefix("ipRefererBlocked") }) {
      return AuthError(
        .appNotAuthorized,
        "The API key may not be used by this app. Check the key's restrictions."
      )
    }
    var unknown = AuthError(
      .internalError,
      "The server answered with status \(status) and an error that isn't known: \(error.message ?? "")"
    )
    unknown.serverCode = code
    return unknown
  }
}
