extension ServerCode {
  /// Errors of emails and their action codes.
  static let mails: [String: ServerCode] = [
    "EXPIRED_OOB_CODE": ServerCode(
      .expiredActionCode,
      "The code of the mail has expired. Request another mail."
    ),
    "INVALID_OOB_CODE": ServerCode(
      .invalidActionCode,
      "The code of the mail is invalid, or was used before. Request another mail."
    ),
    "MISSING_OOB_CODE": ServerCode(
      .missingActionCode,
      "The code of the mail is missing. Pass the one in the mail's link (oobCode)."
    ),
    "INVALID_CONTINUE_URI": ServerCode(
      .invalidContinueURI,
      "The URL to which the mail should lead is invalid. Use one with a scheme and a host."
    ),
    "MISSING_CONTINUE_URI": ServerCode(
      .missingContinueURI,
      "The URL to which the mail should lead is missing. Set ActionCodeSettings.url."
    ),
    "UNAUTHORIZED_DOMAIN": ServerCode(
      .unauthorizedDomain,
      "The project doesn't allow this domain. Add it to the project's authorized domains."
    ),
    "INVALID_HOSTING_LINK_DOMAIN": ServerCode(
      .invalidHostingLinkDomain,
      "The domain for links doesn't belong to the project. Check ActionCodeSettings.linkDomain."
    ),
    "MISSING_IOS_BUNDLE_ID": ServerCode(
      .missingIosBundleID,
      "The bundle ID of the Apple app is missing. Set ActionCodeSettings.iOSBundleID."
    ),
    "MISSING_ANDROID_PACKAGE_NAME": ServerCode(
      .missingAndroidPackageName,
      "The package name of the Android app is missing. Set ActionCodeSettings.androidPackageName."
    ),
    "INVALID_RECIPIENT_EMAIL": ServerCode(
      .invalidRecipientEmail,
      "The mail can't be sent to {email}. Check the address."
    ),
    "INVALID_SENDER": ServerCode(
      .invalidSender,
      "The sender of the project's mails is invalid. Correct it in the project's settings."
    ),
    "INVALID_MESSAGE_PAYLOAD": ServerCode(
      .invalidMessagePayload,
      "The project's template for the mail is invalid. Correct it in the project's settings."
    ),
    "RESET_PASSWORD_EXCEED_LIMIT": ServerCode(
      .tooManyRequests,
      "Too many mails for new passwords were requested for {email}. Wait before the next one."
    ),
    "INVALID_DYNAMIC_LINK_DOMAIN": ServerCode(
      .invalidDynamicLinkDomain,
      "The project doesn't have the domain for dynamic links. Use ActionCodeSettings.linkDomain."
    ),
    "DYNAMIC_LINK_NOT_ACTIVATED": ServerCode(
      .invalidDynamicLinkDomain,
      "Dynamic links aren't available to the project. Use ActionCodeSettings.linkDomain."
    ),
    "MISSING_REQ_TYPE": ServerCode(
      .internalError,
      "The request doesn't name the kind of mail. Report it to Tenon."
    ),
    "INVALID_REQ_TYPE": ServerCode(
      .internalError,
      "The server doesn't support this kind of mail. Report it to Tenon."
    ),
  ]

