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

  /// The error for the user, whom `email` names in the sentence.
  func authError(status: Int, email: String?) -> AuthError {
    let (code, detail) = parts
    if let (known, sentence) = Self.known(code, of: email.map { "\"\($0)\"" } ?? "the given address") {
      return AuthError(known, detail.map { "\(sentence) The server says: \($0)" } ?? sentence)
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
    return AuthError(
      .internalError,
      "The server answered with status \(status) and an error that isn't known: \(error.message ?? "")"
    )
  }

  private static func known(_ code: String, of email: String) -> (AuthError.Code, String)? {
    switch code {
    case "EMAIL_NOT_FOUND":
      (.userNotFound, "There is no user with the address \(email).")
    case "USER_NOT_FOUND":
      (.userNotFound, "The user does not exist any more.")
    case "INVALID_PASSWORD":
      (.wrongPassword, "The password for \(email) is wrong.")
    case "INVALID_LOGIN_CREDENTIALS":
      (.invalidCredential, "The password for \(email) is wrong, or there is no such user.")
    case "EMAIL_EXISTS":
      (.emailAlreadyInUse, "Another user has the address \(email). Sign in instead, or use another address.")
    case "WEAK_PASSWORD":
      (.weakPassword, "The password is too weak. Use at least 6 characters.")
    case "PASSWORD_DOES_NOT_MEET_REQUIREMENTS":
      (.passwordPolicy, "The password does not meet the project's policy.")
    case "INVALID_EMAIL", "INVALID_IDENTIFIER":
      (.invalidEmail, "\(email) is no e-mail address.")
    case "MISSING_EMAIL":
      (.missingEmail, "The e-mail address is missing.")
    case "MISSING_PASSWORD":
      (.missingPassword, "The password is missing.")
    case "USER_DISABLED":
      (.userDisabled, "An administrator has disabled the user.")
    case "OPERATION_NOT_ALLOWED", "PASSWORD_LOGIN_DISABLED":
      (
        .operationNotAllowed,
        "This way of signing in is switched off. Switch it on in the project's settings."
      )
    case "ADMIN_ONLY_OPERATION":
      (.adminRestrictedOperation, "Only administrators may create such users in this project.")
    case "TOO_MANY_ATTEMPTS_TRY_LATER":
      (.tooManyRequests, "There were too many attempts. Wait before the next one.")
    case "QUOTA_EXCEEDED":
      (.quotaExceeded, "The project's quota is used up. Try again later.")
    case "INVALID_ID_TOKEN", "INVALID_REFRESH_TOKEN":
      (.invalidUserToken, "The server does not accept the user's token. Sign in again.")
    case "TOKEN_EXPIRED":
      (.userTokenExpired, "The user's session was ended, for example by a new password. Sign in again.")
    case "CREDENTIAL_TOO_OLD_LOGIN_AGAIN":
      (.requiresRecentLogin, "The last sign-in is too long ago for this. Sign in again.")
    default:
      nil
    }
  }
}
