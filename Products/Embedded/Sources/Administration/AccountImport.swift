import TenonFoundation
import TenonTransport
import TenonValues

/// A user of `accounts:batchCreate`.
///
/// The hash of a password can be one of another system, if the request names its function.
struct AccountImport: Sendable {
  /// The user's account, without the hash of ``password``.
  var account: Account
  /// The password of an export of the Auth emulator, which must still be hashed.
  var password: String?

  /// The reason for which a user can't be imported. The message is a sentence for `error` of the response,
  /// the one that Google's services use if they have one for the problem.
  struct Problem: Error {
    /// The sentence for the response.
    let message: String

    /// There is no `localId`.
    static let missingID = Problem(message: "localId is missing")
    /// The user belongs to another tenant than the one to which users are imported.
    static let otherTenant = Problem(
      message: "Tenant id in userInfo does not match the tenant id in request.")
    /// The address isn't one.
    static let invalidEmail = Problem(message: "email is invalid")
    /// Another account has the address.
    static let takenEmail = Problem(message: "email exists in other account in database")
    /// Another account has an identity of the user.
    static let takenIdentity = Problem(message: "raw id exists in other account in database")
    /// Another account has the ID, and overwriting wasn't requested.
    static let presentID = Problem(message: "localId belongs to an existing account - can not overwrite.")
    /// An identity has no ID at its provider.
    static let missingIdentity = Problem(message: "federatedId or (providerId & rawId) is required")
    /// An identity has an ID in the provider's form only.
    static let federatedID = Problem(
      message:
        "((Parsing federatedId is not implemented in Auth Emulator; please specify providerId AND rawId as a workaround.))"
    )
    /// A second factor isn't valid.
    static func factor(_ refusal: Refusal) -> Problem {
      Problem(message: "A second factor is invalid: \(refusal.message)")
    }
    /// The phone number isn't one.
    static let phoneNumber = Problem(message: "phone number format is invalid")
    /// There are second factors, but no address.
    static let factorWithoutEmail = Problem(message: "Second factor account requires email to be presented.")
    /// There are second factors, but the address isn't verified.
    static let factorWithUnverifiedEmail = Problem(
      message: "Second factor account requires email to be verified.")
    /// The hash of the password is none of this backend, and the request names no function.
    static let unknownHash = Problem(message: "The embedded backend can't verify passwords with this hash.")
    /// The hash function doesn't accept the password.
    static let password = Problem(message: "The password is too long or contains a NUL.")

    /// Returns the problem with custom claims, for the error of ``AccountChange/checked(_:)``.
    static func claims(_ refusal: Refusal) -> Problem {
      switch refusal.message {
      case "CLAIMS_TOO_LARGE": Problem(message: "Custom claims provided are too large.")
      case "INVALID_CLAIMS": Problem(message: "Invalid custom claims provided.")
      default: Problem(message: "Custom claims provided include a reserved claim.")
      }
    }
  }

  /// Reads and checks a user, in the order of Google's services. Whether the address and the IDs are
  /// available is checked later, in the database.
  ///
  /// - Parameters:
  ///   - user: the user in the form of `UserInfo`.
  ///   - tenantID: the tenant to which users are imported; `nil` for the project itself.
  ///   - function: the function of hashes that aren't those of this backend; `nil` if the request names none.
  ///   - now: the current time.
  /// - Throws: ``Problem``.
  init(_ user: JSON, tenantID: String?, hashedBy function: ForeignHashFunction? = nil, now: Timestamp) throws
  {
    guard let id = user["localId"]?.text, !id.isEmpty else { throw Problem.missingID }
    let tenant = user["tenantId"]?.text ?? ""
    guard tenant.isEmpty || tenant == tenantID else { throw Problem.otherTenant }
    account = Account(id: id, now: now)
    account.createdAt =
      try Self.time("createdAt", of: user, upTo: Timestamp.last.millisecondsSince1970)
      ?? now.millisecondsSince1970
    account.lastLoginAt = try Self.time("lastLoginAt", of: user, upTo: Timestamp.last.millisecondsSince1970)
    account.validSince = try Self.time("validSince", of: user, upTo: Timestamp.last.seconds) ?? now.seconds
    account.displayName = user["displayName"]?.text
    account.photoUrl = user["photoUrl"]?.text
    account.disabled = user["disabled"]?.bool ?? false
    if user["emailLinkSignin"]?.bool == true { account.emailLinkSignin = true }
    try readPassword(user, hashedBy: function)
    if let text = user["customAttributes"]?.text, !text.isEmpty {
      do { account.customAttributes = try AccountChange.checked(text) } catch let refusal as Refusal {
        throw Problem.claims(refusal)
      }
    }
    do {
      account.secondFactors = try SecondFactor.list(
        user["mfaInfo"]?.array ?? [], generatesMissingIDs: true, now: now)
    } catch let refusal as Refusal {
      throw Problem.factor(refusal)
    }
    try readProviders(user)
    if let email = user["email"]?.text, !email.isEmpty {
      guard let checked = try? AccountService.checkedEmail(email) else { throw Problem.invalidEmail }
      account.email = checked
      account.emailVerified = user["emailVerified"]?.bool ?? false
    }
    guard !account.secondFactors.isEmpty else { return }
    guard account.email != nil else { throw Problem.factorWithoutEmail }
    guard account.emailVerified else { throw Problem.factorWithUnverifiedEmail }
  }