  /// Errors of phone numbers and of the app's proof of its identity.
  static let phones: [String: ServerCode] = [
    "INVALID_PHONE_NUMBER": ServerCode(
      .invalidPhoneNumber,
      "The phone number is invalid. Write it with + and the country code."
    ),
    "MISSING_PHONE_NUMBER": ServerCode(
      .missingPhoneNumber, "The phone number is missing. Pass it with + and the country code."),
    "INVALID_TESTING_PHONE_NUMBER": ServerCode(
      .invalidPhoneNumber,
      "A test number of the project is invalid. Correct it in the project's settings."
    ),
    "INVALID_APP_ID": ServerCode(
      .invalidAppCredential,
      "The project doesn't have the app. Compare AppOptions.appID with the project's settings."
    ),
    "INVALID_CERT_HASH": ServerCode(
      .invalidAppCredential,
      "The project doesn't know the app's signing certificate. Enter its fingerprint in the project's settings."
    ),
    "PHONE_NUMBER_EXISTS": ServerCode(
      .phoneNumberAlreadyExists,
      "Another user has the phone number. Sign in with it instead."
    ),
    "INVALID_CODE": ServerCode(
      .invalidVerificationCode, "The code of the text message is wrong. Try again."),
    "MISSING_CODE": ServerCode(
      .missingVerificationCode, "The code of the text message is missing. Pass it."),
    "INVALID_SESSION_INFO": ServerCode(
      .invalidVerificationID,
      "The verification of the phone number is unknown. Request another text message."
    ),
    "MISSING_SESSION_INFO": ServerCode(
      .missingVerificationID,
      "The verification of the phone number is missing. Request a text message first."
    ),
    "SESSION_EXPIRED": ServerCode(
      .sessionExpired,
      "The code of the text message has expired. Request another one."
    ),
    "INVALID_TEMPORARY_PROOF": ServerCode(
      .invalidCredential,
      "The proof of the phone number has expired. Request another text message."
    ),
    "APP_NOT_VERIFIED": ServerCode(
      .appNotVerified,
      "The app couldn't prove that it belongs to the project. Check its registration in the project."
    ),
    "CAPTCHA_CHECK_FAILED": ServerCode(
      .captchaCheckFailed,
      "The reCAPTCHA response wasn't accepted. Try again."
    ),
    "INVALID_APP_CREDENTIAL": ServerCode(
      .invalidAppCredential,
      "The app's proof of its identity wasn't accepted. Try again."
    ),
    "MISSING_APP_CREDENTIAL": ServerCode(
      .missingAppCredential,
      "The app's proof of its identity is missing. Register the app for push messages, or use reCAPTCHA."
    ),
    "MISSING_IOS_APP_TOKEN": ServerCode(
      .missingAppToken,
      "The push token of the Apple app is missing. Register the app for push messages."
    ),
    "MISSING_CLIENT_IDENTIFIER": ServerCode(
      .missingClientIdentifier,
      "The request has neither a push token nor a reCAPTCHA response. Pass one of them."
    ),
    "RECAPTCHA_NOT_ENABLED": ServerCode(
      .recaptchaNotEnabled,
      "reCAPTCHA isn't enabled. Enable it in the project's settings."
    ),
    "MISSING_RECAPTCHA_TOKEN": ServerCode(
      .missingRecaptchaToken, "The reCAPTCHA token is missing. Pass one."),
    "INVALID_RECAPTCHA_TOKEN": ServerCode(
      .invalidRecaptchaToken, "The reCAPTCHA token wasn't accepted. Try again."),
    "INVALID_RECAPTCHA_ACTION": ServerCode(
      .invalidRecaptchaAction,
      "The reCAPTCHA token is for another action. Try again."
    ),
    "MISSING_CLIENT_TYPE": ServerCode(
      .missingClientType,
      "The client type is missing in the request with reCAPTCHA. Report it to Tenon."
    ),
    "MISSING_RECAPTCHA_VERSION": ServerCode(
      .missingRecaptchaVersion,
      "The version of reCAPTCHA is missing in the request. Report it to Tenon."
    ),
    "INVALID_RECAPTCHA_VERSION": ServerCode(
      .invalidRecaptchaVersion,
      "The server doesn't know the version of reCAPTCHA. Report it to Tenon."
    ),
  ]

  /// Errors of second factors.
  static let secondFactors: [String: ServerCode] = [
    "MISSING_MFA_PENDING_CREDENTIAL": ServerCode(
      .missingMultiFactorSession,
      "The sign-in that waits for a second factor is missing. Sign in again."
    ),
    "INVALID_MFA_PENDING_CREDENTIAL": ServerCode(
      .invalidMultiFactorSession,
      "The sign-in that waits for a second factor is unknown. Sign in again."
    ),
    "MISSING_CREDENTIAL": ServerCode(
      .missingMultiFactorSession,
      "The sign-in that waits for a second factor is missing. Sign in again."
    ),
    "MISSING_MFA_ENROLLMENT_ID": ServerCode(
      .missingMultiFactorInfo,
      "The second factor to use is missing. Pass one of the user's."
    ),
    "MFA_ENROLLMENT_NOT_FOUND": ServerCode(
      .multiFactorInfoNotFound,
      "The user doesn't have this second factor. Pass one of the user's."
    ),
    "UNVERIFIED_EMAIL": ServerCode(
      .unverifiedEmail,
      "The user must verify their email address first. Use sendEmailVerification()."
    ),
    "SECOND_FACTOR_EXISTS": ServerCode(
      .secondFactorAlreadyEnrolled,
      "The user has this second factor already. Add another one."
    ),
    "SECOND_FACTOR_LIMIT_EXCEEDED": ServerCode(
      .maximumSecondFactorCountExceeded,
      "The user has as many second factors as are allowed. Remove one first."
    ),
    "UNSUPPORTED_FIRST_FACTOR": ServerCode(
      .unsupportedFirstFactor,
      "Second factors aren't supported with this way to sign in. Use an email address or a provider."
    ),
  ]

  /// Errors of operations that only administrators may perform.
  static let administration: [String: ServerCode] = [
    "INSUFFICIENT_PERMISSION": ServerCode(
      .insufficientPermission,
      "Only an administrator may perform this operation. Perform it on the app's server."
    ),
    "UNEXPECTED_PARAMETER": ServerCode(
      .insufficientPermission,
      "Only an administrator may use this parameter. Use it on the app's server."
    ),
    "DUPLICATE_LOCAL_ID": ServerCode(
      .uidAlreadyExists, "Another user has the identifier. Use another one."),
    "MISSING_LOCAL_ID": ServerCode(.argumentError, "The user's identifier is missing. Pass it."),
    "CLAIMS_TOO_LARGE": ServerCode(
      .invalidClaims,
      "The claims are larger than 1000 characters. Use fewer or smaller claims."
    ),
    "INVALID_CLAIMS": ServerCode(.invalidClaims, "The claims aren't a JSON object. Pass names and values."),
    "FORBIDDEN_CLAIM": ServerCode(
      .invalidClaims,
      "A claim has a name that is reserved for the issuer of tokens. Use another name."
    ),
  ]
}
