import TenonFoundation

/// Verifies phone numbers, and creates credentials of them.
///
/// ```swift
/// let provider = PhoneAuthProvider.provider()
/// let verificationID = try await provider.verifyPhoneNumber("+15555550100")
/// let credential = provider.credential(withVerificationID: verificationID, verificationCode: code)
/// try await Auth.auth().signIn(with: credential)
/// ```
///
/// Firebase sends text messages only to requests of which it knows that they come from the app. On platforms
/// without a browser, pass the response of a reCAPTCHA that the app has shown elsewhere. The test numbers of a
/// project, the Auth emulator and the embedded backend need none.
public final class PhoneAuthProvider: Sendable {
  /// The provider's identifier, `phone`.
  public static let id = "phone"

  /// The `Auth` of the app; that of the default app if `nil`.
  private let auth: Auth?

  private init(auth: Auth?) { self.auth = auth }

  /// Returns the provider for the default app.
  public static func provider() -> PhoneAuthProvider { PhoneAuthProvider(auth: nil) }

  /// Returns the provider for an app.
  ///
  /// - Parameter auth: the `Auth` of the app.
  public static func provider(auth: Auth) -> PhoneAuthProvider { PhoneAuthProvider(auth: auth) }

  /// Sends a text message with a code to a phone number.
  ///
  /// - Parameters:
  ///   - number: the number with a plus sign and the country code, for example `+15555550100`.
  ///   - uiDelegate: always `nil`: Tenon shows no reCAPTCHA.
  ///   - multiFactorSession: a session of ``MultiFactor/session()``, to enroll the number as a second factor;
  ///     `nil` to sign in with it or to link it.
  ///   - recaptchaToken: the response of a reCAPTCHA; `nil` for test numbers and emulators.
  /// - Returns: the identifier of the verification, for ``credential(withVerificationID:verificationCode:)``.
  /// - Throws: ``AuthError``; with ``AuthError/Code/invalidPhoneNumber``,
  ///   ``AuthError/Code/captchaCheckFailed``, ``AuthError/Code/missingClientIdentifier`` or
  ///   ``AuthError/Code/quotaExceeded``; for a second factor, also those of
  ///   ``MultiFactor/enroll(with:displayName:)``; the errors of ``Auth/auth(app:)``.
  public func verifyPhoneNumber(
    _ number: String, uiDelegate: Never? = nil, multiFactorSession: MultiFactorSession? = nil,
    recaptchaToken: String? = nil
  ) async throws -> String {
    guard !number.isEmpty else {
      throw AuthError(
        .missingPhoneNumber, "The phone number is missing. Pass it with + and the country code.")
    }
    let token = recaptchaToken.map(Secret.init)
    switch multiFactorSession?.purpose {
    case .enrollment(let user):
      let answer = try await user.withFreshToken { server, idToken in
        let phone = EnrollmentRequest.Phone(phoneNumber: number, recaptchaToken: token)
        return try await server.startEnrollment(
          EnrollmentRequest(idToken: idToken, phoneEnrollmentInfo: phone))
      }
      return try answer.phoneSessionInfo.orMissing.sessionInfo.value
    case .signIn:
      throw AuthError(
        .argumentError,
        "A sign-in sends the code to a number that the user has enrolled. Call verifyPhoneNumber(with: hint, …)."
      )
    case nil:
      let server = try (auth ?? Auth.auth()).server.begun()
      return try await server.sendVerificationCode(
        VerificationCodeRequest(phoneNumber: number, recaptchaToken: token))
    }
  }

  /// Sends a text message with a code to the phone number of a second factor, to continue a sign-in.
  ///
  /// - Parameters:
  ///   - multiFactorInfo: one of the hints of the ``MultiFactorResolver``.
  ///   - uiDelegate: always `nil`: Tenon shows no reCAPTCHA.
  ///   - multiFactorSession: the session of the ``MultiFactorResolver``.
  ///   - recaptchaToken: the response of a reCAPTCHA; `nil` for test numbers and emulators.
  /// - Returns: the identifier of the verification, for ``credential(withVerificationID:verificationCode:)``.
  /// - Throws: ``AuthError``; with ``AuthError/Code/argumentError`` for a session that isn't one of a sign-in,
  ///   with ``AuthError/Code/invalidMultiFactorSession`` if the sign-in took too long, and with
  ///   ``AuthError/Code/multiFactorInfoNotFound``; the errors of ``Auth/auth(app:)``.
  public func verifyPhoneNumber(
    with multiFactorInfo: PhoneMultiFactorInfo, uiDelegate: Never? = nil,
    multiFactorSession: MultiFactorSession?, recaptchaToken: String? = nil
  ) async throws -> String {
    guard case .signIn(let pending) = multiFactorSession?.purpose else {
      throw AuthError(
        .argumentError,
        "Pass the session of the error's multiFactorResolver: multiFactorSession: resolver.session."
      )
    }
    let server = try (auth ?? Auth.auth()).server.inTenant(pending.tenantID).begun()
    let request = SecondFactorCodeRequest(
      mfaPendingCredential: pending.credential, mfaEnrollmentId: multiFactorInfo.uid,
      phoneSignInInfo: SecondFactorCodeRequest.Phone(recaptchaToken: recaptchaToken.map(Secret.init)))
    return try await server.startSignIn(request).phoneResponseInfo.sessionInfo.value
  }

