public import TenonFoundation
import TenonJSON

/// A passkey that an authenticator has created. The names are those of
/// `ASAuthorizationPublicKeyCredentialRegistration`.
public struct PasskeyRegistration: Sendable, Hashable {
  /// The name of the passkey, that of its ``PasskeyRegistrationRequest``.
  public let name: String?
  /// The ID of the credential.
  public let credentialID: Data
  /// What the client says about the request, as JSON.
  public let rawClientDataJSON: Data
  /// What the authenticator says about the key, as CBOR.
  public let rawAttestationObject: Data

  /// Creates the answer to a request.
  ///
  /// - Parameters:
  ///   - request: the request, whose name the passkey gets.
  ///   - credentialID: the ID of the credential.
  ///   - rawClientDataJSON: what the client says about the request.
  ///   - rawAttestationObject: what the authenticator says about the key.
  public init(
    _ request: PasskeyRegistrationRequest, credentialID: Data, rawClientDataJSON: Data,
    rawAttestationObject: Data
  ) {
    name = request.name
    self.credentialID = credentialID
    self.rawClientDataJSON = rawClientDataJSON
    self.rawAttestationObject = rawAttestationObject
  }

  /// Reads what a browser's `PublicKeyCredential.toJSON()` returns.
  ///
  /// - Parameters:
  ///   - request: the request, whose name the passkey gets.
  ///   - json: a `RegistrationResponseJSON` of WebAuthn.
  /// - Throws: ``AuthError`` with ``AuthError/Code/argumentError`` if it is something else.
  public init(_ request: PasskeyRegistrationRequest, json: Data) throws {
    let answer = try PasskeyJSON(json)
    self.init(
      request, credentialID: try answer.id, rawClientDataJSON: try answer["clientDataJSON"],
      rawAttestationObject: try answer["attestationObject"])
  }
}

/// The answer of an authenticator that signs a user in. The names are those of
/// `ASAuthorizationPublicKeyCredentialAssertion`.
public struct PasskeyAssertion: Sendable, Hashable {
  /// The ID of the credential.
  public let credentialID: Data
  /// What the client says about the request, as JSON.
  public let rawClientDataJSON: Data
  /// What the authenticator says about the user and itself.
  public let rawAuthenticatorData: Data
  /// The signature of both.
  public let signature: Data
  /// What the authenticator has stored as the user; empty if it says nothing.
  public let userID: Data

  /// Creates an answer.
  ///
  /// - Parameters:
  ///   - credentialID: the ID of the credential.
  ///   - rawClientDataJSON: what the client says about the request.
  ///   - rawAuthenticatorData: what the authenticator says about the user and itself.
  ///   - signature: the signature of both.
  ///   - userID: what the authenticator has stored as the user; empty by default.
  public init(
    credentialID: Data, rawClientDataJSON: Data, rawAuthenticatorData: Data, signature: Data,
    userID: Data = Data()
  ) {
    self.credentialID = credentialID
    self.rawClientDataJSON = rawClientDataJSON
    self.rawAuthenticatorData = rawAuthenticatorData
    self.signature = signature
    self.userID = userID
  }

  /// Reads what a browser's `PublicKeyCredential.toJSON()` returns.
  ///
  /// - Parameter json: an `AuthenticationResponseJSON` of WebAuthn.
  /// - Throws: ``AuthError`` with ``AuthError/Code/argumentError`` if it is something else.
  public init(json: Data) throws {
    let answer = try PasskeyJSON(json)
    self.init(
      credentialID: try answer.id, rawClientDataJSON: try answer["clientDataJSON"],
      rawAuthenticatorData: try answer["authenticatorData"], signature: try answer["signature"],
      userID: (try? answer["userHandle"]) ?? Data())
  }
}

/// The JSON of a browser's credential.
private struct PasskeyJSON {
  private let json: JSON?

  init(_ json: Data) throws {
    self.json = try? JSON(parsing: json)
    _ = try id
  }

  var id: Data { get throws { try Self.bytes(json?["id"], "id") } }

  subscript(name: String) -> Data {
    get throws { try Self.bytes(json?["response"]?[name], "response.\(name)") }
  }

  private static func bytes(_ json: JSON?, _ name: String) throws -> Data {
    guard let bytes = try? PasskeyBytes.read(json) else {
      throw AuthError(
        .argumentError,
        "The JSON has no member \(name) in base64url. Pass what the browser's credential.toJSON() returns.")
    }
    return bytes
  }
}
