extension AuthError {
  /// The kind of an error, stable across versions.
  ///
  /// The names are those of firebase-ios-sdk's `AuthErrorCode`, and the raw values those of Firebase's web
  /// SDK, where these exist. Later versions may add codes, so a `switch` needs a `default`.
  public struct Code: RawRepresentable, Sendable, Hashable, CustomStringConvertible {
    /// The code as text, for example `wrong-password`.
    public let rawValue: String

    /// Creates a code from its text, which may be one that this version doesn't define.
    public init(rawValue: String) { self.rawValue = rawValue }

    /// The code as text, which is ``rawValue``.
    public var description: String { rawValue }
  }
}

extension AuthError.Code {
  /// Another user has the email address and signs in with another provider.
  public static let accountExistsWithDifferentCredential = Self(
    rawValue: "account-exists-with-different-credential")
  /// Only administrators may create users of this kind.
  public static let adminRestrictedOperation = Self(rawValue: "admin-restricted-operation")
  /// The app may not use the API key.
  public static let appNotAuthorized = Self(rawValue: "app-not-authorized")
  /// The app couldn't prove that it belongs to the project.
  public static let appNotVerified = Self(rawValue: "app-not-verified")
  /// An argument is invalid.
  public static let argumentError = Self(rawValue: "argument-error")
  /// A blocking function of the project rejected the user.
  public static let blockingCloudFunctionError = Self(rawValue: "blocking-function-error")
  /// The reCAPTCHA response wasn't accepted.
  public static let captchaCheckFailed = Self(rawValue: "captcha-check-failed")
  /// Authentication, or the provider, isn't set up in the project.
  public static let configurationNotFound = Self(rawValue: "configuration-not-found")
  /// Another user signs in with the credential.
  public static let credentialAlreadyInUse = Self(rawValue: "credential-already-in-use")
  /// The custom token was issued for another project.
  public static let customTokenMismatch = Self(rawValue: "custom-token-mismatch")
  /// Another user has the email address.
  public static let emailAlreadyInUse = Self(rawValue: "email-already-in-use")
  /// The email address changes only after the new one was verified.
  public static let emailChangeNeedsVerification = Self(rawValue: "email-change-needs-verification")
  /// The action code of an email has expired.
  public static let expiredActionCode = Self(rawValue: "expired-action-code")
  /// Only administrators may perform the operation.
  public static let insufficientPermission = Self(rawValue: "insufficient-permission")
  /// The server failed, or its answer isn't in the expected form.
  public static let internalError = Self(rawValue: "internal-error")
  /// The API key is missing or invalid.
  public static let invalidAPIKey = Self(rawValue: "invalid-api-key")
  /// The action code of an email is invalid, or was used before.
  public static let invalidActionCode = Self(rawValue: "invalid-action-code")
  /// The app's proof of its identity wasn't accepted.
  public static let invalidAppCredential = Self(rawValue: "invalid-app-credential")
  /// An authenticator's answer about a passkey isn't one to the request, or came too late.
  public static let invalidAuthenticatorResponse = Self(rawValue: "invalid-authenticator-response")
  /// The claims are invalid.
  public static let invalidClaims = Self(rawValue: "invalid-claims")
  /// ``ActionCodeSettings/url`` is invalid.
  public static let invalidContinueURI = Self(rawValue: "invalid-continue-uri")
  /// The credential is invalid, or has expired.
  public static let invalidCredential = Self(rawValue: "invalid-credential")
  /// The custom token is invalid.
  public static let invalidCustomToken = Self(rawValue: "invalid-custom-token")
  /// The project doesn't have the domain for dynamic links.
  public static let invalidDynamicLinkDomain = Self(rawValue: "invalid-dynamic-link-domain")
  /// The email address is invalid.
  public static let invalidEmail = Self(rawValue: "invalid-email")
  /// The domain for links doesn't belong to the project.
  public static let invalidHostingLinkDomain = Self(rawValue: "invalid-hosting-link-domain")
  /// The project's template for the email is invalid.
  public static let invalidMessagePayload = Self(rawValue: "invalid-message-payload")
  /// The pending sign-in with a second factor is unknown.
  public static let invalidMultiFactorSession = Self(rawValue: "invalid-multi-factor-session")
  /// The client of the provider's token is unknown to the project.
  public static let invalidOAuthClientID = Self(rawValue: "invalid-oauth-client-id")
  /// The phone number is invalid.
  public static let invalidPhoneNumber = Self(rawValue: "invalid-phone-number")
  /// The project doesn't know the provider.
  public static let invalidProviderID = Self(rawValue: "invalid-provider-id")
  /// The reCAPTCHA token is for another action.
  public static let invalidRecaptchaAction = Self(rawValue: "invalid-recaptcha-action")
  /// The reCAPTCHA token wasn't accepted.
  public static let invalidRecaptchaToken = Self(rawValue: "invalid-recaptcha-token")
  /// The server doesn't know the version of reCAPTCHA.
  public static let invalidRecaptchaVersion = Self(rawValue: "invalid-recaptcha-version")
  /// An email can't be sent to the address.
  public static let invalidRecipientEmail = Self(rawValue: "invalid-recipient-email")
  /// The sender of the project's emails is invalid.
  public static let invalidSender = Self(rawValue: "invalid-sender")
  /// The tenant doesn't exist, or its identifier is invalid.
  public static let invalidTenantID = Self(rawValue: "invalid-tenant-id")
  /// The user's token was issued for another project, or was modified.
  public static let invalidUserToken = Self(rawValue: "invalid-user-token")
  /// The code of the text message is wrong.
  public static let invalidVerificationCode = Self(rawValue: "invalid-verification-code")
  /// The verification of the phone number is unknown.
  public static let invalidVerificationID = Self(rawValue: "invalid-verification-id")
  /// The ID token can't be read.
  public static let malformedJWT = Self(rawValue: "malformed-jwt")
  /// The user has as many passkeys as possible.
  public static let maximumPasskeyCountExceeded = Self(rawValue: "maximum-passkey-count-exceeded")
  /// The user has as many second factors as are allowed.
  public static let maximumSecondFactorCountExceeded = Self(rawValue: "maximum-second-factor-count-exceeded")
  /// The action code of an email is missing.
  public static let missingActionCode = Self(rawValue: "missing-action-code")
  /// The package name of the Android app is missing.
  public static let missingAndroidPackageName = Self(rawValue: "missing-android-pkg-name")
  /// The app's proof of its identity is missing.
  public static let missingAppCredential = Self(rawValue: "missing-app-credential")
  /// The push token of the Apple app is missing.
  public static let missingAppToken = Self(rawValue: "missing-app-token")
  /// The request has neither a push token nor a reCAPTCHA response.
  public static let missingClientIdentifier = Self(rawValue: "missing-client-identifier")
  /// The client type is missing in a request with reCAPTCHA.
  public static let missingClientType = Self(rawValue: "missing-client-type")
  /// ``ActionCodeSettings/url`` is missing.
  public static let missingContinueURI = Self(rawValue: "missing-continue-uri")
  /// The email address is missing.
  public static let missingEmail = Self(rawValue: "missing-email")
  /// The bundle ID of the Apple app is missing.
  public static let missingIosBundleID = Self(rawValue: "missing-ios-bundle-id")
  /// The second factor to use is missing.
  public static let missingMultiFactorInfo = Self(rawValue: "missing-multi-factor-info")
  /// The pending sign-in with a second factor is missing.
  public static let missingMultiFactorSession = Self(rawValue: "missing-multi-factor-session")
  /// The nonce is missing, or doesn't match the provider's token.
  public static let missingOrInvalidNonce = Self(rawValue: "missing-or-invalid-nonce")
  /// The password is missing.
  public static let missingPassword = Self(rawValue: "missing-password")
  /// The phone number is missing.
  public static let missingPhoneNumber = Self(rawValue: "missing-phone-number")
  /// The reCAPTCHA token is missing.
  public static let missingRecaptchaToken = Self(rawValue: "missing-recaptcha-token")
  /// The version of reCAPTCHA is missing.
  public static let missingRecaptchaVersion = Self(rawValue: "missing-recaptcha-version")
  /// The code of the text message is missing.
  public static let missingVerificationCode = Self(rawValue: "missing-verification-code")
  /// The verification of the phone number is missing.
  public static let missingVerificationID = Self(rawValue: "missing-verification-id")
  /// The user doesn't have the second factor.
  public static let multiFactorInfoNotFound = Self(rawValue: "multi-factor-info-not-found")
  /// The server can't be reached, or fails for now: try again. The user stays signed in.
  public static let networkError = Self(rawValue: "network-error")
  /// The user has no credential of the provider.
  public static let noSuchProvider = Self(rawValue: "no-such-provider")
  /// The sign-in method is disabled in the project.
  public static let operationNotAllowed = Self(rawValue: "operation-not-allowed")
  /// The password policy has a form that this version of the library doesn't know.
  public static let unsupportedPasswordPolicySchemaVersion = Self(
    rawValue: "unsupported-password-policy-schema-version")
  /// The password doesn't meet the project's policy.
  public static let passwordPolicy = Self(rawValue: "password-does-not-meet-requirements")
  /// No user has the passkey.
  public static let passkeyEnrollmentNotFound = Self(rawValue: "passkey-enrollment-not-found")
  /// Another user has the phone number.
  public static let phoneNumberAlreadyExists = Self(rawValue: "phone-number-already-exists")
  /// Authentication is disabled in the project.
  public static let projectDisabled = Self(rawValue: "project-disabled")
  /// The project doesn't exist.
  public static let projectNotFound = Self(rawValue: "project-not-found")
  /// The user already has a credential of the provider.
  public static let providerAlreadyLinked = Self(rawValue: "provider-already-linked")
  /// A quota is exhausted.
  public static let quotaExceeded = Self(rawValue: "quota-exceeded")
  /// reCAPTCHA isn't enabled in the project.
  public static let recaptchaNotEnabled = Self(rawValue: "recaptcha-not-enabled")
  /// The credential is malformed or doesn't match.
  public static let rejectedCredential = Self(rawValue: "rejected-credential")
  /// The last sign-in was too long ago for the operation. ``User/reauthenticate(with:)`` renews it.
  public static let requiresRecentLogin = Self(rawValue: "requires-recent-login")
  /// The user already has the second factor.
  public static let secondFactorAlreadyEnrolled = Self(rawValue: "second-factor-already-in-use")
  /// The user must prove a second factor. ``AuthError/multiFactorResolver`` continues the sign-in.
  public static let secondFactorRequired = Self(rawValue: "multi-factor-auth-required")
  /// The code of the text message has expired.
  public static let sessionExpired = Self(rawValue: "code-expired")
  /// The stored session is damaged, and was moved aside. The user must sign in again.
  public static let sessionDamaged = Self(rawValue: "session-damaged")
  /// The stored session can't be read now, for example because of the file's permissions or because the
  /// keychain is locked. Auth waits until it can be read; ``Auth/signOut()`` moves it aside.
  public static let sessionUnreadable = Self(rawValue: "session-unreadable")
  /// The session can't be stored, for example because the disk is full.
  public static let sessionUnwritable = Self(rawValue: "session-unwritable")
  /// The user belongs to another tenant.
  public static let tenantIDMismatch = Self(rawValue: "tenant-id-mismatch")
  /// There were too many attempts. Wait before the next one.
  public static let tooManyRequests = Self(rawValue: "too-many-requests")
  /// The project doesn't allow the domain of a URL.
  public static let unauthorizedDomain = Self(rawValue: "unauthorized-continue-uri")
  /// Another user has the identifier.
  public static let uidAlreadyExists = Self(rawValue: "uid-already-exists")
  /// Second factors aren't supported with this sign-in method.
  public static let unsupportedFirstFactor = Self(rawValue: "unsupported-first-factor")
  /// Tenants don't support the operation.
  public static let unsupportedTenantOperation = Self(rawValue: "unsupported-tenant-operation")
  /// The user must verify their email address first.
  public static let unverifiedEmail = Self(rawValue: "unverified-email")
  /// The user didn't allow the app to use their account.
  public static let userCancelled = Self(rawValue: "user-cancelled")
  /// An administrator has disabled the user.
  public static let userDisabled = Self(rawValue: "user-disabled")
  /// The credential doesn't belong to the user.
  public static let userMismatch = Self(rawValue: "user-mismatch")
  /// The user doesn't exist, or no longer exists.
  public static let userNotFound = Self(rawValue: "user-not-found")
  /// The user of the operation is no longer signed in.
  public static let userSignedOut = Self(rawValue: "user-signed-out")
  /// The server ended the user's session, for example because the password was changed.
  public static let userTokenExpired = Self(rawValue: "user-token-expired")
  /// The password is too weak.
  public static let weakPassword = Self(rawValue: "weak-password")
  /// The password is wrong.
  public static let wrongPassword = Self(rawValue: "wrong-password")
}
