public import TenonFoundation

/// The error of an operation of ``Admin``.
///
/// ```swift
/// do { _ = try await admin.verifyIDToken(token) } catch let error as AdminError {
///   switch error.code {
///   case .idTokenExpired: refuse("Renew the token.")
///   case .certificateFetchFailed: answerLater()
///   default: refuse(error.message)
///   }
/// }
/// ```
public struct AdminError: Error, Sendable, CustomStringConvertible {
  /// The kind of the error.
  public let code: Code
  /// A description of the error and of its remedy, in English. It contains no tokens and no keys.
  public let message: String
  /// The claim or the header parameter that isn't as it should be, for example `aud`; `nil` if the error isn't
  /// about one.
  public let claim: String?
  /// The cause; `nil` if there is none.
  public let underlying: (any Error)?

  /// Creates an error, for example in a test.
  ///
  /// - Parameters:
  ///   - code: the kind of the error.
  ///   - message: a description without secrets.
  ///   - claim: the claim that isn't as it should be.
  ///   - underlying: the cause.
  public init(_ code: Code, _ message: String, claim: String? = nil, underlying: (any Error)? = nil) {
    self.code = code
    self.message = message
    self.claim = claim
    self.underlying = underlying
  }

  /// The message and the code.
  public var description: String { "\(message) (\(code.rawValue))" }
}

extension AdminError: LocalizedError {
  /// The same text as ``description``, so that `localizedDescription` returns it.
  public var errorDescription: String? { description }
}

extension AdminError {
  /// The kind of an error, stable across versions. The raw values are those of Firebase's Admin SDK for
  /// Node.js, where these exist. Later versions may add codes, so a `switch` needs a `default`.
  public struct Code: RawRepresentable, Sendable, Hashable, CustomStringConvertible {
    /// The code as text, for example `id-token-expired`.
    public let rawValue: String

    /// Creates a code from its text, which may be one that this version doesn't define.
    public init(rawValue: String) { self.rawValue = rawValue }

    /// The code as text, which is ``rawValue``.
    public var description: String { rawValue }

