import TenonFoundation
import TenonJSON

// The bodies of the methods of version 2 about second factors
// (https://cloud.google.com/identity-platform/docs/reference/rest/v2/accounts.mfaEnrollment).

/// An object without members.
struct NoMembers: Codable {}

/// The request of `accounts/mfaEnrollment:start`.
struct EnrollmentRequest: TenantRequest {
  var tenantId: String?
  struct Phone: Encodable {
    var phoneNumber: String
    var recaptchaToken: Secret?
  }

  var idToken: Secret
  var phoneEnrollmentInfo: Phone?
  var totpEnrollmentInfo: NoMembers?
}

/// The answer to `accounts/mfaEnrollment:start`, which has one of its members.
struct EnrollmentResponse: Decodable {
  var phoneSessionInfo: PhoneSessionInfo?
  var totpSessionInfo: TOTPSessionInfo?
}

/// The verification of a phone number.
struct PhoneSessionInfo: Decodable {
  var sessionInfo: Secret
}

/// The secret of an authenticator app.
struct TOTPSessionInfo: Decodable {
  var sharedSecretKey: Secret
  var sessionInfo: Secret
  var verificationCodeLength: Int?
  var hashingAlgorithm: String?
  var periodSec: Int?
  /// A time of RFC 3339.
  var finalizeEnrollmentTime: String?
}

/// The request of `accounts/mfaSignIn:start`, which sends a text message.
struct SecondFactorCodeRequest: TenantRequest {
  var tenantId: String?
  struct Phone: Encodable {
    var recaptchaToken: Secret?
  }

  var mfaPendingCredential: Secret
  var mfaEnrollmentId: String
  var phoneSignInInfo: Phone
}

/// The answer to `accounts/mfaSignIn:start`.
struct SecondFactorCodeResponse: Decodable {
  var phoneResponseInfo: PhoneSessionInfo
}

/// The code of a text message.
struct PhoneVerification: Encodable {
  var sessionInfo: Secret?
  var code: Secret?
}

/// The code of an authenticator app.
struct TOTPVerification: Encodable {
  /// The enrollment; `nil` for a sign-in.
  var sessionInfo: Secret?
  var verificationCode: Secret
}

/// The request of the methods that end an enrollment or a sign-in, and of `accounts/mfaEnrollment:withdraw`.
struct SecondFactorRequest: TenantRequest {
  var tenantId: String?
  var idToken: Secret?
  var mfaPendingCredential: Secret?
  var mfaEnrollmentId: String?
  var displayName: String?
  var phoneVerificationInfo: PhoneVerification?
  var totpVerificationInfo: TOTPVerification?
}

/// The answer with the tokens that a second factor has proved.
struct SecondFactorResponse: Decodable, TokenBearing {
  var idToken: Secret?
  var refreshToken: Secret?
  var expiresIn: String?
  var mfaPendingCredential: Secret? { nil }
  var mfaInfo: [UserRecord.Factor]? { nil }
}

extension UserRecord {
  /// A second factor of an account.
  struct Factor: Decodable {
    var mfaEnrollmentId: String
    var displayName: String?
    /// A time of RFC 3339.
    var enrolledAt: String?
    var phoneInfo: String?
    var totpInfo: NoMembers?

    /// The factor in the format of a session; `nil` if it is of a kind that this version doesn't know.
    var enrolled: EnrolledFactor? {
      guard phoneInfo != nil || totpInfo != nil else { return nil }
      return EnrolledFactor(
        uid: mfaEnrollmentId, displayName: displayName,
        enrollmentDate: enrolledAt.flatMap { Date(iso8601: $0) }, phoneNumber: phoneInfo)
    }
  }
}

/// Second factors. The methods aren't `repeatable`, because each may send a text message or uses a code up. The
/// errors are those of ``IdentityToolkit/call(_:_:email:repeatable:)``.
extension IdentityToolkit {
  /// Begins to enroll a factor.
  func startEnrollment(_ body: EnrollmentRequest) async throws -> EnrollmentResponse {
    try await call(version2: "accounts/mfaEnrollment:start", body)
  }

  /// Enrolls a factor.
  func finalizeEnrollment(_ body: SecondFactorRequest) async throws -> SecondFactorResponse {
    try await call(version2: "accounts/mfaEnrollment:finalize", body)
  }

  /// Removes a factor.
  func withdrawEnrollment(_ body: SecondFactorRequest) async throws -> SecondFactorResponse {
    try await call(version2: "accounts/mfaEnrollment:withdraw", body)
  }

  /// Sends the code of a sign-in to a phone number.
  func startSignIn(_ body: SecondFactorCodeRequest) async throws -> SecondFactorCodeResponse {
    try await call(version2: "accounts/mfaSignIn:start", body)
  }

  /// Completes a sign-in.
  func finalizeSignIn(_ body: SecondFactorRequest) async throws -> SecondFactorResponse {
    try await call(version2: "accounts/mfaSignIn:finalize", body)
  }
}

extension AuthCredential {
  /// The verification of a phone number.
  ///
  /// - Throws: ``AuthError`` with ``AuthError/Code/argumentError`` for other credentials.
  var phoneVerification: PhoneVerification {
    get throws(AuthError) {
      guard case .phone(let proof) = proof, proof.sessionInfo != nil else {
        throw AuthError(
          .argumentError, "The credential isn't one of a phone number. Create it with PhoneAuthProvider.")
      }
      return PhoneVerification(sessionInfo: proof.sessionInfo, code: proof.code)
    }
  }
}

extension Optional {
  /// The member of an answer.
  ///
  /// - Throws: ``AuthError`` with ``AuthError/Code/internalError`` if it is missing.
  var orMissing: Wrapped {
    get throws(AuthError) {
      guard let self else {
        throw AuthError(
          .internalError,
          "The server didn't answer with what it was asked for. Check that the app uses the intended backend."
        )
      }
      return self
    }
  }
}
