/// The effect of an action code: the `requestType` of `accounts:sendOobCode`.
public struct ActionCodeOperation: RawRepresentable, Sendable, Hashable {
  /// The operation in Firebase's protocol, for example `VERIFY_EMAIL`.
  public let rawValue: String

  /// Creates an operation from its name, which may be one that this version doesn't define.
  public init(rawValue: String) { self.rawValue = rawValue }

  /// Sets a new password.
  public static let passwordReset = ActionCodeOperation(rawValue: "PASSWORD_RESET")
  /// Proves that the email address is the user's.
  public static let verifyEmail = ActionCodeOperation(rawValue: "VERIFY_EMAIL")
  /// Reverts a change of the email address.
  public static let recoverEmail = ActionCodeOperation(rawValue: "RECOVER_EMAIL")
  /// Signs the user in.
  public static let emailLink = ActionCodeOperation(rawValue: "EMAIL_SIGNIN")
  /// Changes the email address to one that the user thereby proves to be theirs.
  public static let verifyAndChangeEmail = ActionCodeOperation(rawValue: "VERIFY_AND_CHANGE_EMAIL")
  /// Removes a second factor that another person may have added.
  public static let revertSecondFactorAddition = ActionCodeOperation(
    rawValue: "REVERT_SECOND_FACTOR_ADDITION"
  )

  /// Creates an operation from either of its two names: the `mode` of a link, or the server's `requestType`.
  /// Other text becomes the raw value unchanged.
  init(wire text: String) {
    let requestType = Self.modes[text] ?? text
    self.init(rawValue: requestType)
  }

  /// The server's `requestType` for each `mode` of a link.
  private static let modes = [
    "resetPassword": "PASSWORD_RESET", "verifyEmail": "VERIFY_EMAIL", "recoverEmail": "RECOVER_EMAIL",
    "signIn": "EMAIL_SIGNIN", "verifyAndChangeEmail": "VERIFY_AND_CHANGE_EMAIL",
    "revertSecondFactorAddition": "REVERT_SECOND_FACTOR_ADDITION",
  ]
}
