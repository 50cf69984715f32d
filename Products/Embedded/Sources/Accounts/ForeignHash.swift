import TenonDocuments
import TenonFoundation
import TenonSignatures
import TenonTransport

/// The hash of a password that another system computed and an administrator imported. It is replaced by one of
/// this backend when the user first signs in with the password.
struct ForeignHash: Sendable, Hashable {
  /// The function.
  let function: ForeignHashFunction
  /// The hash. That of bcrypt is text.
  let hash: [UInt8]
  /// The salt; empty if there is none.
  let salt: [UInt8]

  /// The sizes of a derived hash in bytes. Wrong passwords would have a shorter one too often.
  static let derivedSizes: ClosedRange<Int64> = 16...128
  /// The costs of bcrypt that take about a second at most.
  private static let bcryptCosts: ClosedRange<UInt8> = 4...14
  /// What a stored hash begins with. Neither base64 nor libcrypt's hashes begin like this.
  private static let prefix = "foreign:"

  /// Whether the stored hash of an account is one of another system.
  static func isText(_ hash: String) -> Bool { hash.hasPrefix(prefix) }

  /// Checks a hash.
  ///
  /// - Parameters:
  ///   - function: its function.
  ///   - hash: the hash in base64.
  ///   - salt: the salt in base64.
  /// - Throws: ``AccountImport/Problem`` if these aren't a hash and a salt of the function.
  init(function: ForeignHashFunction, base64Hash hash: String, base64Salt salt: String) throws {
    let most = ForeignHashFunction.mostBytes
    guard salt.utf8.count <= 2 * most, let salt = Data(wireBase64: salt), salt.count <= most else {
      throw AccountImport.Problem(message: "salt must be at most \(most) bytes in base64.")
    }
    guard hash.utf8.count <= 2 * most, let hash = Data(wireBase64: hash) else {
      throw AccountImport.Problem(message: "passwordHash must be at most \(most) bytes in base64.")
    }
    self.function = function
    self.hash = [UInt8](hash)
    self.salt = [UInt8](salt)
    guard let problem else { return }
    throw AccountImport.Problem(message: "passwordHash isn't one of the hashAlgorithm: \(problem).")
  }

  /// Reads a stored hash.
  ///
  /// - Throws: an error if the text isn't that of a hash.
  init(text: String) throws {
    let damaged = Refusal(
      500, "The stored hash of a password is damaged. Set a new password.", reason: "internal",
      statusName: "INTERNAL")
    guard text.hasPrefix(Self.prefix), text.utf8.count <= 16 * ForeignHashFunction.mostBytes,
      let members = try? JSON(parsing: Data(text.utf8.dropFirst(Self.prefix.utf8.count))).object,
      let function = try? ForeignHashFunction(members),
      let foreign = try? ForeignHash(
        function: function, base64Hash: members["passwordHash"]?.text ?? "",
        base64Salt: members["salt"]?.text ?? "")
    else { throw damaged }
    self = foreign
  }

  /// The text with which the hash is stored.
  var text: String {
    get throws {
      var members = function.members
      members["passwordHash"] = .string(Data(hash).base64EncodedString())
      members["salt"] = .string(Data(salt).base64EncodedString())
      return Self.prefix + String(decoding: try JSON.object(members).serialized, as: UTF8.self)
    }
  }

  /// Why this isn't a hash of the function; `nil` if it is.
  private var problem: String? {
    let sizes: [Int]
    switch function.kind {
    case .scrypt(_, let key, _): sizes = [key.count]
    case .standardScrypt(_, let size): sizes = [size]
    case .pbkdf2:
      let range = Self.derivedSizes
      return range.contains(Int64(clamping: hash.count))
        ? nil : "it must have \(range.lowerBound) to \(range.upperBound) bytes"
    case .bcrypt: return bcryptProblem
    case .hmac(let digest, _, _), .digest(let digest, _, _):
      sizes = [digest.size, 2 * digest.size]
      if hash.count == sizes.last, Self.decodedHexadecimal(hash) == nil { return "it isn't hexadecimal" }
    }
    return sizes.contains(hash.count)
      ? nil : "it must have \(sizes.map(String.init).joined(separator: " or ")) bytes"
  }

