import Foundation
import TenonTransport

/// One user of an `accounts:batchCreate`.
struct AccountImport: Sendable {
  var account: Account
  /// The password of an emulator's export, still to be hashed.
  var password: String?

  /// Why a user can't be imported: a sentence of the answer's `error`.
  struct Problem: Error {
    let message: String
  }

  init(_ user: JSON, now: Timestamp) throws {
    guard let id = user["localId"]?.text, !id.isEmpty else { throw Problem(message: "localId is missing.") }
    account = Account(id: id, now: now)
    account.createdAt = Self.number(user["createdAt"]) ?? now.milliseconds
    account.lastLoginAt = Self.number(user["lastLoginAt"])
    account.validSince = Self.number(user["validSince"]) ?? now.seconds
    account.displayName = user["displayName"]?.text
    account.photoUrl = user["photoUrl"]?.text
    account.disabled = user["disabled"]?.bool ?? false
    if let email = user["email"]?.text {
      guard let checked = try? AccountService.checkedEmail(email) else {
        throw Problem(message: "email is invalid.")
      }
      account.email = checked
      account.emailVerified = user["emailVerified"]?.bool ?? false
    }
    if user["emailLinkSignin"]?.bool == true { account.emailLinkSignin = true }
    if let text = user["customAttributes"]?.text {
      do { account.customAttributes = try AccountChange.checked(text) } catch let refusal as Refusal {
        throw Problem(message: "customAttributes: \(refusal.message)")
      }
    }
    try readProviders(user)
    try readPassword(user)
  }

  private mutating func readProviders(_ user: JSON) throws {
    guard user["phoneNumber"] == nil, user["mfaInfo"]?.array?.isEmpty ?? true else {
      throw Problem(message: "The embedded backend keeps no phone numbers and second factors.")
    }
    for info in user["providerUserInfo"]?.array ?? [] {
      if info["providerId"] == "password" { continue }
      guard let provider = AccountProvider(wire: info) else {
        throw Problem(message: "providerUserInfo needs providerId and rawId.")
      }
      account.add(provider)
    }
  }

  /// Exports of the Auth emulator hold passwords as `fakeHash:salt=...:password=...`. Other hashes can't be checked
  /// here, so they are refused rather than kept for nothing.
  private mutating func readPassword(_ user: JSON) throws {
    if let text = user["rawPassword"]?.text {
      password = text
    } else if let hash = user["passwordHash"]?.text, !hash.isEmpty {
      guard hash.hasPrefix("fakeHash:"), let start = hash.range(of: ":password=")?.upperBound else {
        throw Problem(message: "The embedded backend can't check passwords by this hash.")
      }
      password = String(hash[start...])
    }
    if let password, !PasswordHasher.accepts(password) {
      throw Problem(message: "The password is too long, or has a NUL.")
    }
  }

  private static func number(_ value: JSON?) -> Int64? { value?.text.flatMap { Int64($0) } }
}
