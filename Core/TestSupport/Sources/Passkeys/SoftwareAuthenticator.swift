import TenonFoundation
import TenonHashes
package import TenonJSON
import TenonSignatures
import Testing

/// An authenticator of a test, which answers as a browser passes it on (WebAuthn, sections 5.1 and 6).
package struct SoftwareAuthenticator: Sendable {
  /// What an answer has, and a test can change.
  package struct Answer {
    package var type: String
    package var challenge: String
    package var origin = "http://localhost:5000"
    package var relyingPartyID = "localhost"
    /// Present and verified.
    package var flags: UInt8 = 0x05
    package var signCount: UInt32 = 0
    package var id: [UInt8]
    package var x: [UInt8]
    /// Added to what is signed.
    package var signedToo: [UInt8] = []

    fileprivate var clientData: Data {
      get throws {
        try JSON.object([
          "type": .string(type), "challenge": .string(challenge), "origin": .string(origin),
          "crossOrigin": false,
        ]).serialized
      }
    }

    fileprivate var authenticatorData: [UInt8] {
      SHA256.digest(Data(relyingPartyID.utf8)) + [flags]
        + (0..<4).map { UInt8(truncatingIfNeeded: signCount >> (24 - 8 * $0)) }
    }
  }

  /// The ID of the credential.
  package let id: [UInt8]
  private let key: PrivateKey
  /// The coordinates of the key, which was made with OpenSSL for these tests.
  private static let x = Data(base64Encoded: "6/vcAWFypX7+gpYWEtYHN63BrjgmqYq53HoXwbo+uzI=") ?? Data()
  private static let y = Data(base64Encoded: "d1kA6MF8+1Cj/moOCe3Cx8w1rprEUGhUVDDjvu9mVrk=") ?? Data()
  private static let pem = """
    -----BEGIN PRIVATE KEY-----
    MIGHAgEAMBMGByqGSM49AgEGCCqGSM49AwEHBG0wawIBAQQgaFIXhikDeIhsGXm5
    ZyY82QWlToY9C/DGrcysbpl8+qKhRANCAATr+9wBYXKlfv6ClhYS1gc3rcGuOCap
    irncehfBuj67MndZAOjBfPtQo/5qDgntwsfMNa6axFBoVFQw477vZla5
    -----END PRIVATE KEY-----
    """

  /// Creates an authenticator with one credential.
  package init(id: String = "credential-1") throws {
    self.id = Array(id.utf8)
    key = try #require(try PrivateKey(pem: Self.pem, .es256))
  }

  /// Answers options of `passkeyEnrollment:start`, as the member `authenticatorRegistrationResponse`.
  package func enroll(_ options: JSON, _ change: (inout Answer) -> Void = { _ in }) throws -> JSON {
    let options = try #require(options["credentialCreationOptions"])
    var answer = Answer(
      type: "webauthn.create", challenge: try #require(options["challenge"]?.string), flags: 0x45, id: id,
      x: [UInt8](Self.x))
    change(&answer)
    // {1: 2, 3: -7, -1: 1, -2: x, -3: y}
    let publicKey: [UInt8] =
      [0xA5, 0x01, 0x02, 0x03, 0x26, 0x20, 0x01, 0x21, 0x58, 0x20] + answer.x + [0x22, 0x58, 0x20] + Self.y
    let credential = [UInt8](repeating: 0, count: 16) + [0, UInt8(id.count)] + id + publicKey
    let data = answer.authenticatorData + credential
    // {"fmt": "none", "attStmt": {}, "authData": data}
    let attestation: [UInt8] =
      [0xA3, 0x63] + Array("fmt".utf8) + [0x64] + Array("none".utf8) + [0x67] + Array("attStmt".utf8) + [
        0xA0, 0x68,
      ]
      + Array("authData".utf8) + [0x58, UInt8(data.count)] + data
    return [
      "id": .string(Base64URL.encode(Data(answer.id))), "type": "public-key",
      "response": [
        "clientDataJSON": .string(Base64URL.encode(try answer.clientData)),
        "attestationObject": .string(Base64URL.encode(Data(attestation))),
      ],
    ]
  }

  /// Answers options of `passkeySignIn:start`, as the member `authenticatorAuthenticationResponse`.
  package func signIn(_ options: JSON, _ change: (inout Answer) -> Void = { _ in }) throws -> JSON {
    let options = try #require(options["credentialRequestOptions"])
    var answer = Answer(
      type: "webauthn.get", challenge: try #require(options["challenge"]?.string), id: id, x: [UInt8](Self.x))
    change(&answer)
    let clientData = try answer.clientData
    let signed = answer.authenticatorData + SHA256.digest(clientData) + answer.signedToo
    return [
      "id": .string(Base64URL.encode(Data(answer.id))), "type": "public-key",
      "response": [
        "clientDataJSON": .string(Base64URL.encode(clientData)),
        "authenticatorData": .string(Base64URL.encode(Data(answer.authenticatorData))),
        "signature": .string(Base64URL.encode(Data(try #require(key.signature(of: signed))))),
      ],
    ]
  }
}