  /// Why this isn't a hash of bcrypt; `nil` if it is.
  private var bcryptProblem: String? {
    let parts = String(decoding: hash, as: UTF8.self).split(separator: "$", omittingEmptySubsequences: false)
    guard hash.count == 60, parts.count == 4, parts[0].isEmpty, ["2a", "2b", "2y"].contains(parts[1]),
      parts[2].utf8.count == 2, let cost = UInt8(decimal: String(parts[2])), parts[3].utf8.count == 53,
      parts[3].utf8.allSatisfy({ Self.isBcrypt($0) })
    else { return "it must be text of the form $2b$10$ and 53 characters" }
    return Self.bcryptCosts.contains(cost)
      ? nil : "its cost must be from \(Self.bcryptCosts.lowerBound) to \(Self.bcryptCosts.upperBound)"
  }

  private static func isBcrypt(_ byte: UInt8) -> Bool {
    switch byte {
    case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"): true
    // From the period to the 9, with the slash between.
    case UInt8(ascii: ".")...UInt8(ascii: "9"): true
    default: false
    }
  }

  /// Decodes hexadecimal text; returns `nil` for other text.
  private static func decodedHexadecimal(_ text: [UInt8]) -> [UInt8]? {
    let digits = text.compactMap { Character(UnicodeScalar($0)).hexDigitValue }
    guard digits.count == text.count, digits.count.isMultiple(of: 2) else { return nil }
    return stride(from: 0, to: digits.count, by: 2).map { UInt8(clamping: digits[$0] << 4 | digits[$0 + 1]) }
  }
}

extension ForeignHash {
  /// Returns whether a password has this hash. Takes up to a second of a processor.
  ///
  /// - Parameter password: a password that ``PasswordHasher/accepts(_:)``.
  /// - Throws: ``Refusal`` if a library can't compute the function.
  func matches(_ password: String) throws -> Bool {
    if case .bcrypt = function.kind {
      let computed = try PasswordHasher.crypt(password, setting: String(decoding: hash, as: UTF8.self))
      return PasswordHasher.areEqual(computed.utf8, hash)
    }
    guard let computed = computed(Array(password.utf8)) else {
      throw Refusal(500, "libcrypto couldn't hash a password.", reason: "internal", statusName: "INTERNAL")
    }
    if computed.count != hash.count, let bytes = Self.decodedHexadecimal(hash) {
      return PasswordHasher.areEqual(computed, bytes)
    }
    return PasswordHasher.areEqual(computed, hash)
  }

  /// Returns the hash of a password with the salt of this one; `nil` if libcrypto fails.
  private func computed(_ password: [UInt8]) -> [UInt8]? {
    switch function.kind {
    case .bcrypt: return nil
    case .scrypt(let scrypt, let key, let separator):
      return KeyDerivation.scrypt(scrypt, password: password, salt: salt + separator, size: 32)
        .flatMap { KeyDerivation.aesCTR(key, key: $0) }
    case .standardScrypt(let scrypt, let size):
      return KeyDerivation.scrypt(scrypt, password: password, salt: salt, size: size)
    case .pbkdf2(let digest, let rounds):
      return KeyDerivation.pbkdf2(digest, password: password, salt: salt, rounds: rounds, size: hash.count)
    case .hmac(let digest, let key, let isSaltFirst):
      return KeyDerivation.hmac(digest, key: key, of: isSaltFirst ? salt + password : password + salt)
    case .digest(let digest, let rounds, let isSaltFirst):
      var result = KeyDerivation.digest(digest, of: isSaltFirst ? salt + password : password + salt)
      for _ in stride(from: 1, to: rounds, by: 1) {
        result = result.flatMap { KeyDerivation.digest(digest, of: $0) }
      }
      return result
    }
  }
}