  /// Returns the credential of a phone number.
  ///
  /// - Parameters:
  ///   - verificationID: the identifier of the verification.
  ///   - verificationCode: the code of the text message.
  public func credential(
    withVerificationID verificationID: String, verificationCode: String
  ) -> AuthCredential {
    AuthCredential(
      provider: Self.id,
      proof: .phone(PhoneProof(sessionInfo: Secret(verificationID), code: Secret(verificationCode))))
  }
}

/// What proves that a user has a phone number.
struct PhoneProof: Sendable, Hashable {
  /// The verification and the code of the text message.
  var sessionInfo: Secret?
  var code: Secret?
  /// The server's proof that it has verified the number.
  var temporaryProof: Secret?
  var phoneNumber: String?
}

/// The request of `accounts:sendVerificationCode`.
struct VerificationCodeRequest: TenantRequest {
  var tenantId: String?
  var phoneNumber: String
  var recaptchaToken: Secret?
}

/// The answer to `accounts:sendVerificationCode`.
struct VerificationCodeResponse: Decodable {
  var sessionInfo: Secret
}

/// The request of `accounts:signInWithPhoneNumber`.
struct PhoneRequest: TenantRequest {
  var tenantId: String?
  /// What the proof is for.
  enum Operation: String, Encodable {
    case signUpOrIn = "SIGN_UP_OR_IN"
    case link = "LINK"
    case update = "UPDATE"
    case reauthenticate = "REAUTH"
  }

  var sessionInfo: Secret?
  var code: Secret?
  var temporaryProof: Secret?
  var phoneNumber: String?
  var idToken: Secret?
  var operation: Operation

  init(_ proof: PhoneProof, _ operation: Operation, idToken: Secret? = nil) {
    sessionInfo = proof.sessionInfo
    code = proof.code
    temporaryProof = proof.temporaryProof
    phoneNumber = proof.phoneNumber
    self.idToken = idToken
    self.operation = operation
  }
}

/// The answer to `accounts:signInWithPhoneNumber`.
struct PhoneResponse: Decodable, TokenBearing {
  var idToken: Secret?
  var refreshToken: Secret?
  var expiresIn: String?
  var mfaPendingCredential: Secret?
  var mfaInfo: [UserRecord.Factor]?
  var isNewUser: Bool?
  var phoneNumber: String?
  /// Present instead of the tokens if another user has the number.
  var temporaryProof: Secret?

  /// What the server reports in addition to the account.
  var additionalUserInfo: AdditionalUserInfo {
    AdditionalUserInfo(providerID: PhoneAuthProvider.id, isNewUser: isNewUser ?? false)
  }
}

extension IdentityToolkit {
  /// Sends a code to a phone number, and returns the identifier of the verification. It isn't `repeatable`,
  /// because each request may send a text message.
  func sendVerificationCode(_ body: VerificationCodeRequest) async throws -> String {
    let answer: VerificationCodeResponse = try await call("accounts:sendVerificationCode", body)
    return answer.sessionInfo.value
  }

  /// Signs in with a phone number, or changes the number of the user of the request's ID token. It isn't
  /// `repeatable`, because a code can be used once.
  ///
  /// - Throws: ``AuthError``; with ``AuthError/Code/credentialAlreadyInUse`` and a credential if another user
  ///   has the number.
  func signInWithPhoneNumber(_ body: PhoneRequest) async throws -> PhoneResponse {
    let answer: PhoneResponse = try await call("accounts:signInWithPhoneNumber", body)
    guard answer.idToken == nil, let proof = answer.temporaryProof, let number = answer.phoneNumber else {
      return answer
    }
    throw AuthError(
      .credentialAlreadyInUse,
      "Another user has the phone number. Sign in with the error's credential instead of linking the number."
    ).with(
      email: nil,
      credential: AuthCredential(
        provider: PhoneAuthProvider.id,
        proof: .phone(PhoneProof(temporaryProof: proof, phoneNumber: number))))
  }
}

extension User {
  /// Changes the user's phone number, or sets it.
  ///
  /// - Parameter credential: a credential of ``PhoneAuthProvider``.
  /// - Throws: ``AuthError``; with ``AuthError/Code/argumentError`` for other credentials, with
  ///   ``AuthError/Code/credentialAlreadyInUse`` if another user has the number, and with
  ///   ``AuthError/Code/invalidVerificationCode``.
  public func updatePhoneNumber(_ credential: AuthCredential) async throws {
    guard case .phone(let proof) = credential.proof else {
      throw AuthError(
        .argumentError, "The credential isn't one of a phone number. Create it with PhoneAuthProvider.")
    }
    _ = try await changing { server, idToken in
      try await server.signInWithPhoneNumber(PhoneRequest(proof, .update, idToken: idToken))
    }
  }
}
