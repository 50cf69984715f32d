public import TenonFoundation
import TenonValues

/// A code that Firebase would send to a user by email. The embedded backend sends nothing; see
/// ``Embedded/accountCodes()``.
public struct AccountCode: Sendable, Hashable, Codable {
  /// The purpose of a code: the `requestType` of `accounts:sendOobCode`.
  public struct Kind: RawRepresentable, Sendable, Hashable, Codable {
    /// The kind as text, for example `VERIFY_EMAIL`.
    public let rawValue: String

    /// Creates a kind from its text. Later versions may have kinds that this one doesn't declare.
    public init(rawValue: String) { self.rawValue = rawValue }

    /// Sets a new password.
    public static let passwordReset = Kind(rawValue: "PASSWORD_RESET")
    /// Verifies that the user has the address.
    public static let verifyEmail = Kind(rawValue: "VERIFY_EMAIL")
    /// Signs in the user of the address.
    public static let emailSignIn = Kind(rawValue: "EMAIL_SIGNIN")
    /// Changes the address to another one, which is thereby verified.
    public static let verifyAndChangeEmail = Kind(rawValue: "VERIFY_AND_CHANGE_EMAIL")
    /// Undoes a change of the address.
    public static let recoverEmail = Kind(rawValue: "RECOVER_EMAIL")
    /// Removes a second factor that someone else may have added.
    public static let revertSecondFactorAddition = Kind(rawValue: "REVERT_SECOND_FACTOR_ADDITION")

    /// The kinds whose action needs only the code.
    static let applicable: Set<Kind> = [
      .verifyEmail, .verifyAndChangeEmail, .recoverEmail, .revertSecondFactorAddition,
    ]
  }

  /// The purpose of the code.
  public let kind: Kind
  /// The user's address in its canonical form: in lower case and in normalization form C.
  public let email: String
  /// The address to change to, or that the change to be undone has set; `nil` for other kinds.
  public let newEmail: String?
  /// The tenant of the user; `nil` for users of the project itself.
  public let tenantID: String?
  /// The code itself.
  public let code: String
  /// The link that Firebase would send, in the form of the Auth emulator. It leads to the origin at which the
  /// request for the code reached the backend over HTTP, and otherwise to the emulator's default port.
  public let link: URL
  /// When the code was created, in milliseconds since 1970.
  let issued: Int64
  /// The ID of the code's user; `nil` for sign-in codes, whose user may not exist yet.
  let userID: String?
  /// The ID of the second factor that the code removes; `nil` for other kinds.
  let factorID: String?
}

extension AccountCode: CustomStringConvertible {
  /// The kind and the address, without the code, which is a secret.
  public var description: String { "\(kind.rawValue) for \(email)" }
}

extension AccountCode {
  /// Creates a code with a random text of more than 256 bits.
  ///
  /// - Parameters:
  ///   - kind: the purpose of the code.
  ///   - email: the user's address.
  ///   - newEmail: the address to change to, or that was changed to.
  ///   - userID: the user's ID; `nil` for sign-in codes.
  ///   - factorID: the ID of the second factor to remove.
  ///   - tenantID: the tenant of the user; `nil` for users of the project itself.
  ///   - origin: the origin of the link; the Auth emulator's default port if `nil`.
  ///   - continueURL: the URL to which the link redirects after the code was used.
  ///   - now: the current time.
  /// - Throws: ``Refusal`` with `INVALID_CONTINUE_URI` if no link can be made.
  init(
    _ kind: Kind,
    email: String,
    newEmail: String? = nil,
    userID: String?,
    factorID: String? = nil,
    tenantID: String?,
    origin: URL?,
    continueURL: String? = nil,
    now: Timestamp
  ) throws {
    self.kind = kind
    self.email = email
    self.newEmail = newEmail
    self.userID = userID
    self.factorID = factorID
    self.tenantID = tenantID
    code = RandomText.secret()
    issued = now.millisecondsSince1970
    var items = [
      URLQueryItem(name: "mode", value: kind.mode), URLQueryItem(name: "lang", value: "en"),
      URLQueryItem(name: "oobCode", value: code), URLQueryItem(name: "apiKey", value: "fake-api-key"),
    ]
    if let continueURL { items.append(URLQueryItem(name: "continueUrl", value: continueURL)) }
    if let tenantID { items.append(URLQueryItem(name: "tenantId", value: tenantID)) }
    guard let base = origin ?? URL(string: "http://localhost:9099") else {
      throw AccountService.refusal("INVALID_CONTINUE_URI")
    }
    link = base.appending(path: "emulator/action").appending(queryItems: items)
  }
}

extension AccountCode {
  /// Returns the time since the code was created; it is negative if this machine's clock was set back.
  ///
  /// - Parameter now: the current time. Both times are clamped to the years 0 to 9999.
  func age(at now: Timestamp) -> Duration {
    let issued = Timestamp(millisecondsSince1970: issued)
    // Checked: milliseconds of 64 bits; the times are clamped.
    return .milliseconds(now.millisecondsSince1970 - issued.millisecondsSince1970)
  }
}

extension AccountCode.Kind {
  /// The value of `mode` in links.
  var mode: String {
    switch self {
    case .passwordReset: "resetPassword"
    case .verifyEmail: "verifyEmail"
    case .emailSignIn: "signIn"
    case .verifyAndChangeEmail: "verifyAndChangeEmail"
    case .recoverEmail: "recoverEmail"
    case .revertSecondFactorAddition: "revertSecondFactorAddition"
    default: rawValue
    }
  }
}
