import Foundation
import TenonJSON
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
    ("INVALID_AUTHENTICATOR_RESPONSE", "invalid-authenticator-response"),
    ("MISSING_AUTHENTICATOR_RESPONSE", "invalid-authenticator-response"),
    ("PASSKEY_CREDENTIAL_NOT_FOUND", "passkey-enrollment-not-found"),
    ("PASSKEY_ENROLLMENT_NOT_FOUND", "passkey-enrollment-not-found"),
    ("PASSKEY_ALREADY_EXISTS", "credential-already-in-use"),
    ("MAXIMUM_PASSKEY_COUNT_EXCEEDED", "maximum-passkey-count-exceeded"),
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
    ("RESET_PASSWORD_EXCEED_LIMIT", "too-many-requests"),
    ("CONFIGURATION_NOT_FOUND", "configuration-not-found"),
    ("INVALID_CONFIG", "configuration-not-found"),
    ("PROJECT_NOT_FOUND", "project-not-found"),
    ("INVALID_PROJECT_ID", "project-not-found"),
    ("API_KEY_INVALID", "invalid-api-key"),
    ("INVALID_API_KEY", "invalid-api-key"),
    ("PERMISSION_DENIED", "insufficient-permission"),
    ("INVALID_SERVICE_ACCOUNT", "insufficient-permission"),
    ("RESOURCE_EXHAUSTED", "quota-exceeded"),
    ("TENANT_NOT_FOUND", "invalid-tenant-id"),
    ("INVALID_TENANT_ID", "invalid-tenant-id"),
    ("MISSING_TENANT_ID", "invalid-tenant-id"),
    ("TENANT_DELETION_IN_PROGRESS", "invalid-tenant-id"),
    ("UNAUTHORIZED_APP", "app-not-authorized"),
    ("CORS_UNSUPPORTED", "internal-error"),
    ("REJECTED_CREDENTIAL", "rejected-credential"),
    ("USER_CANCELLED", "user-cancelled"),
    ("INVALID_OAUTH_CLIENT_ID", "invalid-oauth-client-id"),
    ("INVALID_AUTH_EVENT", "internal-error"),
    ("INVALID_DYNAMIC_LINK_DOMAIN", "invalid-dynamic-link-domain"),
    ("DYNAMIC_LINK_NOT_ACTIVATED", "invalid-dynamic-link-domain"),
    ("MISSING_PHONE_NUMBER", "missing-phone-number"),
    ("INVALID_TESTING_PHONE_NUMBER", "invalid-phone-number"),
    ("INVALID_APP_ID", "invalid-app-credential"),
    ("INVALID_CERT_HASH", "invalid-app-credential"),
  ]

  private static func error(_ message: String, status: Int = 400) -> AuthError {
    ServerError(error: ServerError.Body(message: message)).authError(status: status, email: nil)
  }

  /// Parses an error in the form of Google's API infrastructure.
  private static func error(json: String, status: Int) throws -> AuthError {
    try JSON.decode(ServerError.self, from: Data(json.utf8)).authError(status: status, email: nil)
  }

  @Test(arguments: documented)
  func aCodeHasItsTypeAndAFix(code: String, expected: String) throws {
    let error = Self.error(code)
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
    "NEWER : eyJsecret.eyJ\(String(repeating: "x", count: 40)).secret is invalid",
    "INVALID_ID_TOKEN : eyJhbGciOiJub25lIn0.eyJzdWIiOiJzZWNyZXQifQ.secret",
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

  @Test(arguments: [
    (400, "API_KEY_INVALID", "INVALID_ARGUMENT", "invalid-api-key"),
    (403, "API_KEY_HTTP_REFERRER_BLOCKED", "PERMISSION_DENIED", "app-not-authorized"),
    (403, "API_KEY_IOS_APP_BLOCKED", "PERMISSION_DENIED", "app-not-authorized"),
    (403, "SERVICE_DISABLED", "PERMISSION_DENIED", "configuration-not-found"),
    (403, "CONSUMER_SUSPENDED", "PERMISSION_DENIED", "project-disabled"),
    (403, "NEWER", "PERMISSION_DENIED", "insufficient-permission"),
    (429, "RATE_LIMIT_EXCEEDED", "RESOURCE_EXHAUSTED", "quota-exceeded"),
    (429, "NEWER", "RESOURCE_EXHAUSTED", "quota-exceeded"),
    (429, "NEWER", "NEWER", "too-many-requests"),
    (503, "NEWER", "UNAVAILABLE", "network-error"),
    (500, "NEWER", "INTERNAL", "network-error"),
    (400, "NEWER", "INVALID_ARGUMENT", "internal-error"),
  ])
  func theInfrastructuresReasonsHaveCodes(
    status: Int, reason: String, name: String, code: String
  ) throws {
    let text = "Requests from this client are blocked or failed."
    let error = try Self.error(
      json: #"{"error":{"code":\#(status),"message":"\#(text)","status":"\#(name)","details":"#
        + #"[{"@type":"type.googleapis.com/google.rpc.ErrorInfo","reason":"\#(reason)"}]}}"#, status: status)
    #expect(error.code.rawValue == code && error.message.contains(text))
  }

  @Test func theURLThatRepairsTheProjectIsKept() throws {
    let url =
      "https://console.developers.google.com/apis/api/identitytoolkit.googleapis.com/overview?project=123456789"
    let text =
      "Identity Toolkit API has not been used in project 123456789 before or it is disabled. Enable it by "
      + "visiting \(url) then retry."
    let error = try Self.error(
      json: #"{"error":{"code":403,"message":"\#(text)","status":"PERMISSION_DENIED","#
        + #""errors":[{"reason":"accessNotConfigured"}],"details":"unexpected"}}"#, status: 403)
    #expect(error.code == .configurationNotFound && error.message.contains(url))
  }

  private static let longWord = "Pneumonoultramicroscopicsilicovolcanoconiosis"

  @Test(arguments: [
    #"((HTTP request to https://function.example/beforeCreate returned HTTP error 403: ANSWER))"#,
    "HTTP Cloud Function returned an error: ANSWER",
  ])
  func aBlockingFunctionsAnswerIsPassedOn(form: String) throws {
    let answer =
      #"{"error":{"status":"PERMISSION_DENIED","message":"No \#(Self.longWord): {sorry}","details":{"seats":3}}}"#
    let error = Self.error("BLOCKING_FUNCTION_ERROR_RESPONSE : " + form.replacing("ANSWER", with: answer))
    #expect(error.code == .blockingCloudFunctionError)
    let response = try #require(error.functionResponse)
    #expect(response.status == "PERMISSION_DENIED" && response.message == "No \(Self.longWord): {sorry}")
    #expect((response.details as? [String: any Sendable])?["seats"] as? Int == 3)
    #expect(error.message.hasSuffix("rejected the user: No \(Self.longWord): {sorry} (PERMISSION_DENIED)"))
  }

  @Test(arguments: ["((Cloud function deadline exceeded.))", "", "}{", "{\"error\":{}}", "{]"])
  func aBlockingFunctionWithoutAnAnswerIsAnErrorWithTheServersText(detail: String) {
    let error = Self.error("BLOCKING_FUNCTION_ERROR_RESPONSE : \(detail)")
    #expect(error.code == .blockingCloudFunctionError && error.functionResponse == nil)
    #expect(error.message.contains(detail) || detail.isEmpty)
  }
}
