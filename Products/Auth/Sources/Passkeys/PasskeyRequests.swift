public import TenonFoundation
import TenonJSON

/// What an authenticator needs to create a passkey: the options of
/// ``User/startPasskeyEnrollment(withName:)``.
///
/// On Apple's platforms, pass the properties to
/// `ASAuthorizationPlatformPublicKeyCredentialProvider(relyingPartyIdentifier:).createCredentialRegistrationRequest(challenge:name:userID:)`;
/// in a browser or web view, pass ``json`` to `PublicKeyCredential.parseCreationOptionsFromJSON`.
public struct PasskeyRegistrationRequest: Sendable, Hashable {
  /// The domain to which the passkey will belong.
  public let relyingPartyIdentifier: String
  /// What the authenticator has to answer, once and within minutes.
  public let challenge: Data
  /// What the authenticator stores as the user: the bytes of ``User/uid``.
  public let userID: Data
  /// The name of the user, which the authenticator shows.
  public let userName: String
  /// The name of the passkey, by which the user recognizes it among others.
  public let name: String?
  /// The IDs of the passkeys that the user has: an authenticator with one of them creates no other one.
  public let excludedCredentials: [Data]
  /// The options as JSON (`PublicKeyCredentialCreationOptionsJSON` of WebAuthn).
  public let json: Data

  /// Reads the options of a server.
  ///
  /// - Throws: ``AuthError`` with ``AuthError/Code/internalError`` if the server sent something else.
  init(_ options: JSON, name: String?) throws {
    let user = options["user"]
    relyingPartyIdentifier = try (options["rp"]?["id"]?.string).orMissing
    challenge = try PasskeyBytes.read(options["challenge"])
    userID = try PasskeyBytes.read(user?["id"])
    userName = user?["name"]?.string ?? ""
    excludedCredentials = try (options["excludeCredentials"]?.array ?? []).map {
      try PasskeyBytes.read($0["id"])
    }
    self.name = name
    // Browsers read base64url, and Identity Toolkit sends base64.
    json = try options.replacing([
      "challenge": PasskeyBytes.write(challenge),
      "user": (user ?? [:]).replacing(["id": PasskeyBytes.write(userID)]),
    ]).serialized
  }
}

/// What an authenticator needs to sign a user in with a passkey: the options of ``Auth/startPasskeySignIn()``.
///
/// On Apple's platforms, pass the properties to
/// `ASAuthorizationPlatformPublicKeyCredentialProvider(relyingPartyIdentifier:).createCredentialAssertionRequest(challenge:)`;
/// in a browser or web view, pass ``json`` to `PublicKeyCredential.parseRequestOptionsFromJSON`.
public struct PasskeyAssertionRequest: Sendable, Hashable {
  /// The domain to which the passkeys belong.
  public let relyingPartyIdentifier: String
  /// What the authenticator has to answer, once and within minutes.
  public let challenge: Data
  /// The options as JSON (`PublicKeyCredentialRequestOptionsJSON` of WebAuthn).
  public let json: Data

  /// Reads the options of a server.
  ///
  /// - Throws: ``AuthError`` with ``AuthError/Code/internalError`` if the server sent something else.
  init(_ options: JSON) throws {
    relyingPartyIdentifier = try (options["rpId"]?.string).orMissing
    challenge = try PasskeyBytes.read(options["challenge"])
    json = try options.replacing(["challenge": PasskeyBytes.write(challenge)]).serialized
  }
}

/// The forms of bytes in Identity Toolkit and in browsers.
enum PasskeyBytes {
  /// Returns the bytes of a text in base64 or base64url.
  ///
  /// - Throws: ``AuthError`` with ``AuthError/Code/internalError`` if it is missing or another text.
  static func read(_ json: JSON?) throws(AuthError) -> Data {
    return try (json?.string).flatMap { Base64URL.decode(Base64URL.converted($0)) }.orMissing
  }

  /// Returns the text of bytes in base64url.
  static func write(_ bytes: Data) -> JSON { .string(Base64URL.encode(bytes)) }
}

extension JSON {
  /// Returns an object with other values of some members.
  fileprivate func replacing(_ members: [String: JSON]) -> JSON {
    .object((object ?? [:]).merging(members) { $1 })
  }
}
