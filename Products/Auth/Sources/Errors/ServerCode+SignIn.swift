extension ServerCode {
  /// Codes of signing in and of the account.
  static let signIn: [String: ServerCode] = [
    "EMAIL_NOT_FOUND": ServerCode(
      .userNotFound,
      "There is no user with the address {email}. Check it, or create the user."
    ),
    "USER_NOT_FOUND": ServerCode(.userNotFound, "The user does not exist any more. Sign in as another one."),
    "INVALID_PASSWORD": ServerCode(
      .wrongPassword,
      "The password for {email} is wrong. Try again, or use sendPasswordReset(to:)."
    ),
    "INVALID_LOGIN_CREDENTIALS": ServerCode(
      .invalidCredential,
      "The password for {email} is wrong, or there is no such user. Try again, or use "
        + "sendPasswordReset(to:)."
    ),
    "EMAIL_EXISTS": ServerCode(
      .emailAlreadyInUse,
      "Another user has the address {email}. Sign in instead, or use another address."
    ),
    "WEAK_PASSWORD": ServerCode(.weakPassword, "The password is too weak. Use at least 6 characters."),
    "PASSWORD_DOES_NOT_MEET_REQUIREMENTS": ServerCode(
      .passwordPolicy,
      "The password does not meet the project's policy. Use one that does."
    ),
    "INVALID_EMAIL": ServerCode(
      .invalidEmail,
      "{email} is no e-mail address, or not the one that is meant. Check it."
    ),
    "INVALID_IDENTIFIER": ServerCode(.invalidEmail, "{email} is no e-mail address. Check it."),
    "MISSING_EMAIL": ServerCode(
      .missingEmail,
      "The e-mail address is missing, or the user has none. Give one."
    ),
    "MISSING_NEW_EMAIL": ServerCode(.missingEmail, "The new e-mail address is missing. Give one."),
    "MISSING_IDENTIFIER": ServerCode(
      .missingEmail,
      "It is missing who is meant: an address, or the user's id in a custom token. Give one."
    ),
    "MISSING_PASSWORD": ServerCode(.missingPassword, "The password is missing. Give one."),
    "USER_DISABLED": ServerCode(
      .userDisabled,
      "An administrator has disabled the user. Only an administrator can undo that."
    ),
    "OPERATION_NOT_ALLOWED": ServerCode(
      .operationNotAllowed,
      "This way of signing in is switched off. Switch it on in the project's settings."
    ),
    "PASSWORD_LOGIN_DISABLED": ServerCode(
      .operationNotAllowed,
      "Sign-in with passwords is switched off. Switch it on in the project's settings."
    ),
    "ADMIN_ONLY_OPERATION": ServerCode(
      .adminRestrictedOperation,
      "Only administrators may create such users in this project. Have one create the user."
    ),
    "PROJECT_DISABLED": ServerCode(
      .projectDisabled,
      "Authentication is switched off in this project or tenant. Switch it on in the project's "
        + "settings."
    ),
    "TOO_MANY_ATTEMPTS_TRY_LATER": ServerCode(
      .tooManyRequests,
      "There were too many attempts. Wait before the next one."
    ),
    "QUOTA_EXCEEDED": ServerCode(
      .quotaExceeded,
      "The project's quota is used up. Try again later, or raise it."
    ),
    "EMAIL_CHANGE_NEEDS_VERIFICATION": ServerCode(
      .emailChangeNeedsVerification,
      "The address changes only after the new one was verified. Use "
        + "sendEmailVerification(beforeUpdatingTo:)."
    ),
  ]

  /// Codes of tokens.
  static let tokens: [String: ServerCode] = [
    "INVALID_ID_TOKEN": ServerCode(
      .invalidUserToken,
      "The server does not accept the user's token. Sign in again."
    ),
    "MISSING_ID_TOKEN": ServerCode(.invalidUserToken, "The user's token is missing. Sign in again."),
    "INVALID_REFRESH_TOKEN": ServerCode(
      .invalidUserToken,
      "The server does not accept the user's refresh token. Sign in again."
    ),
    "MISSING_REFRESH_TOKEN": ServerCode(
      .invalidUserToken,
      "The user's refresh token is missing. Sign in again."
    ),
    "TOKEN_EXPIRED": ServerCode(
      .userTokenExpired,
      "The user's session was ended, for example by a new password. Sign in again."
    ),
    "CREDENTIAL_TOO_OLD_LOGIN_AGAIN": ServerCode(
      .requiresRecentLogin,
      "The last sign-in is too long ago for this. Use reauthenticate(with:) before."
    ),
    "MISSING_GRANT_TYPE": ServerCode(
      .internalError,
      "The request for a token does not say what it is. Report it to Tenon."
    ),
    "INVALID_GRANT_TYPE": ServerCode(
      .internalError,
      "The server does not know this request for a token. Report it to Tenon."
    ),
    "INVALID_DURATION": ServerCode(
      .argumentError,
      "A session cookie lasts five minutes to two weeks. Ask for such a time."
    ),
  ]

  /// Codes of custom tokens and providers.
  static let credentials: [String: ServerCode] = [
    "INVALID_CUSTOM_TOKEN": ServerCode(
      .invalidCustomToken,
      "The custom token is none, or is for something else. Make it with the Admin SDK of this project."
    ),
    "MISSING_CUSTOM_TOKEN": ServerCode(
      .invalidCustomToken,
      "The custom token is missing. Get one from the app's server."
    ),
    "CREDENTIAL_MISMATCH": ServerCode(
      .customTokenMismatch,
      "The custom token is another project's. Make it with the Admin SDK of this project."
    ),
    "INVALID_IDP_RESPONSE": ServerCode(
      .invalidCredential,
      "The provider's token can't be used, or has expired. Sign in with the provider again."
    ),
    "INVALID_PENDING_TOKEN": ServerCode(
      .invalidCredential,
      "The sign-in with the provider has expired. Sign in with the provider again."
    ),
    "INVALID_CREDENTIAL_OR_PROVIDER_ID": ServerCode(
      .invalidCredential,
      "The credential has no provider that the project knows. Switch the provider on, or check its "
        + "name."
    ),
    "INVALID_PROVIDER_ID": ServerCode(
      .invalidProviderID,
      "The project knows no such provider. Switch it on in the project's settings, or check its name."
    ),
    "MISSING_OR_INVALID_NONCE": ServerCode(
      .missingNonce,
      "The nonce does not fit the provider's token. Pass the raw nonce whose SHA-256 the token holds."
    ),
    "FEDERATED_USER_ID_ALREADY_LINKED": ServerCode(
      .credentialAlreadyInUse,
      "Another user signs in with this credential. Sign in with it instead of linking it."
    ),
    "MISSING_REQUEST_URI": ServerCode(
      .internalError,
      "The sign-in with a provider lacks a URL. Report it to Tenon."
    ),
    "INVALID_REQUEST_URI": ServerCode(
      .internalError,
      "The URL of the sign-in with a provider is none. Report it to Tenon."
    ),
    "BLOCKING_FUNCTION_ERROR_RESPONSE": ServerCode(
      .blockingFunctionError,
      "A function of the project refused the user. Look into the function's log."
    ),
    "TENANT_ID_MISMATCH": ServerCode(
      .tenantIDMismatch,
      "The user belongs to another tenant. Sign in to that one."
    ),
    "UNSUPPORTED_TENANT_OPERATION": ServerCode(
      .unsupportedTenantOperation,
      "Tenants do not support this. Use the project itself."
    ),
  ]
}
