public import Foundation

/// A code that the backend would have mailed to a user. Nothing is mailed: see ``Embedded/accountCodes()``.
public struct AccountCode: Sendable, Hashable, Codable {
  /// What a code is for: the `requestType` of `accounts:sendOobCode`.
  public struct Kind: RawRepresentable, Sendable, Hashable, Codable {
    /// The kind as text, for example `VERIFY_EMAIL`.
    public let rawValue: String

    /// Creates a kind that this version does not know.
    public init(rawValue: String) { self.rawValue = rawValue }

    /// Sets a new password.
    public static let passwordReset = Kind(rawValue: "PASSWORD_RESET")
    /// Shows that the user has the address.
    public static let verifyEmail = Kind(rawValue: "VERIFY_EMAIL")
    /// Signs the user of the address in.
    public static let emailSignIn = Kind(rawValue: "EMAIL_SIGNIN")
    /// Changes the address to another one, which the user thereby has shown to have.
    public static let verifyAndChangeEmail = Kind(rawValue: "VERIFY_AND_CHANGE_EMAIL")
    /// Takes a change of the address back.
    public static let recoverEmail = Kind(rawValue: "RECOVER_EMAIL")
  }

  /// What the code is for.
  public let kind: Kind
  /// The address of the user, in lower case.
  public let email: String
  /// The address that the code changes to, or that it takes back; `nil` for other kinds.
  public let newEmail: String?
  /// The code itself.
  public let code: String
  /// The link that would have been mailed, in the form of the Auth emulator. It leads to where the backend was reached
  /// over HTTP, and otherwise to the emulator's usual port.
  public let link: URL
  /// When the code was made, in milliseconds since 1970.
  let issued: Int64
  /// The user whose code it is; `nil` for sign-ins, where the user may not exist yet.
  let userID: String?
}

extension AccountCode: CustomStringConvertible {
  /// The kind and the address, without the code.
  public var description: String { "\(kind.rawValue) for \(email)" }
}

extension AccountCode {
  /// A new code that nobody can guess.
  ///
  /// - Parameters:
  ///   - origin: where the link leads; to the Auth emulator's usual port when `nil`.
  ///   - continueURL: where it leads from there, when the code has been used.
  init(
    _ kind: Kind,
    email: String,
    newEmail: String? = nil,
    userID: String?,
    origin: URL?,
    continueURL: String? = nil,
    now: Timestamp
  ) throws {
    self.kind = kind
    self.email = email
    self.newEmail = newEmail
    self.userID = userID
    code = RandomText.secret()
    issued = now.milliseconds
    var items = [
      URLQueryItem(name: "mode", value: kind.mode), URLQueryItem(name: "lang", value: "en"),
      URLQueryItem(name: "oobCode", value: code), URLQueryItem(name: "apiKey", value: "fake-api-key"),
    ]
    if let continueURL { items.append(URLQueryItem(name: "continueUrl", value: continueURL)) }
    guard let base = origin ?? URL(string: "http://localhost:9099") else {
      throw AccountService.refusal("INVALID_CONTINUE_URI")
    }
    link = base.appending(path: "emulator/action").appending(queryItems: items)
  }
}

extension AccountCode.Kind {
  /// The kind as links name it in `mode`.
  var mode: String {
    switch self {
    case .passwordReset: "resetPassword"
    case .verifyEmail: "verifyEmail"
    case .emailSignIn: "signIn"
    case .verifyAndChangeEmail: "verifyAndChangeEmail"
    case .recoverEmail: "recoverEmail"
    default: rawValue
    }
  }
}
