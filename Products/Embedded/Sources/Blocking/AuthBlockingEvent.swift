public import TenonFoundation
import TenonTransport

/// What a blocking function is asked about: a user who is about to be created or to sign in.
///
/// The names are those of `AuthBlockingEvent` in Firebase's kit for functions
/// (https://firebase.google.com/docs/auth/extend-with-blocking-functions).
public struct AuthBlockingEvent: Sendable {
  /// A user as the functions see them.
  public struct User: Sendable, Hashable {
    /// The user's ID.
    public let uid: String
    /// The user's email address; `nil` if there is none.
    public let email: String?
    /// Whether the user has proved to have the address.
    public let isEmailVerified: Bool
    /// The user's name; `nil` if there is none.
    public let displayName: String?
    /// The URL of the user's picture; `nil` if there is none.
    public let photoURL: URL?
    /// The user's phone number; `nil` if there is none.
    public let phoneNumber: String?
    /// The tenant of the user; `nil` for users of the project itself.
    public let tenantID: String?
    /// The IDs of the providers with which the user can sign in.
    public let providerIDs: [String]
    /// When the user was created; for a new user, the time now.
    public let creationDate: Date
    /// When the user last signed in; `nil` if never.
    public let lastSignInDate: Date?
    private let claims: JSON

    /// Returns the claims that an administrator or an earlier function has set, as a value of a `Decodable`
    /// type.
    ///
    /// - Throws: `DecodingError` if the claims don't match the type.
    public func customClaims<Claims: Decodable>(as type: Claims.Type = Claims.self) throws -> Claims {
      try claims.decode(type)
    }

    init(_ account: Account) {
      uid = account.localId
      email = account.email
      isEmailVerified = account.emailVerified
      displayName = account.displayName
      photoURL = account.photoUrl.flatMap { URL(string: $0) }
      phoneNumber = account.phoneNumber
      tenantID = account.tenantId
      providerIDs = account.providers.map(\.providerId)
      creationDate = Date(timeIntervalSince1970: Double(account.createdAt) / 1_000)
      lastSignInDate = account.lastLoginAt.map { Date(timeIntervalSince1970: Double($0) / 1_000) }
      claims = account.customAttributes.flatMap { try? JSON(parsing: Data($0.utf8)) } ?? [:]
    }
  }

  /// The credential with which the user signs in.
  public struct Credential: Sendable, Hashable {
    /// The provider's ID, for example `password` or `google.com`.
    public let providerID: String
    /// How the user proves the identity: `password`, `emailLink`, `phone` or the provider's ID.
    public let signInMethod: String
    /// The provider's ID token, a secret; `nil` if there is none.
    public var idToken: String? { idSecret?.value }
    /// The provider's access token, a secret; `nil` if there is none.
    public var accessToken: String? { accessSecret?.value }
    private let idSecret: Secret?
    private let accessSecret: Secret?

    init(_ signIn: BlockedSignIn) {
      providerID = signIn.provider
      signInMethod = signIn.method
      idSecret = (signIn.assertion?.idToken).map { Secret($0) }
      accessSecret = (signIn.assertion?.accessToken).map { Secret($0) }
    }
  }

  /// The user with the changes of the sign-in; before a sign-in, also with those of `beforeCreate`.
  public let user: User
  /// The credential.
  public let credential: Credential
  /// Whether the user is new.
  public let isNewUser: Bool
  /// The language of the client (`X-Firebase-Locale`); `nil` if it names none.
  public let locale: String?
  private let profileClaims: JSON?

  /// Returns the user's data at the identity provider, as a value of a `Decodable` type; `nil` for other ways
  /// to sign in.
  ///
  /// - Throws: `DecodingError` if the data doesn't match the type.
  public func profile<Profile: Decodable>(as type: Profile.Type = Profile.self) throws -> Profile? {
    try profileClaims?.decode(type)
  }

  init(_ signIn: BlockedSignIn, _ account: Account) {
    user = User(account)
    credential = Credential(signIn)
    isNewUser = signIn.isNew
    locale = signIn.locale
    profileClaims = signIn.assertion.map { .object($0.claims) }
  }
}

/// What a blocking function changes. Properties that are `nil` stay as they are.
///
/// ```swift
/// embedded.beforeCreate { event in
///   guard event.user.email?.hasSuffix("@example.com") == true else {
///     throw CallableError(.permissionDenied, "Only members can sign up.")
///   }
///   return AuthBlockingResponse(displayName: "Member", customClaims: ["role": "member"])
/// }
/// ```
public struct AuthBlockingResponse: Sendable {
  /// The user's name.
  public var displayName: String?
  /// The URL of the user's picture.
  public var photoURL: URL?
  /// Whether the user has proved to have the address.
  public var isEmailVerified: Bool?
  /// Whether the user is prevented from signing in: the changes are stored, and the client receives
  /// `USER_DISABLED`.
  public var isDisabled: Bool?
  /// Claims for all ID tokens of the user, in place of the present ones. They must encode as an object of at
  /// most 1,000 characters.
  public var customClaims: (any Encodable & Sendable)?
  /// Claims for the ID tokens of this session only. `beforeCreate` has no session: its own are ignored.
  public var sessionClaims: (any Encodable & Sendable)?

  /// Creates a response. Each parameter sets the property of the same name.
  public init(
    displayName: String? = nil, photoURL: URL? = nil, isEmailVerified: Bool? = nil, isDisabled: Bool? = nil,
    customClaims: (any Encodable & Sendable)? = nil, sessionClaims: (any Encodable & Sendable)? = nil
  ) {
    self.displayName = displayName
    self.photoURL = photoURL
    self.isEmailVerified = isEmailVerified
    self.isDisabled = isDisabled
    self.customClaims = customClaims
    self.sessionClaims = sessionClaims
  }
}

extension Embedded {
  /// Sets a closure that is asked before a user is created, as a blocking function of Firebase: it can change
  /// the user or reject them. `nil`, the default, asks nothing.
  ///
  /// It isn't asked about anonymous users, custom tokens, and users whom an administrator creates. A
  /// ``CallableError`` that it throws reaches the client with its status, message and details, as
  /// `AuthError.functionResponse`; nothing is stored then. Any other error reaches it as `INTERNAL` without its
  /// text. The closure runs on a separate thread for at most seven seconds, as on Firebase. If the account
  /// changes in the meantime, it is asked again.
  ///
  /// - Parameter body: receives the user and the credential, and returns the changes; `nil` for none.
  public func beforeCreate(
    _ body: (@Sendable (AuthBlockingEvent) async throws -> AuthBlockingResponse?)?
  ) { accounts.blocking.set(.beforeCreate, body) }

  /// Sets a closure that is asked before a user signs in, also after ``beforeCreate(_:)`` for a new user, whose
  /// rules apply. With a second factor, it is asked once that is proved. Refreshed tokens aren't a sign-in.
  ///
  /// - Parameter body: receives the user and the credential, and returns the changes; `nil` for none. Claims of
  ///   the session are in the ID tokens of this session only, also in refreshed ones.
  public func beforeSignIn(
    _ body: (@Sendable (AuthBlockingEvent) async throws -> AuthBlockingResponse?)?
  ) { accounts.blocking.set(.beforeSignIn, body) }
}
