import Foundation
import TenonTransport

/// One user of an `accounts:batchCreate`.
struct AccountImport: Sendable {
  var account: Account
  /// The password of an emulator's export, still to be hashed.
  var password: String?

  /// Why a user can't be imported: a sentence of the answer's `error`. Where Google's services have one for the
  /// problem, it is theirs.
  struct Problem: Error {
    let message: String

    static let missingID = Problem(message: "localId is missing")
    static let otherTenant = Problem(
      message: "Tenant id in userInfo does not match the tenant id in request.")
    static let invalidEmail = Problem(message: "email is invalid")
    static let takenEmail = Problem(message: "email exists in other account in database")
    static let takenIdentity = Problem(message: "raw id exists in other account in database")
    static let presentID = Problem(message: "localId belongs to an existing account - can not overwrite.")
    static let missingIdentity = Problem(message: "federatedId or (providerId & rawId) is required")
    static let federatedID = Problem(
      message: "The embedded backend does not read ids from a federatedId; give providerId and rawId.")
    static let phoneOrFactor = Problem(
      message: "The embedded backend keeps no phone numbers and second factors.")
    static let unknownHash = Problem(message: "The embedded backend can't check passwords by this hash.")
    static let password = Problem(message: "The password is too long, or has a NUL.")

    /// What is wrong with custom claims, by the code with which `accounts:update` refuses them.
    static func claims(_ refusal: Refusal) -> Problem {
      switch refusal.message {
      case "CLAIMS_TOO_LARGE": Problem(message: "Custom claims provided are too large.")
      case "INVALID_CLAIMS": Problem(message: "Invalid custom claims provided.")
      default: Problem(message: "Custom claims provided include a reserved claim.")
      }
    }
  }

  /// Checks in the order of Google's services. Whether addresses and ids are free is to be checked with the database.
  init(_ user: JSON, now: Timestamp) throws {
    guard let id = user["localId"]?.text, !id.isEmpty else { throw Problem.missingID }
    guard user["tenantId"]?.text?.isEmpty ?? true else { throw Problem.otherTenant }
    account = Account(id: id, now: now)
    account.createdAt =
      try Self.time("createdAt", of: user, upTo: Timestamp.last.milliseconds) ?? now.milliseconds
    account.lastLoginAt = try Self.time("lastLoginAt", of: user, upTo: Timestamp.last.milliseconds)
    account.validSince = try Self.time("validSince", of: user, upTo: Timestamp.last.seconds) ?? now.seconds
    account.displayName = user["displayName"]?.text
    account.photoUrl = user["photoUrl"]?.text
    account.disabled = user["disabled"]?.bool ?? false
    if user["emailLinkSignin"]?.bool == true { account.emailLinkSignin = true }
    try readPassword(user)
    if let text = user["customAttributes"]?.text, !text.isEmpty {
      do { account.customAttributes = try AccountChange.checked(text) } catch let refusal as Refusal {
        throw Problem.claims(refusal)
      }
    }
    try readProviders(user)
    if let email = user["email"]?.text, !email.isEmpty {
      guard let checked = try? AccountService.checkedEmail(email) else { throw Problem.invalidEmail }
      account.email = checked
      account.emailVerified = user["emailVerified"]?.bool ?? false
    }
  }

  private mutating func readProviders(_ user: JSON) throws {
    guard user["phoneNumber"]?.text?.isEmpty ?? true, user["mfaInfo"]?.array?.isEmpty ?? true else {
      throw Problem.phoneOrFactor
    }
    for info in user["providerUserInfo"]?.array ?? [] {
      switch info["providerId"] {
      case "password": continue
      case "phone": throw Problem.phoneOrFactor
      default: break
      }
      guard let provider = AccountProvider(wire: info) else {
        throw info["federatedId"]?.text?.isEmpty ?? true ? Problem.missingIdentity : Problem.federatedID
      }
      account.add(provider)
    }
  }

  /// Exports of the Auth emulator hold passwords as `fakeHash:salt=...:password=...`. Other hashes can't be checked
  /// here, so they are refused rather than kept for nothing.
  private mutating func readPassword(_ user: JSON) throws {
    if let hash = user["passwordHash"]?.text, !hash.isEmpty {
      guard hash.hasPrefix("fakeHash:"), let start = hash.range(of: ":password=")?.upperBound else {
        throw Problem.unknownHash
      }
      password = String(hash[start...])
    } else if let text = user["rawPassword"]?.text, !text.isEmpty {
      password = text
    }
    if let password, !PasswordHasher.accepts(password) { throw Problem.password }
  }

  private static func time(_ name: String, of user: JSON, upTo last: Int64) throws -> Int64? {
    guard let value = user[name], value != .null else { return nil }
    guard let time = value.integer, (0...last).contains(time) else {
      throw Problem(message: "\(name) is invalid.")
    }
    return time
  }
}
