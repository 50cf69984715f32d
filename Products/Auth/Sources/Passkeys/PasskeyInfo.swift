/// A passkey that a user has enrolled.
public struct PasskeyInfo: Sendable, Hashable, Codable {
  /// The name that the user gave the passkey.
  public let name: String
  /// The ID of the credential, in base64url, with which ``User/unenrollPasskey(withCredentialID:)`` removes it.
  public let credentialID: String
}
