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
    continueUrl = settings.continueURL?.absoluteString
    canHandleCodeInApp = settings.handlesCodeInApp
    iOSBundleId = settings.iOSBundleID
    androidPackageName = settings.androidPackageName
    if settings.androidPackageName != nil { androidInstallApp = settings.androidInstallsApp }
    androidMinimumVersion = settings.androidMinimumVersion
    linkDomain = settings.linkDomain
  }
}

/// `accounts:resetPassword`. Without a password, it tells what the code is for.
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

/// `accounts:update` with the code of a mail
struct ApplyCodeRequest: Encodable {
  var oobCode: Secret
}

/// `accounts:signInWithEmailLink`
struct EmailLinkRequest: Encodable {
  var email: String
  var oobCode: Secret
  /// The user who gets the address; whoever has it when `nil`.
  var idToken: Secret?
  var returnSecureToken = true
}

/// `accounts:createAuthUri`
struct SignInMethodsRequest: Encodable {
  var identifier: String
  /// The server insists on some URL.
  var continueUri = "http://localhost"
}

struct SignInMethodsResponse: Decodable {
  var signinMethods: [String]?
}
