import TenonTestSupport
import Testing

@testable import TenonAuth

@Suite(.limited) struct ServerCodeTests {
  /// Every documented code of the server, with the name of Firebase's web SDK, or the nearest one.
  static let documented: [(String, String)] = [
    ("USER_NOT_FOUND", "user-not-found"),
    ("EMAIL_NOT_FOUND", "user-not-found"),
    ("INVALID_PASSWORD", "wrong-password"),
    ("INVALID_LOGIN_CREDENTIALS", "invalid-credential"),
    ("INVALID_IDP_RESPONSE", "invalid-credential"),
    ("INVALID_PENDING_TOKEN", "invalid-credential"),
    ("EMAIL_EXISTS", "email-already-in-use"),
    ("WEAK_PASSWORD", "weak-password"),
    ("PASSWORD_DOES_NOT_MEET_REQUIREMENTS", "password-does-not-meet-requirements"),
    ("INVALID_EMAIL", "invalid-email"),
    ("INVALID_IDENTIFIER", "invalid-email"),
    ("MISSING_EMAIL", "missing-email"),
    ("MISSING_PASSWORD", "missing-password"),
    ("USER_DISABLED", "user-disabled"),
    ("OPERATION_NOT_ALLOWED", "operation-not-allowed"),
    ("PASSWORD_LOGIN_DISABLED", "operation-not-allowed"),
    ("ADMIN_ONLY_OPERATION", "admin-restricted-operation"),
    ("TOO_MANY_ATTEMPTS_TRY_LATER", "too-many-requests"),
    ("QUOTA_EXCEEDED", "quota-exceeded"),
    ("INVALID_ID_TOKEN", "invalid-user-token"),
    ("INVALID_REFRESH_TOKEN", "invalid-user-token"),
    ("TOKEN_EXPIRED", "user-token-expired"),
    ("CREDENTIAL_TOO_OLD_LOGIN_AGAIN", "requires-recent-login"),
    ("INVALID_CUSTOM_TOKEN", "invalid-custom-token"),
    ("CREDENTIAL_MISMATCH", "custom-token-mismatch"),
    ("FEDERATED_USER_ID_ALREADY_LINKED", "credential-already-in-use"),
    ("EXPIRED_OOB_CODE", "expired-action-code"),
    ("INVALID_OOB_CODE", "invalid-action-code"),
    ("INVALID_CONTINUE_URI", "invalid-continue-uri"),
    ("MISSING_CONTINUE_URI", "missing-continue-uri"),
    ("UNAUTHORIZED_DOMAIN", "unauthorized-continue-uri"),
    ("INVALID_HOSTING_LINK_DOMAIN", "invalid-hosting-link-domain"),
    ("MISSING_IOS_BUNDLE_ID", "missing-ios-bundle-id"),
    ("MISSING_ANDROID_PACKAGE_NAME", "missing-android-pkg-name"),
    ("INVALID_RECIPIENT_EMAIL", "invalid-recipient-email"),
    ("INVALID_SENDER", "invalid-sender"),
    ("INVALID_MESSAGE_PAYLOAD", "invalid-message-payload"),
    ("EMAIL_CHANGE_NEEDS_VERIFICATION", "email-change-needs-verification"),
    ("INVALID_PHONE_NUMBER", "invalid-phone-number"),
    ("INVALID_CODE", "invalid-verification-code"),
    ("INVALID_SESSION_INFO", "invalid-verification-id"),
    ("SESSION_EXPIRED", "code-expired"),
    ("APP_NOT_VERIFIED", "app-not-verified"),
    ("CAPTCHA_CHECK_FAILED", "captcha-check-failed"),
    ("INVALID_APP_CREDENTIAL", "invalid-app-credential"),
    ("MISSING_APP_CREDENTIAL", "missing-app-credential"),
    ("MISSING_IOS_APP_TOKEN", "missing-app-token"),
    ("INVALID_PROVIDER_ID", "invalid-provider-id"),
    ("TENANT_ID_MISMATCH", "tenant-id-mismatch"),
    ("UNSUPPORTED_TENANT_OPERATION", "unsupported-tenant-operation"),
    ("MISSING_MFA_PENDING_CREDENTIAL", "missing-multi-factor-session"),
    ("MISSING_MFA_ENROLLMENT_ID", "missing-multi-factor-info"),
    ("INVALID_MFA_PENDING_CREDENTIAL", "invalid-multi-factor-session"),
    ("MFA_ENROLLMENT_NOT_FOUND", "multi-factor-info-not-found"),
    ("UNVERIFIED_EMAIL", "unverified-email"),
    ("SECOND_FACTOR_EXISTS", "second-factor-already-in-use"),
    ("SECOND_FACTOR_LIMIT_EXCEEDED", "maximum-second-factor-count-exceeded"),
    ("UNSUPPORTED_FIRST_FACTOR", "unsupported-first-factor"),
    ("MISSING_CLIENT_IDENTIFIER", "missing-client-identifier"),
    ("MISSING_OR_INVALID_NONCE", "missing-or-invalid-nonce"),
    ("BLOCKING_FUNCTION_ERROR_RESPONSE", "blocking-function-error"),
    ("RECAPTCHA_NOT_ENABLED", "recaptcha-not-enabled"),
    ("MISSING_RECAPTCHA_TOKEN", "missing-recaptcha-token"),
    ("INVALID_RECAPTCHA_TOKEN", "invalid-recaptcha-token"),
    ("INVALID_RECAPTCHA_ACTION", "invalid-recaptcha-action"),
    ("MISSING_CLIENT_TYPE", "missing-client-type"),
    ("MISSING_RECAPTCHA_VERSION", "missing-recaptcha-version"),
    ("INVALID_RECAPTCHA_VERSION", "invalid-recaptcha-version"),
    ("PROJECT_DISABLED", "project-disabled"),
    ("UNEXPECTED_PARAMETER", "insufficient-permission"),
    ("DUPLICATE_LOCAL_ID", "uid-already-exists"),
    ("PHONE_NUMBER_EXISTS", "phone-number-already-exists"),
    ("MISSING_CUSTOM_TOKEN", "invalid-custom-token"),
    ("MISSING_IDENTIFIER", "missing-email"),
    ("FORBIDDEN_CLAIM", "invalid-claims"),
    ("INVALID_CLAIMS", "invalid-claims"),
    ("CLAIMS_TOO_LARGE", "invalid-claims"),
    ("MISSING_OOB_CODE", "missing-action-code"),
    ("MISSING_REQUEST_URI", "internal-error"),
    ("INVALID_REQUEST_URI", "internal-error"),
    ("INVALID_CREDENTIAL_OR_PROVIDER_ID", "invalid-credential"),
    ("MISSING_ID_TOKEN", "invalid-user-token"),
    ("INVALID_REQ_TYPE", "internal-error"),
    ("INSUFFICIENT_PERMISSION", "insufficient-permission"),
    ("MISSING_LOCAL_ID", "argument-error"),
    ("MISSING_REQ_TYPE", "internal-error"),
    ("MISSING_NEW_EMAIL", "missing-email"),
    ("MISSING_SESSION_INFO", "missing-verification-id"),
    ("MISSING_CODE", "missing-verification-code"),
    ("INVALID_TEMPORARY_PROOF", "invalid-credential"),
    ("MISSING_GRANT_TYPE", "internal-error"),
    ("INVALID_GRANT_TYPE", "internal-error"),
    ("MISSING_REFRESH_TOKEN", "invalid-user-token"),
    ("INVALID_DURATION", "argument-error"),
    ("MISSING_CREDENTIAL", "missing-multi-factor-session"),
  ]

