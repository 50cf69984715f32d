import TenonCore
import TenonFoundation

#if os(Linux) && canImport(CCrypt)
  import CCrypt
#endif

/// Hashes passwords with yescrypt, the memory-hard function of libcrypt (https://www.openwall.com/yescrypt/).
///
/// The hashes are computed on dedicated threads, as many as there are processors, so that they don't block
/// the cooperative thread pool. Further requests wait in the order of their arrival. A hash takes tens of
/// milliseconds of one processor, which is its purpose: whoever steals the accounts must spend that on each
/// guess.
struct PasswordHasher: Sendable {
  /// Computes the hash of a password.
  ///
  /// - Parameters:
  ///   - password: the password.
  ///   - setting: the salt and the parameters, in libcrypt's format. An earlier hash is a setting, too.
  typealias Function = @Sendable (_ password: String, _ setting: String) throws -> String

  /// The number of passwords that are hashed at the same time.
  let width: Int
  /// The threads that compute hashes.
  private let lanes: LanePool
  /// The threads that compute hashes of other systems, few because some functions take much memory.
  private let foreignLanes: LanePool
  /// The hash function.
  private let function: Function

  /// Creates a hasher.
  ///
  /// - Parameters:
  ///   - width: the number of passwords to hash at the same time; the number of processors by default.
  ///   - function: the hash function; tests replace it with a fast one.
  init(
    width: Int = ProcessInfo.processInfo.activeProcessorCount,
    function: @escaping Function = PasswordHasher.crypt
  ) {
    self.width = max(1, width)
    lanes = LanePool(count: self.width, label: "tenon.embedded.passwords")
    foreignLanes = LanePool(count: min(2, self.width), label: "tenon.embedded.foreign-passwords")
    self.function = function
  }

  /// The greatest length of a password that libcrypt accepts, in bytes of UTF-8.
  static let longestPassword = 511

  /// Returns whether the hash function uses the whole of a password: it ignores everything after a NUL, and
  /// its input is limited to ``longestPassword`` bytes.
  static func accepts(_ password: String) -> Bool {
    password.utf8.count <= longestPassword && !password.utf8.contains(0)
  }

  /// How much work a new hash takes. Hashes contain their parameters, so that those of both kinds can be
  /// verified at any time.
  enum Work: UInt, Sendable {
    /// libcrypt's default, tens of milliseconds.
    case standard = 0
    /// The least that yescrypt has, about a millisecond.
    case least = 1
  }

  /// Returns a new hash of a password, with its salt and parameters.
  ///
  /// - Throws: ``Refusal`` where libcrypt isn't available; `CancellationError` if the task is cancelled
  ///   before the computation begins.
  func hash(_ password: String, work: Work = .standard) async throws -> String {
    try await lanes.run { [function] in try function(password, Self.salt(work)) }
  }

  /// Returns new hashes of several passwords, in their order.
  ///
  /// - Throws: the errors of ``hash(_:work:)``. The remaining passwords aren't hashed in this case.
  func hashes(of passwords: [String], work: Work = .standard) async throws -> [String] {
    try await withThrowingTaskGroup(of: (Int, String).self) { group in
      var hashes = [String](repeating: "", count: passwords.count)
      for (index, password) in passwords.enumerated() {
        // Limits the number of tasks to those that run or are next.
        // Checked: the index of a password.
        if index >= 2 * width, let (done, hash) = try await group.next() { hashes[done] = hash }
        group.addTask { (index, try await hash(password, work: work)) }
      }
      // Checked: the index of a password.
      for try await (done, hash) in group { hashes[done] = hash }
      return hashes
    }
  }

  /// Returns whether a password has a hash.
  ///
  /// - Parameters:
  ///   - password: the password of a sign-in.
  ///   - hash: the hash of an account, also one of another system (``ForeignHash``). If it is `nil`, the result
  ///     is `false` after the time that a wrong password takes.
  ///   - work: the work of the comparison without a hash, and after a wrong password for one of another system.
  /// - Throws: the errors of ``hash(_:work:)``.
  func verify(_ password: String, against hash: String?, work: Work = .standard) async throws -> Bool {
    if let hash, ForeignHash.isText(hash) {
      let foreign = try ForeignHash(text: hash)
      if Self.accepts(password), try await foreignLanes.run({ try foreign.matches(password) }) { return true }
      // A right password is hashed again, so a wrong one takes this time, too.
      return try await verify(password, against: nil, work: work)
    }
    let isComparable = Self.accepts(password)
    let computed = try await lanes.run { [function] in
      try function(isComparable ? password : "", try hash ?? Self.salt(work))
    }
    guard isComparable, let hash else { return false }
    return Self.areEqual(computed.utf8, hash.utf8)
  }

  /// Returns whether a text is a hash with the parameters of this hasher. Others could take any amount of work
  /// or memory to verify.
  static func isOwn(_ hash: String) -> Bool {
    let parts = hash.split(separator: "$", omittingEmptySubsequences: false)
    guard parts.count == 5, hash.utf8.count <= 256 else { return false }
    return [Work.standard, .least].contains { work in
      guard let salt = try? salt(work) else { return false }
      return salt.split(separator: "$", omittingEmptySubsequences: false).prefix(3).elementsEqual(
        parts.prefix(3))
    }
  }

  /// Compares two byte strings in a time that doesn't depend on the position of the first difference.
  static func areEqual(_ left: some Collection<UInt8>, _ right: some Collection<UInt8>) -> Bool {
    guard left.count == right.count else { return false }
    return zip(left, right).reduce(0) { $0 | ($1.0 ^ $1.1) } == 0
  }

  /// Checks that passwords can be hashed on this platform.
  ///
  /// - Throws: ``Refusal`` if they can't.
  static func checkIsAvailable() throws { _ = try salt(.least) }

  #if os(Linux) && canImport(CCrypt)
    /// Returns a random salt with the parameters of yescrypt.
    private static func salt(_ work: Work) throws -> String {
      // Checked: a constant of libcrypt.
      var output = [CChar](repeating: 0, count: Int(CRYPT_GENSALT_OUTPUT_SIZE))
      guard
        let setting = crypt_gensalt_rn("$y$", work.rawValue, nil, 0, &output, Int32(clamping: output.count))
      else {
        throw Refusal(
          500, "libcrypt returned no salt for yescrypt.", reason: "internal", statusName: "INTERNAL")
      }
      return String(cString: setting)
    }

    /// Computes a hash with libcrypt, whose functions include bcrypt.
    @Sendable static func crypt(_ password: String, setting: String) throws -> String {
      var state = crypt_data()
      guard let hash = crypt_rn(password, setting, &state, Int32(clamping: MemoryLayout<crypt_data>.size))
      else {
        throw Refusal(500, "libcrypt couldn't hash a password.", reason: "internal", statusName: "INTERNAL")
      }
      return String(cString: hash)
    }
  #else
    private static func salt(_ work: Work) throws -> String { throw Refusal.noPasswordHashing }
    @Sendable static func crypt(_ password: String, setting: String) throws -> String {
      throw Refusal.noPasswordHashing
    }
  #endif
}

extension Refusal {
  /// The error where libcrypt isn't available: passwords are rejected rather than stored with a weaker hash.
  static let noPasswordHashing = Refusal(
    501,
    "OPERATION_NOT_ALLOWED : The embedded backend doesn't support passwords on this platform, which lacks libcrypt.",
    reason: "unimplemented",
    statusName: "NOT_IMPLEMENTED"
  )
}
