import TenonFoundation
import TenonValues

/// The challenges that clients haven't answered yet. They are in memory: after a restart, a client begins again.
final class PasskeyChallenges: Sendable {
  private struct Challenge {
    let text: String
    let purpose: PasskeyCeremony.Purpose
    /// The user who enrolls a passkey, or the tenant of a sign-in.
    let owner: UserKey
    /// In milliseconds since 1970.
    let created: Int64
  }

  /// How many challenges are kept; beyond that, the oldest are deleted.
  private static let most = 5_000
  /// How long a challenge can be answered, in milliseconds.
  static let lifetime: Int64 = 5 * 60_000

  private let challenges = Lock<[Challenge]>([])

  /// Returns a new challenge. Letters and digits are the same in base64 and base64url, so that clients that
  /// expect either of them decode it.
  ///
  /// - Parameters:
  ///   - purpose: what it is for.
  ///   - owner: the user who enrolls a passkey; for a sign-in, a user with an empty ID.
  ///   - now: the current time.
  func create(_ purpose: PasskeyCeremony.Purpose, for owner: UserKey, now: Timestamp) -> String {
    // 33 bytes, which need no padding.
    let text = RandomText.make(count: 44)
    challenges.withLock { challenges in
      challenges.append(
        Challenge(text: text, purpose: purpose, owner: owner, created: now.millisecondsSince1970))
      if challenges.count > Self.most { challenges.removeFirst() }
    }
    return text
  }

  /// Removes a challenge, and returns whether it was created for this purpose and owner and hasn't expired. Only
  /// one of several callers gets `true`.
  func take(_ text: String, _ purpose: PasskeyCeremony.Purpose, of owner: UserKey, now: Timestamp) -> Bool {
    challenges.withLock { challenges in
      guard
        let index = challenges.firstIndex(where: {
          $0.text == text && $0.purpose == purpose && $0.owner == owner
        })
      else { return false }
      let challenge = challenges.remove(at: index)
      // Both are clamped.
      return now.millisecondsSince1970 - challenge.created <= Self.lifetime
    }
  }
}
