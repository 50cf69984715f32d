import TenonDocuments
import TenonFoundation
import TenonSignatures
import TenonTransport

/// A function with which another system hashed passwords, with its parameters: the members of
/// `accounts:batchCreate` about hashes
/// (https://cloud.google.com/identity-platform/docs/reference/rest/v1/projects.accounts/batchCreate).
///
/// Its work and memory are limited, because every sign-in attempt computes it.
struct ForeignHashFunction: Sendable, Hashable {
  /// A function that can be computed here.
  enum Kind: Sendable, Hashable {
    /// Firebase's variant of scrypt: what it derives is the key with which `key` is encrypted
    /// (https://github.com/firebase/scrypt).
    case scrypt(KeyDerivation.Scrypt, key: [UInt8], separator: [UInt8])
    /// scrypt (RFC 7914), with the size of the hash.
    case standardScrypt(KeyDerivation.Scrypt, size: Int)
    /// bcrypt, whose hashes contain salt and cost.
    case bcrypt
    /// PBKDF2 (RFC 8018). The hash has the size of the given one.
    case pbkdf2(KeyDerivation.Digest, rounds: Int32)
    /// HMAC (RFC 2104).
    case hmac(KeyDerivation.Digest, key: [UInt8], isSaltFirst: Bool)
    /// A digest of salt and password, and then of the digest.
    case digest(KeyDerivation.Digest, rounds: Int, isSaltFirst: Bool)
  }

  /// What is computed.
  let kind: Kind
  /// The members that describe the function.
  let members: [String: JSON]

  /// The types of the members.
  static let fields: [String: FieldType] = [
    "hashAlgorithm": .text, "signerKey": .text, "saltSeparator": .text, "rounds": .integer,
    "memoryCost": .integer, "cpuMemCost": .integer, "parallelization": .integer, "blockSize": .integer,
    "dkLen": .integer, "passwordHashOrder": .text, "argon2Parameters": .object([:]),
  ]

  /// The most bytes that a key, a salt or a separator may have.
  static let mostBytes = 1_024

  /// Reads a function.
  ///
  /// - Parameter body: the members of a request or of a stored hash.
  /// - Returns: `nil` if no function is named.
  /// - Throws: ``Refusal`` with `INVALID_HASH_ALGORITHM` for an unknown function, with the name of the parameter,
  ///   for example `INVALID_HASH_ROUNDS`, for one outside of its limits, and with status 501 for Argon2.
  init?(_ body: [String: JSON]) throws {
    guard let name = body["hashAlgorithm"]?.text, !name.isEmpty,
      !["HASH_ALGORITHM_UNSPECIFIED", "0"].contains(name)
    else { return nil }
    members = body.filter { Self.fields[$0.key] != nil }
    kind = try Reader(members: members, name: name).kind
  }

  /// Checks that the function can be computed on this machine.
  ///
  /// - Throws: ``Refusal`` with status 501 if it can't.
  func checkIsAvailable() throws {
    try PasswordHasher.checkIsAvailable()
    let isAvailable =
      switch kind {
      case .bcrypt: true
      case .pbkdf2(let digest, _), .hmac(let digest, _, _), .digest(let digest, _, _):
        KeyDerivation.digest(digest, of: []) != nil
      case .scrypt, .standardScrypt:
        KeyDerivation.scrypt(
          KeyDerivation.Scrypt(cost: 2, blockSize: 1, parallelization: 1), password: [], salt: [], size: 1)
          != nil
      }
    guard isAvailable else {
      throw Refusal.unimplemented(
        "hashAlgorithm \(members["hashAlgorithm"]?.text ?? ""), which this system's libcrypto lacks")
    }
  }
}

/// Reads the parameters of a function.
private struct Reader {
  let members: [String: JSON]
  let name: String

  var kind: ForeignHashFunction.Kind {
    get throws {
      switch name {
      case "SCRYPT":
        // Firebase's parameters: the cost is a logarithm, and the rounds are the size of a block.
        let cost = try number("memoryCost", in: 1...14, "INVALID_HASH_MEMORY_COST")
        let scrypt = KeyDerivation.Scrypt(
          cost: 1 << UInt64(clamping: cost),
          blockSize: UInt64(clamping: try number("rounds", in: 1...8, "INVALID_HASH_ROUNDS")),
          parallelization: 1)
        return .scrypt(
          scrypt,
          key: try bytes(
            "signerKey", atLeast: Int(clamping: ForeignHash.derivedSizes.lowerBound), "INVALID_HASH_KEY"),
          separator: try bytes("saltSeparator", atLeast: 0, "INVALID_HASH_SALT_SEPARATOR"))
      case "STANDARD_SCRYPT": return try standardScrypt
      case "BCRYPT": return .bcrypt
      case "PBKDF_SHA1": return .pbkdf2(.sha1, rounds: try iterations)
      case "PBKDF2_SHA256": return .pbkdf2(.sha256, rounds: try iterations)
      case "HMAC_MD5": return try hmac(.md5)
      case "HMAC_SHA1": return try hmac(.sha1)
      case "HMAC_SHA256": return try hmac(.sha256)
      case "HMAC_SHA512": return try hmac(.sha512)
      case "MD5": return try digest(.md5, in: 0...8_192)
      case "SHA1": return try digest(.sha1)
      case "SHA256": return try digest(.sha256)
      case "SHA512": return try digest(.sha512)
      case "ARGON2": throw Refusal.unimplemented("accounts:batchCreate with hashAlgorithm ARGON2")
      default:
        throw AccountService.refusal("INVALID_HASH_ALGORITHM", "\(name.prefix(100)) isn't a hash function")
      }
    }
  }

