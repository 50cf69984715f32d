import Foundation
import TenonCore

/// `accounts:sendOobCode`
struct CodeRequest: Encodable {
  var requestType: String
  var email: String?
  var newEmail: String?
  var idToken: Secret?
  var continueUrl: String?
  var canHandleCodeInApp: Bool?
  var iOSBundleId: String?
  var androidPackageName: String?
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

/// `accounts:resetPassword`. Without a password, it only returns the purpose of the code.
struct ResetPasswordRequest: Encodable {
  var oobCode: Secret
  var newPassword: Secret?
}

struct ResetPasswordResponse: Decodable {
  var requestType: String?
  var email: String?
  var newEmail: String?

  var info: ActionCodeInfo {
    ActionCodeInfo(
      operation: ActionCodeOperation(wire: requestType ?? ""),
      email: newEmail ?? email,
      previousEmail: newEmail == nil ? nil : email
    )
  }
}

/// `accounts:update` with a code
struct ApplyCodeRequest: Encodable {
  var oobCode: Secret
}

/// `accounts:signInWithEmailLink`
struct EmailLinkRequest: Encodable {
  var email: String
  var oobCode: Secret
  /// The user to whom the address is linked; if `nil`, the user who has it signs in.
  var idToken: Secret?
  var returnSecureToken = true
}

/// `accounts:createAuthUri`
struct SignInMethodsRequest: Encodable {
  var identifier: String
  /// The server requires some URL.
  var continueUri = "http://localhost"
}

struct SignInMethodsResponse: Decodable {
  var signinMethods: [String]?
}
