// Names of firebase-ios-sdk; see AuthNames.swift.
#if !canImport(FirebaseAuth)
  import TenonCore

  extension User {
    /// Unavailable: second factors aren't supported.
    @available(
      *, unavailable,
      message:
        "Second factors can't be enrolled. The claim is (try await user.getIDTokenResult()).signInSecondFactor."
    )
    public var multiFactor: MultiFactor { unavailable() }
  }

  /// Unavailable: second factors aren't supported.
  @available(*, unavailable, message: "Second factors can't be enrolled.")
  public final class MultiFactor: Sendable {
    /// Unavailable.
    public var enrolledFactors: [MultiFactorInfo] { unavailable() }

    /// Unavailable.
    public func session() async throws -> MultiFactorSession { unavailable() }

    /// Unavailable.
    public func enroll(with assertion: MultiFactorAssertion, displayName: String?) async throws {
      unavailable()
    }

    /// Unavailable.
    public func unenroll(with info: MultiFactorInfo) async throws { unavailable() }
  }

  /// Unavailable: second factors aren't supported.
  @available(*, unavailable, message: "Second factors can't be enrolled.")
  public final class MultiFactorInfo: Sendable {}

  /// Unavailable: second factors aren't supported.
  @available(*, unavailable, message: "Second factors can't be enrolled.")
  public final class MultiFactorSession: Sendable {}

  /// Unavailable: second factors aren't supported.
  @available(*, unavailable, message: "Second factors can't be enrolled.")
  public final class MultiFactorAssertion: Sendable {}

  /// Unavailable: second factors aren't supported.
  @available(*, unavailable, message: "Second factors can't be enrolled.")
  public enum PhoneMultiFactorGenerator {
    /// Unavailable.
    public static func assertion(with credential: AuthCredential) -> MultiFactorAssertion { unavailable() }
  }

  /// Unavailable: second factors aren't supported.
  @available(*, unavailable, message: "Second factors can't be enrolled.")
  public enum TOTPMultiFactorGenerator {
    /// Unavailable.
    public static func generateSecret(with session: MultiFactorSession) async throws -> TOTPSecret {
      unavailable()
    }

    /// Unavailable.
    public static func assertionForEnrollment(
      with secret: TOTPSecret, oneTimePassword: String
    ) -> MultiFactorAssertion { unavailable() }
  }

  /// Unavailable: second factors aren't supported.
  @available(*, unavailable, message: "Second factors can't be enrolled.")
  public final class TOTPSecret: Sendable {
    /// Unavailable.
    public func sharedSecretKey() -> String { unavailable() }

    /// Unavailable.
    public func generateQRCodeURL(withAccountName accountName: String, issuer: String) -> String {
      unavailable()
    }
  }
#endif
