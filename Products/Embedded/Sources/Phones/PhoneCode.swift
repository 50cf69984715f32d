import TenonFoundation
import TenonValues

/// A code that Firebase would send to a phone as a text message. The embedded backend sends nothing; see
/// ``Embedded/phoneCodes()``.
public struct PhoneCode: Sendable, Hashable, CustomStringConvertible {
  /// The phone number, for example `+15555550100`.
  public let phoneNumber: String
  /// The code of six digits, or the one that ``EmbeddedSettings/testPhoneNumbers`` has for the number.
  public let code: String
  /// The tenant of the user; `nil` for users of the project itself.
  public let tenantID: String?
  /// The verification to which the code belongs, as clients know it.
  public let sessionInfo: String
  /// When the code was created, in milliseconds since 1970.
  let issued: Int64
  /// The number of wrong codes that were tried.
  var failures = 0

  /// The number, without the code, which is a secret.
  public var description: String { "code for \(phoneNumber)" }
}

extension PhoneCode {
  /// Creates a code for a number.
  ///
  /// - Parameters:
  ///   - phoneNumber: the number.
  ///   - tenantID: the tenant of the user; `nil` for users of the project itself.
  ///   - fixed: the code of a test number; a random one if `nil`.
  ///   - now: the current time.
  init(phoneNumber: String, tenantID: String?, fixed: String?, now: Timestamp) {
    self.phoneNumber = phoneNumber
    self.tenantID = tenantID
    let digits = String(Int.random(in: 0..<1_000_000))
    // Checked: at least 0.
    code = fixed ?? String(repeating: "0", count: max(0, 6 - digits.count)) + digits
    sessionInfo = RandomText.secret()
    issued = now.millisecondsSince1970
  }
}

/// The codes of phone numbers that haven't been used, and what proves that a number was verified. They are in
/// memory: after a restart, a client requests another text message.
final class PhoneVerifications: Sendable {
  private struct State {
    var codes: [PhoneCode] = []
    /// The numbers that were verified, by their proofs.
    var proofs: [(proof: String, number: String)] = []
    var recipient: (@Sendable (PhoneCode) -> Void)?
  }

  /// How many codes and proofs are kept; beyond that, the oldest are deleted.
  private static let most = 1_000
  /// How many wrong codes end a verification: a code has only a million values.
  static let mostFailures = 10

  private let state = Lock(State())

  /// The codes in the order of their creation.
  var codes: [PhoneCode] { state.withLock { $0.codes } }

  /// Sets who receives each new code.
  func setRecipient(_ recipient: (@Sendable (PhoneCode) -> Void)?) {
    state.withLock { $0.recipient = recipient }
  }

  /// Keeps a code, and passes it on.
  func insert(_ code: PhoneCode) {
    let recipient = state.withLock { state in
      state.codes.append(code)
      if state.codes.count > Self.most { state.codes.removeFirst() }
      return state.recipient
    }
    recipient?(code)
  }

  /// The outcome of a check.
  enum Outcome: Sendable {
    case verified(String)
    case unknown
    case wrong
    case exhausted
  }

  /// Checks a code of a tenant, or of the project itself if `nil`. A verification ends with the right code, and
  /// with too many wrong ones.
  func check(_ sessionInfo: String, _ code: String, ofTenant tenantID: String?) -> Outcome {
    state.withLock { state in
      guard
        let index = state.codes.firstIndex(where: {
          $0.sessionInfo == sessionInfo && $0.tenantID == tenantID
        })
      else { return .unknown }
      if state.codes[index].code == code { return .verified(state.codes[index].phoneNumber) }
      state.codes[index].failures += 1
      guard state.codes[index].failures < Self.mostFailures else {
        state.codes.remove(at: index)
        return .exhausted
      }
      return .wrong
    }
  }

  /// Ends a verification.
  func remove(_ sessionInfo: String) {
    state.withLock { $0.codes.removeAll { $0.sessionInfo == sessionInfo } }
  }

  /// Ends a verification, and returns its code. Only one of several callers gets it.
  func take(_ sessionInfo: String) -> PhoneCode? {
    state.withLock { state in
      guard let index = state.codes.firstIndex(where: { $0.sessionInfo == sessionInfo }) else { return nil }
      return state.codes.remove(at: index)
    }
  }

  /// Continues a verification that was ended by ``take(_:)``.
  func restore(_ code: PhoneCode) { state.withLock { $0.codes.append(code) } }

  /// Returns a proof that a number was verified, for a client that wants to sign in with it instead.
  func proof(of number: String) -> String {
    let proof = RandomText.secret()
    state.withLock { state in
      state.proofs.append((proof, number))
      if state.proofs.count > Self.most { state.proofs.removeFirst() }
    }
    return proof
  }

  /// Returns whether a proof is one of a number.
  func isProof(_ proof: String, of number: String) -> Bool {
    state.withLock { $0.proofs.contains { $0.proof == proof && $0.number == number } }
  }
}
