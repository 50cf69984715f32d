public import TenonFoundation
import TenonJSON

/// The function with which the passwords of users to import were hashed
/// (https://firebase.google.com/docs/auth/admin/import-users). A dump doesn't show its key.
public struct UserImportHash: Sendable, Hashable {
  /// The function's name on the wire.
  private let name: String
  /// The key in base64.
  private var key: Secret?
  private var parameters: [String: JSON] = [:]
  /// The parameters that are outside of their limits.
  private var problem: String?

  private init(_ name: String, key: Data? = nil) {
    self.name = name
    self.key = key.map { Secret($0.base64EncodedString()) }
    if key?.isEmpty == true { problem = "The key is empty" }
  }

  private func with(_ label: String, _ value: Int, in range: ClosedRange<Int>) -> UserImportHash {
    var hash = self
    hash.parameters[label] = .int(Int64(clamping: value))
    if !range.contains(value) {
      hash.problem = "\(label) must be from \(range.lowerBound) to \(range.upperBound)"
    }
    return hash
  }

  /// Firebase's variant of scrypt, whose parameters the console shows ("Password hash parameters").
  ///
  /// - Parameters:
  ///   - key: the signer key.
  ///   - saltSeparator: the salt separator; none by default.
  ///   - rounds: 1 to 8.
  ///   - memoryCost: 1 to 14.
  public static func scrypt(key: Data, saltSeparator: Data = Data(), rounds: Int, memoryCost: Int)
    -> UserImportHash
  {
    var hash = UserImportHash("SCRYPT", key: key).with("rounds", rounds, in: 1...8)
      .with("memoryCost", memoryCost, in: 1...14)
    if !saltSeparator.isEmpty {
      hash.parameters["saltSeparator"] = .string(WebBase64.text(Secret(saltSeparator.base64EncodedString())))
    }
    return hash
  }

  /// Standard scrypt (RFC 7914).
  ///
  /// - Parameters:
  ///   - memoryCost: the cost of CPU and memory, *N*.
  ///   - parallelization: *p*.
  ///   - blockSize: *r*.
  ///   - derivedKeyLength: the length of the hash in bytes.
  public static func standardScrypt(
    memoryCost: Int, parallelization: Int, blockSize: Int, derivedKeyLength: Int
  ) -> UserImportHash {
    // Checked: constants.
    let range = 0...Int(Int32.max)
    return UserImportHash("STANDARD_SCRYPT").with("cpuMemCost", memoryCost, in: range)
      .with("parallelization", parallelization, in: range).with("blockSize", blockSize, in: range)
      .with("dkLen", derivedKeyLength, in: range)
  }

  /// bcrypt. The hash of each user contains its salt and cost.
  public static let bcrypt = UserImportHash("BCRYPT")

  /// HMAC (RFC 2104) with SHA-512.
  ///
  /// - Parameter key: the key of the function.
  public static func hmacSHA512(key: Data) -> UserImportHash { UserImportHash("HMAC_SHA512", key: key) }
  /// HMAC with SHA-256.
  ///
  /// - Parameter key: the key of the function.
  public static func hmacSHA256(key: Data) -> UserImportHash { UserImportHash("HMAC_SHA256", key: key) }
  /// HMAC with SHA-1.
  ///
  /// - Parameter key: the key of the function.
  public static func hmacSHA1(key: Data) -> UserImportHash { UserImportHash("HMAC_SHA1", key: key) }
  /// HMAC with MD5.
  ///
  /// - Parameter key: the key of the function.
  public static func hmacMD5(key: Data) -> UserImportHash { UserImportHash("HMAC_MD5", key: key) }

  /// MD5, applied several times.
  ///
  /// - Parameter rounds: 0 to 8,192.
  public static func md5(rounds: Int) -> UserImportHash { iterated("MD5", rounds, 0...8_192) }
  /// SHA-1, applied several times.
  ///
  /// - Parameter rounds: 1 to 8,192.
  public static func sha1(rounds: Int) -> UserImportHash { iterated("SHA1", rounds, 1...8_192) }
  /// SHA-256, applied several times.
  ///
  /// - Parameter rounds: 1 to 8,192.
  public static func sha256(rounds: Int) -> UserImportHash { iterated("SHA256", rounds, 1...8_192) }
  /// SHA-512, applied several times.
  ///
  /// - Parameter rounds: 1 to 8,192.
  public static func sha512(rounds: Int) -> UserImportHash { iterated("SHA512", rounds, 1...8_192) }
  /// PBKDF with SHA-1.
  ///
  /// - Parameter rounds: 0 to 120,000.
  public static func pbkdfSHA1(rounds: Int) -> UserImportHash { iterated("PBKDF_SHA1", rounds, 0...120_000) }
  /// PBKDF2 (RFC 8018) with SHA-256.
  ///
  /// - Parameter rounds: 0 to 120,000.
  public static func pbkdf2SHA256(rounds: Int) -> UserImportHash {
    iterated("PBKDF2_SHA256", rounds, 0...120_000)
  }

  private static func iterated(_ name: String, _ rounds: Int, _ range: ClosedRange<Int>) -> UserImportHash {
    UserImportHash(name).with("rounds", rounds, in: range)
  }

  /// Returns the members of the request.
  ///
  /// - Throws: ``AdminError`` with ``AdminError/Code/invalidHashAlgorithm`` for a parameter outside of its
  ///   limits.
  func wire() throws(AdminError) -> [String: JSON] {
    if let problem {
      throw AdminError(.invalidHashAlgorithm, "\(problem) for the hash function \(name).")
    }
    var members = parameters
    members["hashAlgorithm"] = .string(name)
    members["signerKey"] = key.map { .string(WebBase64.text($0)) }
    return members
  }
}
