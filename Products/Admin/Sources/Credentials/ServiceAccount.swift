public import TenonFoundation
import TenonJSON
import TenonSignatures

/// A service account of a project: who a server is for Google. Its description shows the address, and not the
/// private key.
public struct ServiceAccount: Sendable, CustomStringConvertible, CustomReflectable {
  /// The address of the service account, for example `firebase-adminsdk-1@my-project.iam.gserviceaccount.com`.
  public let clientEmail: String
  /// The ID of the account's project; `nil` if the file doesn't name it.
  public let projectID: String?
  /// The private key.
  let key: PrivateKey
  /// The identifier of the private key; `nil` if the file doesn't name it.
  let keyID: String?
  /// Where access tokens are issued.
  let tokenURL: URL

  private struct File: Decodable {
    var clientEmail: String
    var privateKey: Secret
    var privateKeyID: String?
    var projectID: String?
    var tokenURI: String?

    private enum CodingKeys: String, CodingKey {
      case clientEmail = "client_email"
      case privateKey = "private_key"
      case privateKeyID = "private_key_id"
      case projectID = "project_id"
      case tokenURI = "token_uri"
    }
  }

  /// Reads the JSON file of a service account, which the project's console creates.
  ///
  /// - Parameter path: the path of the file.
  /// - Throws: ``AdminError`` with ``AdminError/Code/invalidCredential`` if the file can't be read or isn't
  ///   one, and with ``AdminError/Code/cryptographyUnavailable``.
  public init(contentsOfFile path: String) throws {
    try self.init(json: CredentialFile.content(of: path), from: path)
  }

  /// Reads the JSON text of a service account, for example from a vault.
  ///
  /// - Parameter json: the content of the file that the project's console creates.
  /// - Throws: ``AdminError`` with ``AdminError/Code/invalidCredential`` or
  ///   ``AdminError/Code/cryptographyUnavailable``.
  public init(json: Data) throws { try self.init(json: json, from: "in this text") }

  init(json: Data, from place: String) throws {
    // The decoder's error may quote the key.
    guard json.count <= CredentialFile.largest, let file = try? JSON.decode(File.self, from: json) else {
      throw AdminError(
        .invalidCredential,
        "The service account \(place) isn't one. Create a key for it in the project's settings, as JSON.")
    }
    let read = try AdminError.withCryptography { () throws(CryptographyUnavailable) in
      try PrivateKey(pem: file.privateKey.value, .rs256)
    }
    guard let key = read else {
      throw AdminError(
        .invalidCredential,
        "The private key of the service account \(place) isn't an RSA key. Create another one in the project's settings."
      )
    }
    // The account proves itself there.
    let tokenURL = try CredentialFile.url(
      file.tokenURI ?? "https://oauth2.googleapis.com/token", named: "token_uri", from: place)
    clientEmail = file.clientEmail
    projectID = file.projectID
    self.key = key
    keyID = file.privateKeyID
    self.tokenURL = tokenURL
  }

  /// Returns a JWT that this account signs.
  ///
  /// - Parameter claims: the claims.
  /// - Throws: ``AdminError`` with ``AdminError/Code/internalError`` if libcrypto fails.
  func token(_ claims: JSON) throws -> String {
    var header: [String: JSON] = ["alg": "RS256", "typ": "JWT"]
    header["kid"] = keyID.map(JSON.string)
    let signed = try [.object(header), claims].map { Base64URL.encode(try $0.serialized) }.joined(
      separator: ".")
    return "\(signed).\(Base64URL.encode(Data(try signature(of: Array(signed.utf8)))))"
  }

  /// Returns the signature of a message, RSASSA-PKCS1-v1_5 with SHA-256.
  ///
  /// - Throws: ``AdminError`` with ``AdminError/Code/internalError`` if libcrypto fails.
  func signature(of message: [UInt8]) throws -> [UInt8] {
    guard let signature = key.signature(of: message) else {
      throw AdminError(.internalError, "libcrypto can't sign with the key of \(clientEmail). Try again.")
    }
    return signature
  }

  /// The address.
  public var description: String { clientEmail }

  /// The address and the project, without the key.
  public var customMirror: Mirror {
    Mirror(self, children: ["clientEmail": clientEmail, "projectID": projectID as Any])
  }
}