    /// An argument is invalid.
    public static let argumentError = Code(rawValue: "argument-error")
    /// The keys with which Google signs tokens can't be loaded now. The token may be valid: try again.
    public static let certificateFetchFailed = Code(rawValue: "certificate-fetch-failed")
    /// Custom claims have more than 1,000 bytes.
    public static let claimsTooLarge = Code(rawValue: "claims-too-large")
    /// The project doesn't use Firebase Authentication yet.
    public static let configurationNotFound = Code(rawValue: "configuration-not-found")
    /// The identity provider is configured already.
    public static let configurationExists = Code(rawValue: "configuration-exists")
    /// An identity at a provider belongs to another user.
    public static let credentialAlreadyInUse = Code(rawValue: "credential-already-in-use")
    /// This machine has no libcrypto.
    public static let cryptographyUnavailable = Code(rawValue: "cryptography-unavailable")
    /// Another user has the email address.
    public static let emailAlreadyExists = Code(rawValue: "email-already-exists")
    /// No user has the email address of a link.
    public static let emailNotFound = Code(rawValue: "email-not-found")
    /// A name among custom claims is reserved for the issuer of tokens.
    public static let forbiddenClaim = Code(rawValue: "forbidden-claim")
    /// The time of the ID token is over. The client renews it.
    public static let idTokenExpired = Code(rawValue: "id-token-expired")
    /// The ID token was revoked: the user must sign in again.
    public static let idTokenRevoked = Code(rawValue: "id-token-revoked")
    /// The credential may not perform the operation.
    public static let insufficientPermission = Code(rawValue: "insufficient-permission")
    /// The server for accounts failed, or its answer isn't in the expected form.
    public static let internalError = Code(rawValue: "internal-error")
    /// The token isn't an App Check token of the project.
    public static let invalidAppCheckToken = Code(rawValue: "app-check-invalid-token")
    /// The time of the App Check token is over.
    public static let appCheckTokenExpired = Code(rawValue: "app-check-token-expired")
    /// Custom claims don't encode as an object.
    public static let invalidClaims = Code(rawValue: "invalid-claims")
    /// A property of an identity provider's configuration is missing or isn't allowed.
    public static let invalidConfig = Code(rawValue: "invalid-config")
    /// The URL of `ActionCodeSettings` isn't one with a scheme and a host.
    public static let invalidContinueURI = Code(rawValue: "invalid-continue-uri")
    /// The credential is missing or invalid.
    public static let invalidCredential = Code(rawValue: "invalid-credential")
    /// The name isn't allowed.
    public static let invalidDisplayName = Code(rawValue: "invalid-display-name")
    /// The email address isn't one.
    public static let invalidEmail = Code(rawValue: "invalid-email")
    /// A parameter of the hash function isn't allowed, or the server doesn't know the function.
    public static let invalidHashAlgorithm = Code(rawValue: "invalid-hash-algorithm")
    /// The project doesn't have the domain of a link.
    public static let invalidHostingLinkDomain = Code(rawValue: "invalid-hosting-link-domain")
    /// The token isn't an ID token of the project.
    public static let invalidIDToken = Code(rawValue: "invalid-id-token")
    /// The page token isn't one of the list.
    public static let invalidPageToken = Code(rawValue: "invalid-page-token")
    /// The password is too short, or doesn't meet the project's requirements.
    public static let invalidPassword = Code(rawValue: "invalid-password")
    /// The phone number isn't one.
    public static let invalidPhoneNumber = Code(rawValue: "invalid-phone-number")
    /// The URL of the picture isn't one with a host.
    public static let invalidPhotoURL = Code(rawValue: "invalid-photo-url")
    /// There is no such provider.
    public static let invalidProviderID = Code(rawValue: "invalid-provider-id")
    /// The token isn't a session cookie of the project.
    public static let invalidSessionCookie = Code(rawValue: "invalid-session-cookie")
    /// A session cookie can't be valid for this time.
    public static let invalidSessionCookieDuration = Code(rawValue: "invalid-session-cookie-duration")
    /// The user's ID is empty or too long.
    public static let invalidUID = Code(rawValue: "invalid-uid")
    /// The call is about too many users.
    public static let maximumUserCountExceeded = Code(rawValue: "maximum-user-count-exceeded")
    /// `ActionCodeSettings` have no package name.
    public static let missingAndroidPackageName = Code(rawValue: "missing-android-pkg-name")
    /// Users with hashes of passwords are imported without a `UserImportHash`.
    public static let missingHashAlgorithm = Code(rawValue: "missing-hash-algorithm")
    /// `ActionCodeSettings` have no bundle ID.
    public static let missingIOSBundleID = Code(rawValue: "missing-ios-bundle-id")
    /// The server for accounts can't be reached, or isn't available now. Try again later.
    public static let networkError = Code(rawValue: "network-error")
    /// The project doesn't allow the way to sign in.
    public static let operationNotAllowed = Code(rawValue: "operation-not-allowed")
    /// Another user has the phone number.
    public static let phoneNumberAlreadyExists = Code(rawValue: "phone-number-already-exists")
    /// There is no such project.
    public static let projectNotFound = Code(rawValue: "project-not-found")
    /// The project has used its quota.
    public static let quotaExceeded = Code(rawValue: "quota-exceeded")
    /// The time of the session cookie is over.
    public static let sessionCookieExpired = Code(rawValue: "session-cookie-expired")
    /// The session cookie was revoked: the user must sign in again.
    public static let sessionCookieRevoked = Code(rawValue: "session-cookie-revoked")
    /// The ID of a tenant is empty or too long.
    public static let invalidTenantID = Code(rawValue: "invalid-tenant-id")
    /// The user belongs to another tenant than that of ``Admin/tenantID``.
    public static let mismatchingTenantID = Code(rawValue: "mismatching-tenant-id")
    /// Tenants don't support the operation.
    public static let unsupportedTenantOperation = Code(rawValue: "unsupported-tenant-operation")
    /// There is no such tenant.
    public static let tenantNotFound = Code(rawValue: "tenant-not-found")
    /// There were too many requests. Try again later.
    public static let tooManyRequests = Code(rawValue: "too-many-requests")
    /// Another user has the ID.
    public static let uidAlreadyExists = Code(rawValue: "uid-already-exists")
    /// The URL's domain isn't one of the project's authorized domains.
    public static let unauthorizedContinueURI = Code(rawValue: "unauthorized-continue-uri")
    /// An administrator has disabled the user.
    public static let userDisabled = Code(rawValue: "user-disabled")
    /// There is no such user, or no longer.
    public static let userNotFound = Code(rawValue: "user-not-found")
  }
}