  @Test(arguments: documented)
  func aCodeHasItsTypeAndAFix(code: String, expected: String) throws {
    let error = ServerError(error: ServerError.Body(message: code)).authError(status: 400, email: nil)
    #expect(error.code.rawValue == expected)
    #expect(error.serverCode == code)
    let sentences = error.message.split(separator: ". ")
    #expect(sentences.count >= 2, "What is wrong, and what to do: \(error.message)")
    #expect(error.message.hasSuffix(".") && !error.message.contains("{"))
  }

  @Test func theTableContainsExactlyTheDocumentedCodes() {
    #expect(Set(ServerCode.all.keys) == Set(Self.documented.map(\.0)))
  }

  @Test func theServersOwnTextIsQuoted() {
    let message = "WEAK_PASSWORD : Password should be at least 6 characters"
    let error = ServerError(error: ServerError.Body(message: message)).authError(status: 400, email: nil)
    #expect(error.code == .weakPassword && error.serverCode == "WEAK_PASSWORD")
    #expect(error.message.hasSuffix("The server says: Password should be at least 6 characters"))
  }

  @Test(arguments: [
    "INVALID_IDP_RESPONSE : Unable to parse id_token: {\"sub\":\"secret\"}",
    "INVALID_CUSTOM_TOKEN : ((Invalid token: secret\(String(repeating: "x", count: 40))))",
    "NEWER : secret.\(String(repeating: "x", count: 40)).",
  ])
  func tokensInTheServersTextAreRemoved(message: String) {
    let error = ServerError(error: ServerError.Body(message: message)).authError(status: 400, email: nil)
    #expect(!"\(error)".contains("secret") && "\(error)".contains("•••"))
  }

  @Test func theMessageNamesTheAddress() {
    let error = ServerError(error: ServerError.Body(message: "EMAIL_EXISTS")).authError(
      status: 400,
      email: "ada@example.com"
    )
    #expect(error.message.contains(#""ada@example.com""#))
  }

  @Test func anUnknownCodeIsKept() {
    let error = ServerError(error: ServerError.Body(message: "NEWER : text")).authError(
      status: 400, email: nil)
    #expect(
      error.code == .internalError && error.serverCode == "NEWER" && error.message.contains("NEWER : text"))
  }
}
