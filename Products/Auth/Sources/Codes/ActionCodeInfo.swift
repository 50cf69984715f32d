/// What the code of a mail is for, as the server says.
public struct ActionCodeInfo: Sendable, Hashable {
  /// What the code does when it is applied.
  public let operation: ActionCodeOperation
  /// The user's address; the one that they will have for a change of the address. `nil` for sign-ins, where the server
  /// doesn't say it.
  public let email: String?
  /// The address before a change; `nil` for other operations.
  public let previousEmail: String?
}

/// What a code of a mail does: the `requestType` of `accounts:sendOobCode`.
public struct ActionCodeOperation: RawRepresentable, Sendable, Hashable {
  /// The operation as text, for example `VERIFY_EMAIL`.
  public let rawValue: String

  /// Creates an operation that this version does not know.
  public init(rawValue: String) { self.rawValue = rawValue }

  /// Sets a new password.
  public static let passwordReset = ActionCodeOperation(rawValue: "PASSWORD_RESET")
  /// Shows that the user has the address.
  public static let verifyEmail = ActionCodeOperation(rawValue: "VERIFY_EMAIL")
  /// Takes a change of the address back.
  public static let recoverEmail = ActionCodeOperation(rawValue: "RECOVER_EMAIL")
  /// Signs the user in.
  public static let emailSignIn = ActionCodeOperation(rawValue: "EMAIL_SIGNIN")
  /// Changes the address to one that the user thereby has shown to have.
  public static let verifyAndChangeEmail = ActionCodeOperation(rawValue: "VERIFY_AND_CHANGE_EMAIL")
  /// Takes a second factor away that somebody else may have added.
  public static let revertSecondFactorAddition = ActionCodeOperation(
    rawValue: "REVERT_SECOND_FACTOR_ADDITION"
  )

  /// An operation in either of its two forms: the `mode` of a link, or the server's `requestType`.
  init(wire text: String) {
    let requestType = Self.modes[text] ?? text
    self.init(rawValue: requestType)
  }

  private static let modes = [
    "resetPassword": "PASSWORD_RESET", "verifyEmail": "VERIFY_EMAIL", "recoverEmail": "RECOVER_EMAIL",
    "signIn": "EMAIL_SIGNIN", "verifyAndChangeEmail": "VERIFY_AND_CHANGE_EMAIL",
    "revertSecondFactorAddition": "REVERT_SECOND_FACTOR_ADDITION",
  ]
}
