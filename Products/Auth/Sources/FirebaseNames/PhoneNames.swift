// Names of firebase-ios-sdk; see AuthNames.swift.
#if !canImport(FirebaseAuth)
  import TenonCore

  /// Unavailable: phone numbers aren't supported.
  @available(
    *, unavailable,
    message: "Signing in with a phone number isn't supported. Sign in with a custom token of your server."
  )
  public final class PhoneAuthProvider: Sendable {
    /// Unavailable.
    public static func provider() -> PhoneAuthProvider { unavailable() }

    /// Unavailable.
    public func verifyPhoneNumber(_ number: String, uiDelegate: Any? = nil) async throws -> String {
      unavailable()
    }

    /// Unavailable.
    public func verifyPhoneNumber(
      _ number: String, uiDelegate: Any? = nil, completion: ((String?, (any Error)?) -> Void)?
    ) { unavailable() }

    /// Unavailable.
    public func credential(
      withVerificationID verificationID: String, verificationCode: String
    ) -> AuthCredential { unavailable() }
  }

  extension User {
    /// Unavailable: phone numbers aren't supported.
    @available(
      *, unavailable, message: "Phone numbers aren't supported. Keep the number in a document of the user."
    )
    public var phoneNumber: String? { unavailable() }

    /// Unavailable: phone numbers aren't supported.
    @available(
      *, unavailable, message: "Phone numbers aren't supported. Keep the number in a document of the user."
    )
    public func updatePhoneNumber(_ credential: AuthCredential) async throws { unavailable() }

    /// Unavailable: tokens are kept by the session.
    @available(
      *, unavailable, message: "The session keeps the refresh token. Call try await user.getIDToken()."
    )
    public var refreshToken: String? { unavailable() }

    /// Unavailable: there are no tenants.
    @available(*, unavailable, message: "Tenants aren't supported. Use a project for each.")
    public var tenantID: String? { unavailable() }
  }
#endif