  /// Reads `providerUserInfo`.
  ///
  /// - Throws: ``Problem`` for incomplete identities.
  private mutating func readProviders(_ user: JSON) throws {
    for info in user["providerUserInfo"]?.array ?? [] {
      switch info["providerId"] {
      // Both follow from other members.
      case "password", "phone": continue
      default: break
      }
      guard let provider = AccountProvider(wire: info) else {
        throw info["federatedId"]?.text?.isEmpty ?? true ? Problem.missingIdentity : Problem.federatedID
      }
      account.add(provider)
    }
    if let number = user["phoneNumber"]?.text, !number.isEmpty {
      guard let number = try? AccountService.checkedPhoneNumber(number) else { throw Problem.phoneNumber }
      account.phoneNumber = number
    }
  }

  /// Reads the password. Exports of the Auth emulator contain passwords as `fakeHash:salt=...:password=...`.
  /// Exports of this backend contain its own hashes, and those of other systems as it stores them.
  ///
  /// - Throws: ``Problem`` for hashes that aren't those of their function or that no function is known for, and
  ///   for passwords that the hash function doesn't accept.
  private mutating func readPassword(_ user: JSON, hashedBy function: ForeignHashFunction?) throws {
    if let hash = user["passwordHash"]?.text, !hash.isEmpty {
      if hash.hasPrefix("fakeHash:"), let start = hash.utf8.firstRange(of: ":password=".utf8)?.upperBound {
        password = String(hash[start...])
      } else {
        account.passwordHash = try Self.kept(hash, salt: user["salt"]?.text ?? "", hashedBy: function)
        account.passwordUpdatedAt = user["passwordUpdatedAt"]?.integer
        return
      }
    } else if let text = user["rawPassword"]?.text, !text.isEmpty {
      password = text
    }
    if let password, !PasswordHasher.accepts(password) { throw Problem.password }
  }

  /// Returns a hash as it is stored.
  ///
  /// - Throws: ``Problem``.
  private static func kept(
    _ hash: String, salt: String, hashedBy function: ForeignHashFunction?
  ) throws -> String {
    if PasswordHasher.isOwn(hash) { return hash }
    if ForeignHash.isText(hash) {
      guard let foreign = try? ForeignHash(text: hash) else { throw Problem.unknownHash }
      return try foreign.text
    }
    guard let function else { throw Problem.unknownHash }
    return try ForeignHash(function: function, base64Hash: hash, base64Salt: salt).text
  }

  /// Returns a time of a user; `nil` if it is absent.
  ///
  /// - Parameters:
  ///   - name: the name of the member.
  ///   - user: the user.
  ///   - last: the latest time, in the unit of the member.
  /// - Throws: ``Problem`` if the value isn't a time from 0 to `last`.
  private static func time(_ name: String, of user: JSON, upTo last: Int64) throws -> Int64? {
    guard let value = user[name], value != .null else { return nil }
    // Checked: the last time is positive.
    guard let time = value.integer, (0...last).contains(time) else {
      throw Problem(message: "\(name) is invalid.")
    }
    return time
  }
}
