import TenonFoundation
import TenonValues

/// The time-based one-time passwords of a secret (TOTP, RFC 6238), which authenticator apps compute: of six
/// digits, with HMAC-SHA-1, and a new one every 30 seconds.
struct OneTimePassword: Sendable, Hashable {
  /// The number of digits.
  static let digits = 6
  /// The time for which a code is current, in seconds.
  static let period: Int64 = 30
  /// How many steps before and after the current one are accepted, because clocks differ.
  static let window: Int64 = 1
  /// The longest secret that is accepted, in characters of its text.
  private static let longestSecret = 1_000

  /// The shared secret.
  private let secret: [UInt8]

  /// Creates the passwords of a new secret, of 160 bits as RFC 4226 recommends.
  init() {
    // Checked: constants.
    secret = (0..<20).map { _ in UInt8.random(in: .min ... .max) }
  }

  /// Creates the passwords of a secret.
  ///
  /// - Parameter text: the secret in base32.
  /// - Returns: `nil` if the text isn't valid.
  init?(sharedSecretKey text: String) {
    guard (1...Self.longestSecret).contains(text.utf8.count), let secret = Base32.decode(text) else {
      return nil
    }
    self.secret = secret
  }

  /// The secret in base32, as an authenticator app takes it.
  var sharedSecretKey: String { Base32.encode(secret) }

  /// Returns the step of a time: the number of periods since 1970.
  static func step(at time: Timestamp) -> Int64 { time.seconds / period }

  /// Returns the code of a step (RFC 4226, section 5.3).
  func code(of step: Int64) -> String {
    let counter = UInt64(bitPattern: step)
    let message = [56, 48, 40, 32, 24, 16, 8, 0].map { UInt8(truncatingIfNeeded: counter &>> $0 as UInt64) }
    let code = SHA1.authenticationCode(of: message, key: secret)
    let offset = Int(truncatingIfNeeded: code[19] & 0x0F)
    // Checked: the offset is at most 15, and a code has 20 bytes.
    let word = code[offset..<offset + 4].reduce(UInt32(0)) { $0 &<< 8 | UInt32(truncatingIfNeeded: $1) }
    let number = word & 0x7FFF_FFFF
    let digits = String(number % 1_000_000)
    // Checked: at least 0.
    return String(repeating: "0", count: max(0, Self.digits - digits.count)) + digits
  }

  /// Returns the step of a code that is accepted: of the present step, the one before or the one after.
  ///
  /// - Parameters:
  ///   - code: the code that was entered.
  ///   - now: the current time.
  ///   - last: the step of the last code that was accepted. A code isn't accepted twice, nor is one before it
  ///     (RFC 6238, section 5.2).
  /// - Returns: `nil` if the code is wrong.
  func step(of code: String, at now: Timestamp, after last: Int64?) -> Int64? {
    let present = Self.step(at: now)
    // All codes are compared, whichever is right.
    // Checked: the seconds of a timestamp divided by the period, and a constant.
    return (present - Self.window...present + Self.window).reduce(nil) { found, step in
      let isRight = self.code(of: step) == code
      return isRight && found == nil && last.map({ step > $0 }) ?? true ? step : found
    }
  }
}

extension Embedded {
  /// Returns the code that an authenticator app shows now for a secret, for tests of second factors.
  ///
  /// ```swift
  /// let code = embedded.oneTimePassword(forSharedSecretKey: "JBSWY3DPEHPK3PXP")
  /// ```
  ///
  /// - Parameter secret: the secret in base32, as `TOTPSecret.sharedSecretKey()` returns it.
  /// - Returns: six digits by the backend's clock (RFC 6238); `nil` if the text isn't a secret.
  public func oneTimePassword(forSharedSecretKey secret: String) -> String? {
    OneTimePassword(sharedSecretKey: secret).map {
      $0.code(of: OneTimePassword.step(at: accounts.now()))
    }
  }
}
