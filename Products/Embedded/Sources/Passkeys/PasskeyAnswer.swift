import TenonFoundation
import TenonTransport

/// What a client and its authenticator answer, in the form of Identity Toolkit
/// (`authenticatorAttestationResponse`, `credentialId`) or of browsers (`response`, `id`). Bytes are base64 or base64url.
struct PasskeyAnswer: Sendable {
  /// The ID of the credential, in base64url.
  let credentialID: String
  private let response: JSON?
  /// Whether there is only the ID, and nothing that an authenticator has signed.
  var isIDAlone: Bool { response == nil }

  /// Reads a member of a request.
  ///
  /// - Throws: ``Refusal`` with `MISSING_AUTHENTICATOR_RESPONSE` if there is none, and with
  ///   `INVALID_AUTHENTICATOR_RESPONSE` without the ID of a credential.
  init(_ member: JSON?, response name: String) throws {
    guard let member else { throw AccountService.refusal("MISSING_AUTHENTICATOR_RESPONSE") }
    guard let id = member["id"]?.text ?? member["credentialId"]?.text ?? member["rawId"]?.text, !id.isEmpty
    else {
      throw PasskeyCeremony.invalid("The ID of the credential is missing.")
    }
    guard id.utf8.count <= Passkey.longestID else {
      throw PasskeyCeremony.invalid("The ID of the credential has more than \(Passkey.longestID) bytes.")
    }
    credentialID = Base64URL.converted(id)
    response = member[name] ?? member["response"]
  }

  /// Returns the bytes of a member.
  ///
  /// - Throws: ``Refusal`` with `INVALID_AUTHENTICATOR_RESPONSE` if it is missing or not base64.
  func bytes(_ names: String...) throws -> [UInt8] {
    for name in names {
      if let text = response?[name]?.text, let bytes = Base64URL.decode(Base64URL.converted(text)),
        !bytes.isEmpty
      {
        return [UInt8](bytes)
      }
    }
    throw PasskeyCeremony.invalid("The member \(names[0]) is missing or not base64.")
  }
}
