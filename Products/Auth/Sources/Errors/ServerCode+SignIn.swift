extension ServerCode {
  /// Errors of signing in and of the account.
  static let signIn: [String: ServerCode] = [
    "EMAIL_NOT_FOUND": ServerCode(
      .userNotFound,
      "There is no user with the email address {email}. Check it, or create the user."
    ),
    "USER_NOT_FOUND": ServerCode(
      .userNotFound, "The user no longer exists. Sign in as another user."),
    "INVALID_PASSWORD": ServerCode(
      .wrongPassword,
      "The password for {email} is wrong. Try again, or use sendPasswordReset(withEmail:)."
    ),
    "INVALID_LOGIN_CREDENTIALS": ServerCode(
      .invalidCredential,
      "The password for {email} is wrong, or there is no such user. Try again, or use "
        + "sendPasswordReset(withEmail:)."
    ),
    "EMAIL_EXISTS": ServerCode(
      .emailAlreadyInUse,
      "Another user has the email address {email}. Sign in instead, or use another address."
    ),
    "WEAK_PASSWORD": ServerCode(.weakPassword, "The password is too weak. Use at least 6 characters."),
    "PASSWORD_DOES_NOT_MEET_REQUIREMENTS": ServerCode(
      .passwordPolicy,
      "The password doesn't meet the project's policy. Use one that does."
    ),
    "INVALID_EMAIL": ServerCode(
      .invalidEmail,
      "{email} isn't a valid email address, or not the one of the code or token. Check it."
    ),
    "INVALID_IDENTIFIER": ServerCode(
      .invalidEmail, "{email} isn't a valid email address. Check it."),
    "MISSING_EMAIL": ServerCode(
      .missingEmail,
      "The email address is missing, or the user has none. Pass one."
    ),
    "MISSING_NEW_EMAIL": ServerCode(.missingEmail, "The new email address is missing. Pass one."),
    "MISSING_IDENTIFIER": ServerCode(
      .missingEmail,
      "The identifier of the user is missing: an email address, or the user ID in a custom token. Pass one."
    ),
    "MISSING_PASSWORD": ServerCode(.missingPassword, "The password is missing. Pass one."),
    "USER_DISABLED": ServerCode(
      .userDisabled,
      "An administrator has disabled the user. Only an administrator can enable the user again."
    ),
    "OPERATION_NOT_ALLOWED": ServerCode(
      .operationNotAllowed,
      "This way to sign in is disabled. Enable it in the project's settings."
    ),
    "PASSWORD_LOGIN_DISABLED": ServerCode(
      .operationNotAllowed,
      "Sign-in with passwords is disabled. Enable it in the project's settings."
    ),
    "ADMIN_ONLY_OPERATION": ServerCode(
      .adminRestrictedOperation,
      "Only administrators may create such users in this project. Let an administrator create the user."
    ),
    "PROJECT_DISABLED": ServerCode(
      .projectDisabled,
      "Authentication is disabled in this project or tenant. Enable it in the project's settings."
    ),
    "TOO_MANY_ATTEMPTS_TRY_LATER": ServerCode(
      .tooManyRequests,
      "There were too many attempts. Wait before the next one."
    ),
    "QUOTA_EXCEEDED": ServerCode(
      .quotaExceeded,
      "The project's quota is exhausted. Try again later, or raise it."
    ),
    "EMAIL_CHANGE_NEEDS_VERIFICATION": ServerCode(
      .emailChangeNeedsVerification,
      "The email address changes only after the new one was verified. Use "
        + "sendEmailVerification(beforeUpdatingEmail:)."
    ),
  ]

  /// Errors of passkeys.
  static let passkeys: [String: ServerCode] = [
    "INVALID_AUTHENTICATOR_RESPONSE": ServerCode(
      .invalidAuthenticatorResponse,
      "The authenticator's answer isn't one to this request, or came too late. Start again."
    ),
    "MISSING_AUTHENTICATOR_RESPONSE": ServerCode(
      .invalidAuthenticatorResponse, "The authenticator's answer is missing. Start again."),
    "PASSKEY_CREDENTIAL_NOT_FOUND": ServerCode(
      .passkeyEnrollmentNotFound, "No user has the passkey. Sign in in another way, and enroll it again."),
    "PASSKEY_ENROLLMENT_NOT_FOUND": ServerCode(
      .passkeyEnrollmentNotFound, "No user has the passkey. Sign in in another way, and enroll it again."),
    "PASSKEY_ALREADY_EXISTS": ServerCode(
      .credentialAlreadyInUse, "The passkey is enrolled already. Sign in with it, or create another one."),
    "MAXIMUM_PASSKEY_COUNT_EXCEEDED": ServerCode(
      .maximumPasskeyCountExceeded, "The user has as many passkeys as possible. Remove one first."),
  ]

  /// Errors of ID tokens and refresh tokens.
  static let tokens: [String: ServerCode] = [
    "INVALID_ID_TOKEN": ServerCode(
      .invalidUserToken,
      "The server doesn't accept the user's token. Sign in again."
    ),
    "MISSING_ID_TOKEN": ServerCode(.invalidUserToken, "The user's token is missing. Sign in again."),
    "INVALID_REFRESH_TOKEN": ServerCode(
      .invalidUserToken,
      "The server doesn't accept the user's refresh token. Sign in again."
    ),
    "MISSING_REFRESH_TOKEN": ServerCode(
      .invalidUserToken,
      "The user's refresh token is missing. Sign in again."
    ),
    "TOKEN_EXPIRED": ServerCode(
      .userTokenExpired,
      "The server ended the user's session, for example because the password was changed. Sign in again."
    ),
    "CREDENTIAL_TOO_OLD_LOGIN_AGAIN": ServerCode(
      .requiresRecentLogin,
      "The last sign-in was too long ago for this operation. Use reauthenticate(with:) first."
    ),
    "MISSING_GRANT_TYPE": ServerCode(
      .internalError,
      "The request for a token doesn't name its kind. Report it to Tenon."
    ),
    "INVALID_GRANT_TYPE": ServerCode(
      .internalError,
      "The server doesn't support this request for a token. Report it to Tenon."
    ),
    "INVALID_DURATION": ServerCode(
      .argumentError,
      "The lifetime of a session cookie must be between five minutes and two weeks. Use such a lifetime."
    ),
  ]

  /// Errors of custom tokens and identity providers.
  static let credentials: [String: ServerCode] = [
    "INVALID_CUSTOM_TOKEN": ServerCode(
      .invalidCustomToken,
      "The custom token is invalid, or was made for another service. Create it with the Admin SDK of this project."
    ),
    "MISSING_CUSTOM_TOKEN": ServerCode(
      .invalidCustomToken,
      "The custom token is missing. Request one from the app's server."
    ),
    "CREDENTIAL_MISMATCH": ServerCode(
      .customTokenMismatch,
      "The custom token was made for another project. Create it with the Admin SDK of this project."
    ),
    "INVALID_IDP_RESPONSE": ServerCode(
      .invalidCredential,
      "The provider's token is invalid, or has expired. Sign in with the provider again."
    ),
    "INVALID_PENDING_TOKEN": ServerCode(
      .invalidCredential,
      "The sign-in with the provider has expired. Sign in with the provider again."
    ),
    "INVALID_CREDENTIAL_OR_PROVIDER_ID": ServerCode(
      .invalidCredential,
      "The project doesn't know the credential's provider. Enable the provider, or check its identifier."
    ),
    "INVALID_PROVIDER_ID": ServerCode(
      .invalidProviderID,
      "The project doesn't know the provider. Enable it in the project's settings, or check its identifier."
    ),
    "MISSING_OR_INVALID_NONCE": ServerCode(
      .missingOrInvalidNonce,
      "The nonce doesn't match the provider's token. Pass the raw nonce whose SHA-256 digest the token contains."
    ),
    "FEDERATED_USER_ID_ALREADY_LINKED": ServerCode(
      .credentialAlreadyInUse,
      "Another user signs in with this credential. Sign in with it instead of linking it."
    ),
    "MISSING_REQUEST_URI": ServerCode(
      .internalError,
      "The sign-in with a provider has no URL. Report it to Tenon."
    ),
    "INVALID_REQUEST_URI": ServerCode(
      .internalError,
      "The URL of the sign-in with a provider is invalid. Report it to Tenon."
    ),
    "REJECTED_CREDENTIAL": ServerCode(
      .rejectedCredential,
      "The credential was rejected because it is malformed or doesn't match. Sign in with the provider again."
    ),
    "USER_CANCELLED": ServerCode(
      .userCancelled, "The user didn't allow the app to use their account. Ask them to sign in again."),
    "INVALID_OAUTH_CLIENT_ID": ServerCode(
      .invalidOAuthClientID,
      "The client of the provider's token is unknown to the project. Enter its ID in the provider's settings."
    ),
    "INVALID_AUTH_EVENT": ServerCode(
      .internalError, "The sign-in with the provider was incomplete. Sign in with the provider again."),
    "BLOCKING_FUNCTION_ERROR_RESPONSE": ServerCode(
      .blockingCloudFunctionError,
      "A blocking function of the project rejected the user. Read the function's log."
    ),
    "TENANT_ID_MISMATCH": ServerCode(
      .tenantIDMismatch,
      "The user belongs to another tenant. Sign in to that tenant."
    ),
    "UNSUPPORTED_TENANT_OPERATION": ServerCode(
      .unsupportedTenantOperation,
      "Tenants don't support this operation. Use the project itself."
    ),
  ]
}
