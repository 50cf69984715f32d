extension ServerCode {
  /// Codes of mails.
  static let mails: [String: ServerCode] = [
    "EXPIRED_OOB_CODE": ServerCode(
      .expiredActionCode,
      "The code of the mail has expired. Ask for another mail."
    ),
    "INVALID_OOB_CODE": ServerCode(
      .invalidActionCode,
      "The code of the mail was used already, or is none. Ask for another mail."
    ),
    "MISSING_OOB_CODE": ServerCode(
      .missingActionCode,
      "The code of the mail is missing. Take it from the mail's link (oobCode)."
    ),
    "INVALID_CONTINUE_URI": ServerCode(
      .invalidContinueURL,
      "The URL that the mail should lead to is none. Use one with scheme and host."
    ),
    "MISSING_CONTINUE_URI": ServerCode(
      .missingContinueURL,
      "The URL that the mail should lead to is missing. Set ActionCodeSettings.continueURL."
    ),
    "UNAUTHORIZED_DOMAIN": ServerCode(
      .unauthorizedDomain,
      "The project does not allow this domain. Add it to the project's authorized domains."
    ),
    "INVALID_HOSTING_LINK_DOMAIN": ServerCode(
      .invalidHostingLinkDomain,
      "The domain for links is not one of the project's. Check ActionCodeSettings.linkDomain."
    ),
    "MISSING_IOS_BUNDLE_ID": ServerCode(
      .missingIOSBundleID,
      "The Apple app's bundle id is missing. Set ActionCodeSettings.iOSBundleID."
    ),
    "MISSING_ANDROID_PACKAGE_NAME": ServerCode(
      .missingAndroidPackageName,
      "The Android app's name is missing. Set ActionCodeSettings.androidPackageName."
    ),
    "INVALID_RECIPIENT_EMAIL": ServerCode(
      .invalidRecipientEmail,
      "The mail can't be sent to {email}. Check the address."
    ),
    "INVALID_SENDER": ServerCode(
      .invalidSender,
      "The sender of the project's mails is wrong. Correct it in the project's settings."
    ),
    "INVALID_MESSAGE_PAYLOAD": ServerCode(
      .invalidMessagePayload,
      "The template of the project's mail is wrong. Correct it in the project's settings."
    ),
    "MISSING_REQ_TYPE": ServerCode(
      .internalError,
      "The request does not say which mail is meant. Report it to Tenon."
    ),
    "INVALID_REQ_TYPE": ServerCode(
      .internalError,
      "The server does not know this request. Report it to Tenon."
    ),
  ]

  /// Codes of phone numbers and of proofs of the app.
  static let phones: [String: ServerCode] = [
    "INVALID_PHONE_NUMBER": ServerCode(
      .invalidPhoneNumber,
      "The phone number is none. Write it with + and the country's code."
    ),
    "PHONE_NUMBER_EXISTS": ServerCode(
      .phoneNumberAlreadyExists,
      "Another user has the phone number. Sign in with it instead."
    ),
    "INVALID_CODE": ServerCode(.invalidVerificationCode, "The code of the message is wrong. Try again."),
    "MISSING_CODE": ServerCode(.missingVerificationCode, "The code of the message is missing. Give it."),
    "INVALID_SESSION_INFO": ServerCode(
      .invalidVerificationID,
      "The verification is not known. Ask for another message."
    ),
    "MISSING_SESSION_INFO": ServerCode(
      .missingVerificationID,
      "The verification is missing. Ask for a message first."
    ),
    "SESSION_EXPIRED": ServerCode(
      .sessionExpired,
      "The code of the message has expired. Ask for another message."
    ),
    "INVALID_TEMPORARY_PROOF": ServerCode(
      .invalidCredential,
      "The proof of the phone number has expired. Ask for another message."
    ),
    "APP_NOT_VERIFIED": ServerCode(
      .appNotVerified,
      "The app could not show that it is the project's. Check its registration in the project."
    ),
    "CAPTCHA_CHECK_FAILED": ServerCode(
      .captchaCheckFailed,
      "The answer to reCAPTCHA was not accepted. Try again."
    ),
    "INVALID_APP_CREDENTIAL": ServerCode(
      .invalidAppCredential,
      "The app's proof of itself was not accepted. Try again."
    ),
    "MISSING_APP_CREDENTIAL": ServerCode(
      .missingAppCredential,
      "The app's proof of itself is missing. Register the app for push messages, or use reCAPTCHA."
    ),
    "MISSING_IOS_APP_TOKEN": ServerCode(
      .missingAppToken,
      "The Apple app's push token is missing. Register the app for push messages."
    ),
    "MISSING_CLIENT_IDENTIFIER": ServerCode(
      .missingClientIdentifier,
      "Neither a push token nor an answer to reCAPTCHA was sent. Send one."
    ),
    "RECAPTCHA_NOT_ENABLED": ServerCode(
      .recaptcha,
      "reCAPTCHA is not switched on. Switch it on in the project's settings."
    ),
    "MISSING_RECAPTCHA_TOKEN": ServerCode(.recaptcha, "The answer to reCAPTCHA is missing. Send one."),
    "INVALID_RECAPTCHA_TOKEN": ServerCode(.recaptcha, "The answer to reCAPTCHA was not accepted. Try again."),
    "INVALID_RECAPTCHA_ACTION": ServerCode(
      .recaptcha,
      "The answer to reCAPTCHA is for another action. Try again."
    ),
    "MISSING_CLIENT_TYPE": ServerCode(
      .recaptcha,
      "The kind of client is missing in the request with reCAPTCHA. Report it to Tenon."
    ),
    "MISSING_RECAPTCHA_VERSION": ServerCode(
      .recaptcha,
      "The version of reCAPTCHA is missing. Report it to Tenon."
    ),
    "INVALID_RECAPTCHA_VERSION": ServerCode(
      .recaptcha,
      "The server does not know the version of reCAPTCHA. Report it to Tenon."
    ),
  ]

  /// Codes of second factors.
  static let secondFactors: [String: ServerCode] = [
    "MISSING_MFA_PENDING_CREDENTIAL": ServerCode(
      .missingMultiFactorSession,
      "The sign-in that waits for a second factor is missing. Sign in again."
    ),
    "INVALID_MFA_PENDING_CREDENTIAL": ServerCode(
      .invalidMultiFactorSession,
      "The sign-in that waits for a second factor is not known. Sign in again."
    ),
    "MISSING_CREDENTIAL": ServerCode(
      .missingMultiFactorSession,
      "The sign-in that waits for a second factor is missing. Sign in again."
    ),
    "MISSING_MFA_ENROLLMENT_ID": ServerCode(
      .missingMultiFactorInfo,
      "It is missing which second factor is meant. Choose one of the user's."
    ),
    "MFA_ENROLLMENT_NOT_FOUND": ServerCode(
      .multiFactorInfoNotFound,
      "The user has no such second factor. Choose one of the user's."
    ),
    "UNVERIFIED_EMAIL": ServerCode(
      .unverifiedEmail,
      "The user must verify their address first. Use sendEmailVerification()."
    ),
    "SECOND_FACTOR_EXISTS": ServerCode(
      .secondFactorAlreadyInUse,
      "The user has this second factor already. Add another one."
    ),
    "SECOND_FACTOR_LIMIT_EXCEEDED": ServerCode(
      .secondFactorLimitExceeded,
      "The user has as many second factors as are allowed. Remove one first."
    ),
    "UNSUPPORTED_FIRST_FACTOR": ServerCode(
      .unsupportedFirstFactor,
      "Second factors do not go with this way to sign in. Use an address or a provider."
    ),
  ]

  /// Codes of what administrators may do.
  static let administration: [String: ServerCode] = [
    "INSUFFICIENT_PERMISSION": ServerCode(
      .insufficientPermission,
      "Only an administrator may do this. Do it on the app's server."
    ),
    "UNEXPECTED_PARAMETER": ServerCode(
      .insufficientPermission,
      "Only an administrator may say this. Do it on the app's server."
    ),
    "DUPLICATE_LOCAL_ID": ServerCode(.uidAlreadyExists, "Another user has the id. Use another one."),
    "MISSING_LOCAL_ID": ServerCode(.argumentError, "It is missing which user is meant. Give the user's id."),
    "CLAIMS_TOO_LARGE": ServerCode(
      .invalidClaims,
      "The claims are larger than 1000 characters. Keep less in them."
    ),
    "INVALID_CLAIMS": ServerCode(.invalidClaims, "The claims are no JSON object. Give names and values."),
    "FORBIDDEN_CLAIM": ServerCode(
      .invalidClaims,
      "A claim bears a name that belongs to the issuer of tokens. Use another one."
    ),
  ]
}
