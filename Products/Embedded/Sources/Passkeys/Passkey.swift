import TenonFoundation
import TenonJSON
import TenonSignatures
import TenonTransport

/// A passkey of a user: an item of `passkeyInfo` of Identity Toolkit's `UserInfo`, with the key that proves it.
struct Passkey: Sendable, Hashable, Codable {
  /// The ID of the credential, in base64url.
  let credentialId: String
  /// The name that the user gave the passkey.
  var name: String
  /// The public key, a `SubjectPublicKeyInfo`.
  let publicKey: Data
  /// The algorithm of its signatures.
  let algorithm: SignatureAlgorithm
  /// The last counter of the authenticator; 0 if it counts nothing.
  var signCount: UInt32
  /// When the passkey was enrolled, in milliseconds since 1970.
  let enrolledAt: Int64

  /// How many passkeys a user may have.
  static let most = 20

  /// The passkey as an item of `passkeyInfo`.
  var wire: JSON { ["credentialId": .string(credentialId), "name": .string(name)] }
}
