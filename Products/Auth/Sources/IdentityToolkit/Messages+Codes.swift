import TenonFoundation

/// The request of `accounts:sendOobCode`, which sends an email with a code.
struct CodeRequest: TenantRequest {
  var tenantId: String?
  /// The code's effect: the raw value of an ``ActionCodeOperation``.
  var requestType: String
  var email: String?
  /// The address to which the user's changes, for `VERIFY_AND_CHANGE_EMAIL`.
  var newEmail: String?
  /// The user whose address is verified or changed.
  var idToken: Secret?
  /// The page to open after the code was used.
  var continueUrl: String?
  var canHandleCodeInApp: Bool?
  var iOSBundleId: String?
  var androidPackageName: String?
  /// Sent only with a package name.
  var androidInstallApp: Bool?
  var androidMinimumVersion: String?
  var linkDomain: String?

  init(
    _ operation: ActionCodeOperation,
    email: String? = nil,
    newEmail: String? = nil,
    idToken: Secret? = nil,
    _ settings: ActionCodeSettings?
  ) {
    requestType = operation.rawValue
    self.email = email
    self.newEmail = newEmail
    self.idToken = idToken
    guard let settings else { return }
    continueUrl = settings.url?.absoluteString
    canHandleCodeInApp = settings.handleCodeInApp
    iOSBundleId = settings.iOSBundleID
    androidPackageName = settings.androidPackageName
    if settings.androidPackageName != nil { androidInstallApp = settings.androidInstallIfNotAvailable }
    androidMinimumVersion = settings.androidMinimumVersion
    linkDomain = settings.linkDomain
  }
}

/// The request of `accounts:resetPassword`. Without a password, the server only returns the purpose of the
/// code.
struct ResetPasswordRequest: TenantRequest {
  var tenantId: String?
  var oobCode: Secret
  var newPassword: Secret?
}

/// The answer to `accounts:resetPassword`.
struct ResetPasswordResponse: Decodable {
  var requestType: String?
  var email: String?
  var newEmail: String?

  /// The purpose of the code.
  var info: ActionCodeInfo {
    ActionCodeInfo(
      operation: ActionCodeOperation(wire: requestType ?? ""),
      email: newEmail ?? email,
      previousEmail: newEmail == nil ? nil : email
    )
  }
}

/// The request of `accounts:update` that applies a code.
struct ApplyCodeRequest: TenantRequest {
  var tenantId: String?
  var oobCode: Secret
}

/// The request of `accounts:signInWithEmailLink`.
struct EmailLinkRequest: TenantRequest {
  var tenantId: String?
  /// The address to which the link was sent.
  var email: String
  /// The code of the link.
  var oobCode: Secret
  /// The user to whom the address is linked; if `nil`, the user who has it signs in.
  var idToken: Secret?
  var returnSecureToken = true
}

/// The request of `accounts:createAuthUri`, which returns a user's sign-in methods.
struct SignInMethodsRequest: TenantRequest {
  var tenantId: String?
  /// The user's email address.
  var identifier: String
  /// Required by the server, and not used here.
  var continueUri = "http://localhost"
}

/// The answer to `accounts:createAuthUri`.
struct SignInMethodsResponse: Decodable {
  var signinMethods: [String]?
}