  private var iterations: Int32 {
    get throws { Int32(clamping: try number("rounds", in: 1...120_000, "INVALID_HASH_ROUNDS")) }
  }

  private func hmac(_ digest: KeyDerivation.Digest) throws -> ForeignHashFunction.Kind {
    .hmac(
      digest, key: try bytes("signerKey", atLeast: 1, "INVALID_HASH_KEY"),
      isSaltFirst: try isSaltFirst(byDefault: false))
  }

  private func digest(
    _ digest: KeyDerivation.Digest, in range: ClosedRange<Int64> = 1...8_192
  ) throws -> ForeignHashFunction.Kind {
    .digest(
      digest, rounds: Int(clamping: try number("rounds", in: range, "INVALID_HASH_ROUNDS")),
      isSaltFirst: try isSaltFirst(byDefault: true))
  }

  /// The parameters of scrypt that take at most 128 MiB for each of its two buffers, and about a second.
  private var standardScrypt: ForeignHashFunction.Kind {
    get throws {
      let range: ClosedRange<Int64> = 1...1_048_576
      let most = range.upperBound
      let costName = members["cpuMemCost"] == nil ? "memoryCost" : "cpuMemCost"
      let cost = try number(costName, in: 2...1_048_576, "INVALID_HASH_MEMORY_COST")
      let blockSize = try number("blockSize", in: range, "INVALID_HASH_BLOCK_SIZE")
      let parallelization = try number("parallelization", in: range, "INVALID_HASH_PARALLELIZATION")
      let size = try number("dkLen", in: ForeignHash.derivedSizes, "INVALID_HASH_DERIVED_KEY_LENGTH")
      guard cost.nonzeroBitCount == 1 else {
        throw AccountService.refusal("INVALID_HASH_MEMORY_COST", "\(costName) must be a power of two")
      }
      guard cost * blockSize <= most, blockSize > 1 || cost < 1 << 16 else {
        throw AccountService.refusal(
          "INVALID_HASH_MEMORY_COST", "\(costName) * blockSize must be at most \(most), for 128 MiB")
      }
      guard cost * blockSize * parallelization <= 2 * most else {
        throw AccountService.refusal(
          "INVALID_HASH_PARALLELIZATION",
          "\(costName) * blockSize * parallelization must be at most \(2 * most)")
      }
      return .standardScrypt(
        KeyDerivation.Scrypt(
          cost: UInt64(clamping: cost), blockSize: UInt64(clamping: blockSize),
          parallelization: UInt64(clamping: parallelization)), size: Int(clamping: size))
    }
  }

  /// Returns a parameter that is a number; 0 if it is absent.
  private func number(_ label: String, in range: ClosedRange<Int64>, _ code: String) throws -> Int64 {
    let value = members[label].map(\.integer) ?? 0
    guard let value, range.contains(value) else {
      throw AccountService.refusal(
        code, "\(label) of \(name) must be a whole number from \(range.lowerBound) to \(range.upperBound)")
    }
    return value
  }

  /// Returns a parameter that is bytes in base64.
  private func bytes(_ label: String, atLeast least: Int, _ code: String) throws -> [UInt8] {
    let most = ForeignHashFunction.mostBytes
    guard let text = members[label].map(\.text) ?? "", text.utf8.count <= 2 * most,
      let bytes = Data(wireBase64: text), bytes.count >= least, bytes.count <= most
    else {
      throw AccountService.refusal(code, "\(label) of \(name) must be \(least) to \(most) bytes in base64")
    }
    return [UInt8](bytes)
  }

  /// Returns whether the salt comes before the password. As in production, it does for digests, and doesn't for
  /// HMAC, unless the request says otherwise.
  private func isSaltFirst(byDefault isFirst: Bool) throws -> Bool {
    switch members["passwordHashOrder"]?.text ?? "" {
    case "", "UNSPECIFIED_ORDER", "0": return isFirst
    case "SALT_AND_PASSWORD", "1": return true
    case "PASSWORD_AND_SALT", "2": return false
    case let order:
      throw AccountService.refusal(
        "INVALID_HASH_ALGORITHM",
        "passwordHashOrder must be SALT_AND_PASSWORD or PASSWORD_AND_SALT, not \(order.prefix(100))")
    }
  }
}
