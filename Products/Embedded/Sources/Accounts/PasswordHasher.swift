import Foundation
import TenonCore

#if os(Linux) && canImport(CCrypt)
  import CCrypt
#endif

/// Turns passwords into hashes with yescrypt, the memory-hard function of libcrypt, away from the cooperative pool.
actor PasswordHasher {
  private let executor = QueueExecutor(label: "tenon.embedded.passwords")
  nonisolated var unownedExecutor: UnownedSerialExecutor { executor.asUnownedSerialExecutor() }

  /// The longest password that libcrypt takes, in bytes of UTF-8.
  static let longestPassword = 511

  /// Whether the function sees the whole of a password: it stops at a NUL and takes a limited length.
  static func accepts(_ password: String) -> Bool {
    password.utf8.count <= longestPassword && !password.utf8.contains(0)
  }

  /// A fresh hash, with its salt and parameters.
  func hash(_ password: String) throws -> String {
    try Self.crypt(password, setting: Self.salt())
  }

  /// Whether a password has this hash.
  func verify(_ password: String, against hash: String) throws -> Bool {
    guard Self.accepts(password) else { return false }
    return Self.areEqual(try Self.crypt(password, setting: hash), hash)
  }

  /// Compares in a time that doesn't tell where two texts differ.
  private static func areEqual(_ left: String, _ right: String) -> Bool {
    guard left.utf8.count == right.utf8.count else { return false }
    return zip(left.utf8, right.utf8).reduce(0) { $0 | ($1.0 ^ $1.1) } == 0
  }

  #if os(Linux) && canImport(CCrypt)
    private static func salt() throws -> String {
      var output = [CChar](repeating: 0, count: Int(CRYPT_GENSALT_OUTPUT_SIZE))
      guard let setting = crypt_gensalt_rn("$y$", 0, nil, 0, &output, Int32(output.count)) else {
        throw Refusal(500, "libcrypt gave no salt for yescrypt.", reason: "internal", statusName: "INTERNAL")
      }
      return String(cString: setting)
    }

    private static func crypt(_ password: String, setting: String) throws -> String {
      var state = crypt_data()
      guard let hash = crypt_rn(password, setting, &state, Int32(MemoryLayout<crypt_data>.size)) else {
        throw Refusal(500, "libcrypt could not hash a password.", reason: "internal", statusName: "INTERNAL")
      }
      return String(cString: hash)
    }
  #else
    private static func salt() throws -> String { throw Refusal.noPasswordHashing }
    private static func crypt(_ password: String, setting: String) throws -> String {
      throw Refusal.noPasswordHashing
    }
  #endif
}

extension Refusal {
  /// Where libcrypt is missing, passwords are refused rather than kept with something weaker.
  static let noPasswordHashing = Refusal(
    501,
    "OPERATION_NOT_ALLOWED : The embedded backend keeps no passwords on this platform, which lacks libcrypt.",
    reason: "unimplemented",
    statusName: "NOT_IMPLEMENTED"
  )
}
