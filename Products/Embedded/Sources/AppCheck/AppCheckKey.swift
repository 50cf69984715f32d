import TenonFoundation
import TenonHashes
import TenonSignatures
import TenonTransport

/// A key with which App Check tokens are signed (RS256), and its public part for those who verify them.
struct AppCheckKey: Sendable {
  /// The identifier of the key: its thumbprint (RFC 7638).
  let id: String
  /// The public key as a JWK (RFC 7517, section 4).
  let jwk: JSON
  private let signing: PrivateKey
  private let verifying: PublicKey

  /// Creates the key with its stored form.
  ///
  /// - Parameter der: a private RSA key in DER.
  /// - Returns: `nil` if these bytes are no such key.
  /// - Throws: `CryptographyUnavailable`.
  init?(der: [UInt8]) throws(CryptographyUnavailable) {
    guard let signing = try PrivateKey(der: der, .rs256), let bytes = signing.publicKey,
      let verifying = try PublicKey(bytes, .rs256), let numbers = DER.numbers(ofPublicKey: bytes)
    else { return nil }
    let (n, e) = (Base64URL.encode(Data(numbers.modulus)), Base64URL.encode(Data(numbers.exponent)))
    id = Base64URL.encode(SHA256.digest(Data(#"{"e":"\#(e)","kty":"RSA","n":"\#(n)"}"#.utf8)))
    jwk = [
      "kty": "RSA", "use": "sig", "alg": "RS256", "kid": .string(id), "n": .string(n), "e": .string(e),
    ]
    (self.signing, self.verifying) = (signing, verifying)
  }

  /// Returns the stored form of a new key.
  ///
  /// - Returns: `nil` if libcrypto fails.
  /// - Throws: `CryptographyUnavailable`.
  static func generated() throws(CryptographyUnavailable) -> [UInt8]? {
    try PrivateKey(generatingRSA: ())?.der
  }

  /// Returns a token in the compact form of RFC 7515, section 3.1.
  ///
  /// - Parameter payload: the claims, as JSON.
  /// - Returns: `nil` if libcrypto fails.
  func signed(_ payload: Data) -> String? {
    let header = Data(#"{"alg":"RS256","typ":"JWT","kid":"\#(id)"}"#.utf8)
    let signed = "\(Base64URL.encode(header)).\(Base64URL.encode(payload))"
    return signing.signature(of: Array(signed.utf8)).map { "\(signed).\(Base64URL.encode(Data($0)))" }
  }

  /// Returns whether a token names this key, and was signed with it.
  func hasSigned(_ text: some StringProtocol) -> Bool {
    let parts = text.split(separator: ".", omittingEmptySubsequences: false)
    guard parts.count == 3, let header = Base64URL.decode(parts[0]),
      let members = try? JSON(parsing: header).object,
      members["alg"] == "RS256", members["kid"] == .string(id),
      let signature = Base64URL.decode(parts[2])
    else { return false }
    return verifying.isValid([UInt8](signature), of: Array("\(parts[0]).\(parts[1])".utf8))
  }
}

/// The key of a backend, which is generated when it is first needed and stored with the backend's data: tokens
/// remain valid when the backend is restarted, and those of one process are valid for the others that use its
/// directory.
final class AppCheckKeyStore: Sendable {
  /// The greatest length of a token in bytes. Those of the backend have some hundreds.
  private static let longestToken = 8_192

  private let database: EmbeddedDatabase
  /// The key, once it was read.
  private let key = Lock<AppCheckKey?>(nil)

  init(_ database: EmbeddedDatabase) { self.database = database }

  /// Whether tokens are signed. Without libcrypto, which only Linux has, they have no signature.
  static var isAvailable: Bool {
    do throws(CryptographyUnavailable) { try CryptographyUnavailable.check() } catch { return false }
    return true
  }

  /// Reads the key if a request has a token that may be signed with it. It is called before a token is
  /// verified, which can't wait for the database.
  ///
  /// - Throws: ``Refusal`` or `SQLiteError` if the database can't be read, or the key in it is damaged.
  func prepare(for token: String?) async throws {
    guard let token, !token.isEmpty, key.withLock({ $0 == nil }), Self.isAvailable else { return }
    guard let stored = try await database.read({ try $0.appCheckKey() }) else { return }
    _ = try keep(stored)
  }

  /// Returns the key, and generates one if there is none.
  ///
  /// - Throws: `CryptographyUnavailable`; as ``prepare(for:)``.
  func current() async throws -> AppCheckKey {
    if let key = key.withLock({ $0 }) { return key }
    try CryptographyUnavailable.check()
    return try keep(try await database.makeAppCheckKey())
  }

  /// Returns whether the token is signed with the key. Without libcrypto, every token is accepted.
  func isAuthentic(_ token: String) -> Bool {
    guard token.utf8.count <= Self.longestToken else { return false }
    guard Self.isAvailable else { return true }
    return key.withLock { $0 }?.hasSigned(token) ?? false
  }

  private func keep(_ stored: Data) throws -> AppCheckKey {
    guard let read = try AppCheckKey(der: [UInt8](stored)) else {
      throw Refusal(
        500,
        "The key of App Check tokens in the backend's database is damaged. Delete the data directory or restore it.",
        reason: "backendError", statusName: "INTERNAL")
    }
    key.withLock { $0 = read }
    return read
  }
}
