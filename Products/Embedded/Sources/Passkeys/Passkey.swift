import TenonFoundation
import TenonJSON
import TenonSignatures
import TenonTransport

/// A passkey of a user: an item of `passkeyInfo` of Identity Toolkit's `UserInfo`, with the key that proves it.
struct Passkey: Sendable, Hashable, Codable {
  /// What proves that an answer is that of the authenticator.
  struct Key: Sendable, Hashable, Codable {
    /// The public key, a `SubjectPublicKeyInfo`.
    let bytes: Data
    /// The algorithm of its signatures.
    let algorithm: SignatureAlgorithm
  }

  /// The ID of the credential, in base64url. It is unique in the project or tenant.
  let credentialId: String
  /// The name that the user gave the passkey.
  let name: String
  /// The key; `nil` if ``EmbeddedSettings/unverifiedPasskeys`` allowed a passkey without one.
  let key: Key?
  /// The last counter of the authenticator; 0 if it counts nothing.
  var signCount: UInt32
  /// When the passkey was enrolled, in milliseconds since 1970.
  let enrolledAt: Int64

  /// How many passkeys a user may have.
  static let most = 20
  /// The greatest length of an ID in bytes: 1,023 bytes (WebAuthn, section 4) in base64url.
  static let longestID = 1_364
  /// The greatest length of a name, in bytes.
  static let longestName = 256

  /// The passkey as an item of `passkeyInfo`.
  var wire: JSON { ["credentialId": .string(credentialId), "name": .string(name)] }
}
