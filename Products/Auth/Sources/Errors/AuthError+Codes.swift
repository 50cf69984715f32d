extension AuthError {
  /// What went wrong, stable across versions. The names are those of Firebase's web SDK where it has one.
  public struct Code: RawRepresentable, Sendable, Hashable {
    /// The code as text, for example `wrong-password`.
    public let rawValue: String

    /// Creates a code that this version does not know.
    public init(rawValue: String) { self.rawValue = rawValue }
  }
}

extension AuthError.Code {
  /// Another user has the address, and signs in another way.
  public static let accountExistsWithDifferentCredential = Self(
    rawValue: "account-exists-with-different-credential")
  /// Creating users of this kind is reserved to administrators.
  public static let adminRestrictedOperation = Self(rawValue: "admin-restricted-operation")
  /// The app may not use this API key.
  public static let appNotAuthorized = Self(rawValue: "app-not-authorized")
  /// The app could not show that it is the project's.
  public static let appNotVerified = Self(rawValue: "app-not-verified")
  /// An argument can't be used.
  public static let argumentError = Self(rawValue: "argument-error")
  /// A function of the project refused the user.
  public static let blockingFunctionError = Self(rawValue: "blocking-function-error")
  /// The answer to reCAPTCHA was not accepted.
  public static let captchaCheckFailed = Self(rawValue: "captcha-check-failed")
  /// Another user signs in with this credential.
  public static let credentialAlreadyInUse = Self(rawValue: "credential-already-in-use")
  /// The custom token is for another project.
  public static let customTokenMismatch = Self(rawValue: "custom-token-mismatch")
  /// The address belongs to another user.
  public static let emailAlreadyInUse = Self(rawValue: "email-already-in-use")
  /// The address changes only after the new one was verified.
  public static let emailChangeNeedsVerification = Self(rawValue: "email-change-needs-verification")
  /// The code of the mail has expired.
  public static let expiredActionCode = Self(rawValue: "expired-action-code")
  /// Only an administrator may do this.
  public static let insufficientPermission = Self(rawValue: "insufficient-permission")
  /// The server's answer can't be understood, or the server failed.
  public static let internalError = Self(rawValue: "internal-error")
  /// The API key is missing or wrong.
  public static let invalidAPIKey = Self(rawValue: "invalid-api-key")
  /// The code of the mail was used already, or is none.
  public static let invalidActionCode = Self(rawValue: "invalid-action-code")
  /// The app's proof of itself was not accepted.
  public static let invalidAppCredential = Self(rawValue: "invalid-app-credential")
  /// Claims can't be used.
  public static let invalidClaims = Self(rawValue: "invalid-claims")
  /// The URL that a mail should lead to is none.
  public static let invalidContinueURL = Self(rawValue: "invalid-continue-uri")
  /// The credential is wrong, or has expired.
  public static let invalidCredential = Self(rawValue: "invalid-credential")
  /// The custom token is none.
  public static let invalidCustomToken = Self(rawValue: "invalid-custom-token")
  /// The address is no e-mail address.
  public static let invalidEmail = Self(rawValue: "invalid-email")
  /// The domain for links is not one of the project's.
  public static let invalidHostingLinkDomain = Self(rawValue: "invalid-hosting-link-domain")
  /// The project's template for the mail is wrong.
  public static let invalidMessagePayload = Self(rawValue: "invalid-message-payload")
  /// The sign-in that waits for a second factor is not known.
  public static let invalidMultiFactorSession = Self(rawValue: "invalid-multi-factor-session")
  /// The phone number is none.
  public static let invalidPhoneNumber = Self(rawValue: "invalid-phone-number")
  /// The provider is none that the project knows.
  public static let invalidProviderID = Self(rawValue: "invalid-provider-id")
  /// The mail can't be sent to this address.
  public static let invalidRecipientEmail = Self(rawValue: "invalid-recipient-email")
  /// The project's sender of mails is wrong.
  public static let invalidSender = Self(rawValue: "invalid-sender")
  /// The user's token isn't one of this project's, or was altered.
  public static let invalidUserToken = Self(rawValue: "invalid-user-token")
  /// The code of the message is wrong.
  public static let invalidVerificationCode = Self(rawValue: "invalid-verification-code")
  /// The verification is not known.
  public static let invalidVerificationID = Self(rawValue: "invalid-verification-id")
  /// The ID token can't be read.
  public static let malformedToken = Self(rawValue: "malformed-jwt")
  /// The code of the mail is missing.
  public static let missingActionCode = Self(rawValue: "missing-action-code")
  /// The Android app's name is missing.
  public static let missingAndroidPackageName = Self(rawValue: "missing-android-pkg-name")
  /// The app's proof of itself is missing.
  public static let missingAppCredential = Self(rawValue: "missing-app-credential")
  /// The Apple app's push token is missing.
  public static let missingAppToken = Self(rawValue: "missing-app-token")
  /// Neither a push token nor an answer to reCAPTCHA was sent.
  public static let missingClientIdentifier = Self(rawValue: "missing-client-identifier")
  /// The URL that a mail should lead to is missing.
  public static let missingContinueURL = Self(rawValue: "missing-continue-uri")
  /// The e-mail address is missing.
  public static let missingEmail = Self(rawValue: "missing-email")
  /// The Apple app's bundle id is missing.
  public static let missingIOSBundleID = Self(rawValue: "missing-ios-bundle-id")
  /// It is missing which second factor is meant.
  public static let missingMultiFactorInfo = Self(rawValue: "missing-multi-factor-info")
  /// The sign-in that waits for a second factor is missing.
  public static let missingMultiFactorSession = Self(rawValue: "missing-multi-factor-session")
  /// The nonce doesn't fit the provider's token.
  public static let missingNonce = Self(rawValue: "missing-or-invalid-nonce")
  /// The password is missing.
  public static let missingPassword = Self(rawValue: "missing-password")
  /// The code of the message is missing.
  public static let missingVerificationCode = Self(rawValue: "missing-verification-code")
  /// The verification is missing.
  public static let missingVerificationID = Self(rawValue: "missing-verification-id")
  /// The user has no such second factor.
  public static let multiFactorInfoNotFound = Self(rawValue: "multi-factor-info-not-found")
  /// The user must prove a second factor.
  public static let multiFactorRequired = Self(rawValue: "multi-factor-auth-required")
  /// The server can't be reached. Nobody is signed out by that.
  public static let networkError = Self(rawValue: "network-error")
  /// Nobody is signed in.
  public static let noCurrentUser = Self(rawValue: "no-current-user")
  /// The user does not sign in this way.
  public static let noSuchProvider = Self(rawValue: "no-such-provider")
  /// This way of signing in is switched off in the project.
  public static let operationNotAllowed = Self(rawValue: "operation-not-allowed")
  /// The password doesn't meet the project's policy.
  public static let passwordPolicy = Self(rawValue: "password-does-not-meet-requirements")
  /// Another user has the phone number.
  public static let phoneNumberAlreadyExists = Self(rawValue: "phone-number-already-exists")
  /// Authentication is switched off in the project.
  public static let projectDisabled = Self(rawValue: "project-disabled")
  /// The user has this way of signing in already.
  public static let providerAlreadyLinked = Self(rawValue: "provider-already-linked")
  /// A quota is used up.
  public static let quotaExceeded = Self(rawValue: "quota-exceeded")
  /// reCAPTCHA is set up wrongly, or its token was not accepted.
  public static let recaptcha = Self(rawValue: "recaptcha-error")
  /// The last sign-in is too long ago for this; sign in again.
  public static let requiresRecentLogin = Self(rawValue: "requires-recent-login")
  /// The user has this second factor already.
  public static let secondFactorAlreadyInUse = Self(rawValue: "second-factor-already-in-use")
  /// The user has as many second factors as are allowed.
  public static let secondFactorLimitExceeded = Self(rawValue: "maximum-second-factor-count-exceeded")
  /// The code of the message has expired.
  public static let sessionExpired = Self(rawValue: "code-expired")
  /// The kept session can't be read.
  public static let sessionUnreadable = Self(rawValue: "session-unreadable")
  /// The session can't be kept.
  public static let sessionUnwritable = Self(rawValue: "session-unwritable")
  /// The user belongs to another tenant.
  public static let tenantIDMismatch = Self(rawValue: "tenant-id-mismatch")
  /// Too many attempts; wait before the next one.
  public static let tooManyRequests = Self(rawValue: "too-many-requests")
  /// The project doesn't allow the domain of a URL.
  public static let unauthorizedDomain = Self(rawValue: "unauthorized-continue-uri")
  /// Another user has the id.
  public static let uidAlreadyExists = Self(rawValue: "uid-already-exists")
  /// Second factors don't go with this way to sign in.
  public static let unsupportedFirstFactor = Self(rawValue: "unsupported-first-factor")
  /// Tenants don't support this.
  public static let unsupportedTenantOperation = Self(rawValue: "unsupported-tenant-operation")
  /// The user must verify their address first.
  public static let unverifiedEmail = Self(rawValue: "unverified-email")
  /// The user is disabled.
  public static let userDisabled = Self(rawValue: "user-disabled")
  /// The credential is not the current user's.
  public static let userMismatch = Self(rawValue: "user-mismatch")
  /// There is no such user, or no longer.
  public static let userNotFound = Self(rawValue: "user-not-found")
  /// The user was signed out while the operation was going on.
  public static let userSignedOut = Self(rawValue: "user-signed-out")
  /// The user's session was ended, for example by a change of the password.
  public static let userTokenExpired = Self(rawValue: "user-token-expired")
  /// The password is too weak.
  public static let weakPassword = Self(rawValue: "weak-password")
  /// The password is wrong.
  public static let wrongPassword = Self(rawValue: "wrong-password")
}
