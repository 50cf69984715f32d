// Names of firebase-ios-sdk; see AuthNames.swift.
#if !canImport(FirebaseAuth)
  import TenonCore

  extension PhoneAuthProvider {
    /// Unavailable: no reCAPTCHA is shown.
    @available(
      *, unavailable,
      message:
        "Call try await verifyPhoneNumber(number), with recaptchaToken: if the number isn't a test number."
    )
    public func verifyPhoneNumber(
      _ number: String, uiDelegate: Any? = nil, completion: ((String?, (any Error)?) -> Void)?
    ) { unavailable() }
  }

  extension User {
    /// Unavailable: tokens are kept by the session.
    @available(
      *, unavailable, message: "The session keeps the refresh token. Call try await user.getIDToken()."
    )
    public var refreshToken: String? { unavailable() }
  }
#endif
