extension ServerCode {
  /// Errors of the project and its settings.
  static let projects: [String: ServerCode] = [
    "CONFIGURATION_NOT_FOUND": ServerCode(
      .configurationNotFound,
      "Authentication isn't set up in the project. Enable it and a sign-in method in the project's settings."
    ),
    "PROJECT_NOT_FOUND": ServerCode(
      .projectNotFound,
      "The project doesn't exist. Compare AppOptions.projectID and AppOptions.apiKey with the project's settings."
    ),
    "INVALID_PROJECT_ID": ServerCode(
      .projectNotFound,
      "The project doesn't exist. Compare AppOptions.projectID and AppOptions.apiKey with the project's settings."
    ),
    "API_KEY_INVALID": invalidAPIKey,
    "INVALID_API_KEY": invalidAPIKey,
    "PERMISSION_DENIED": ServerCode(
      .insufficientPermission,
      "The request isn't permitted. Check the API key's restrictions and the project's settings."
    ),
    "RESOURCE_EXHAUSTED": quotaExceeded,
    "TENANT_NOT_FOUND": ServerCode(
      .invalidTenantID, "The tenant doesn't exist. Check its identifier."),
    "INVALID_TENANT_ID": ServerCode(
      .invalidTenantID, "The identifier of the tenant is invalid. Check it."),
    "MISSING_TENANT_ID": ServerCode(
      .invalidTenantID, "The identifier of the tenant is missing. Pass it."),
    "TENANT_DELETION_IN_PROGRESS": ServerCode(
      .invalidTenantID, "The tenant is being deleted. Use another one."),
    "UNAUTHORIZED_APP": blockedApp,
    "CORS_UNSUPPORTED": ServerCode(
      .internalError, "The server doesn't support requests of web pages. Use another browser."),
    "INVALID_CONFIG": ServerCode(
      .configurationNotFound, "The settings of the provider are incomplete. Complete them in the project."),
    "INVALID_SERVICE_ACCOUNT": ServerCode(
      .insufficientPermission, "The service account is invalid. Create another one in the project."),
  ]

  /// Errors that Google's API infrastructure reports as a reason (`google.rpc.ErrorInfo`, and the older
  /// `errors[].reason`), or as a status, and not as a code.
  static let infrastructure: [String: ServerCode] = [
    "API_KEY_INVALID": invalidAPIKey,
    "keyInvalid": invalidAPIKey,
    "keyExpired": invalidAPIKey,
    "API_KEY_EXPIRED": invalidAPIKey,
    "API_KEY_HTTP_REFERRER_BLOCKED": blockedApp,
    "API_KEY_IP_ADDRESS_BLOCKED": blockedApp,
    "API_KEY_ANDROID_APP_BLOCKED": blockedApp,
    "API_KEY_IOS_APP_BLOCKED": blockedApp,
    "API_KEY_SERVICE_BLOCKED": blockedApp,
    "ipRefererBlocked": blockedApp,
    "SERVICE_DISABLED": ServerCode(
      .configurationNotFound,
      "The project doesn't use the Identity Toolkit API. Enable Authentication in the project's settings."
    ),
    "accessNotConfigured": ServerCode(
      .configurationNotFound,
      "The project doesn't use the Identity Toolkit API. Enable Authentication in the project's settings."
    ),
    "CONSUMER_INVALID": ServerCode(
      .projectNotFound,
      "The project of the API key doesn't exist. Compare AppOptions.apiKey with the project's settings."
    ),
    "CONSUMER_SUSPENDED": ServerCode(
      .projectDisabled, "The project is suspended. Read the messages in its console."),
    "BILLING_DISABLED": ServerCode(
      .projectDisabled, "The project has no active billing account. Enable billing in its console."),
    "RATE_LIMIT_EXCEEDED": quotaExceeded,
    "RESOURCE_QUOTA_EXCEEDED": quotaExceeded,
    "RESOURCE_EXHAUSTED": quotaExceeded,
    "quotaExceeded": quotaExceeded,
    "dailyLimitExceeded": quotaExceeded,
    "rateLimitExceeded": quotaExceeded,
    "userRateLimitExceeded": quotaExceeded,
    "PERMISSION_DENIED": ServerCode(
      .insufficientPermission,
      "The request isn't permitted. Check the API key's restrictions and the project's settings."
    ),
  ]

  private static let invalidAPIKey = ServerCode(
    .invalidAPIKey,
    "The server rejected the API key. Compare AppOptions.apiKey with the project's settings."
  )
  private static let blockedApp = ServerCode(
    .appNotAuthorized, "This app may not use the API key. Check the key's restrictions.")
  private static let quotaExceeded = ServerCode(
    .quotaExceeded, "The project's quota is exhausted. Try again later, or raise it.")
}
