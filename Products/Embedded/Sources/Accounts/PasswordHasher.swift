import Foundation
import TenonCore

#if os(Linux) && canImport(CCrypt)
  import CCrypt
#endif

/// Turns passwords into hashes with yescrypt, the memory-hard function of libcrypt, away from the cooperative pool and
/// on as many cores as there are. Requests beyond that wait in the order in which they came.
struct PasswordHasher: Sendable {
  /// Computes the hash of a password with the salt and parameters of a setting, which an earlier hash can be.
  typealias Function = @Sendable (_ password: String, _ setting: String) throws -> String

  /// How many passwords are hashed at a time.
  let width: Int
  private let lanes: LanePool
  private let function: Function

  init(
    width: Int = ProcessInfo.processInfo.activeProcessorCount,
    function: @escaping Function = PasswordHasher.crypt
  ) {
    self.width = max(1, width)
    lanes = LanePool(count: self.width, label: "tenon.embedded.passwords")
    self.function = function
  }

  /// The longest password that libcrypt takes, in bytes of UTF-8.
  static let longestPassword = 511

  /// Whether the function sees the whole of a password: it stops at a NUL and takes a limited length.
  static func accepts(_ password: String) -> Bool {
    password.utf8.count <= longestPassword && !password.utf8.contains(0)
  }

  /// A fresh hash, with its salt and parameters.
  ///
  /// - Throws: `CancellationError` when the task is cancelled before its turn.
  func hash(_ password: String) async throws -> String {
    try await lanes.run { [function] in try function(password, Self.salt()) }
  }

  /// Fresh hashes of several passwords, in their order.
  func hashes(of passwords: [String]) async throws -> [String] {
    try await withThrowingTaskGroup(of: (Int, String).self) { group in
      var hashes = [String](repeating: "", count: passwords.count)
      for (index, password) in passwords.enumerated() {
        // No more tasks than can be at work or next.
        if index >= 2 * width, let (done, hash) = try await group.next() { hashes[done] = hash }
        group.addTask { (index, try await hash(password)) }
      }
      for try await (done, hash) in group { hashes[done] = hash }
      return hashes
    }
  }

  /// Whether a password has this hash.
  ///
  /// - Parameter hash: the hash of an account; `nil` when there is none, which takes as long as a wrong password does.
  func verify(_ password: String, against hash: String?) async throws -> Bool {
    let isComparable = Self.accepts(password)
    let computed = try await lanes.run { [function] in
      try function(isComparable ? password : "", try hash ?? Self.salt())
    }
    guard isComparable, let hash else { return false }
    return Self.areEqual(computed, hash)
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

    @Sendable private static func crypt(_ password: String, setting: String) throws -> String {
      var state = crypt_data()
      guard let hash = crypt_rn(password, setting, &state, Int32(MemoryLayout<crypt_data>.size)) else {
        throw Refusal(500, "libcrypt could not hash a password.", reason: "internal", statusName: "INTERNAL")
      }
      return String(cString: hash)
    }
  #else
    private static func salt() throws -> String { throw Refusal.noPasswordHashing }
    @Sendable private static func crypt(_ password: String, setting: String) throws -> String {
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
