/// The settings of the embedded backend, for what Firebase projects can configure.
///
/// A Firebase project has the corresponding settings in the console, under Authentication, App Check and the
/// rules of Storage. ``Embedded/settings`` reads and changes them at run time.
///
/// A tenant has its own sign-in methods, second factors and phone numbers for tests, which administrators set with
/// version 2 of Identity Toolkit, for example with TenonAdmin's `Admin.tenantManager`. All other settings apply to
/// its users, too.
public struct EmbeddedSettings: Sendable, Hashable {
  /// Whether a failed sign-in conceals if the address has an account: the error is
  /// `INVALID_LOGIN_CREDENTIALS` in every case
  /// (https://cloud.google.com/identity-platform/docs/admin/email-enumeration-protection).
  ///
  /// `false` by default, as in the Auth emulator: an unknown address and a wrong password have different
  /// errors.
  public var emailPrivacy: Bool

  /// The services that reject requests without a valid App Check token of this project, as Firebase does for
  /// services whose App Check is enforced in the console. None by default.
  ///
  /// Administrators, and downloads with a token in the URL, need no App Check token. If
  /// ``EmbeddedService/storage`` requires one, Cloud Storage's JSON API is for administrators only.
  public var appCheckRequired: Set<EmbeddedService>

  /// The debug tokens that are exchanged for App Check tokens of any app, besides those that an administrator
  /// has registered for an app (`projects.apps.debugTokens`).
  ///
  /// `nil`, the default, accepts any text until a debug token is registered in the project, and from then on
  /// only registered ones, even if all of them are deleted. The comparison ignores case. Other tokens are
  /// rejected with status 403.
  public var appCheckDebugTokens: Set<String>?

  /// Whether requests for objects require a valid ID token of this project.
  ///
  /// `false` by default: the embedded backend is part of the app's process, where access rules protect
  /// nothing. With `true`, requests without a token fail with status 403, as they do with Storage rules that
  /// require `request.auth != null`. The download token in the URL of an object gives access to it in either
  /// case. Buckets with a closure of ``Embedded/onObjectAccess(bucket:_:)`` ignore the setting. With `true`,
  /// Cloud Storage's JSON API is for administrators only.
  public var objectsRequireSignIn: Bool

  /// The public keys of the service accounts whose signed URLs of version 4 are accepted, by their addresses; `nil`,
  /// the default, accepts any signer.
  ///
  /// A key is that of the account's key file, in PEM (`openssl pkey -pubout`). The signature then has to be that of
  /// the request, and so has that of a form's policy. URLs of other signers or of version 2 are refused, and so are
  /// those of TenonStorage for this backend, which nobody signs. With `nil`, of these alone it is verified that they
  /// are used for what they permit. What is signed with a key of the backend's `hmacKeys` is always verified, and
  /// accepted.
  public var urlSigners: [String: String]?

  /// Whether users can sign up and sign in with a password; `true` by default.
  ///
  /// If `false`, signing up fails with `OPERATION_NOT_ALLOWED`, and signing in with
  /// `PASSWORD_LOGIN_DISABLED`.
  public var passwordSignIn: Bool

  /// Whether users can sign in with links that are sent to their address; `true` by default.
  ///
  /// If `false`, requesting and using a link fails with `OPERATION_NOT_ALLOWED`.
  public var emailLinkSignIn: Bool

  /// Whether anonymous users can be created; `true` by default.
  ///
  /// If `false`, signing up anonymously fails with `ADMIN_ONLY_OPERATION`.
  public var anonymousSignIn: Bool

  /// Whether users can sign in with a phone number; `true` by default.
  ///
  /// If `false`, requesting and using a code fails with `OPERATION_NOT_ALLOWED`.
  public var phoneSignIn: Bool

  /// Phone numbers for tests with their codes, such as `["+15555550100": "123456"]`, as in the settings of a
  /// Firebase project; none by default. The code of any other number is random.
  public var testPhoneNumbers: [String: String]

  /// Whether phone numbers can be second factors; `true` by default.
  ///
  /// If `false`, enrolling and proving one fails with `OPERATION_NOT_ALLOWED`, and users who have no other
  /// second factor sign in without one.
  public var phoneSecondFactors: Bool

  /// Whether authenticator apps (TOTP) can be second factors; `true` by default. `false` has the same effects
  /// as for ``phoneSecondFactors``.
  public var totpSecondFactors: Bool

  /// The domain to which passkeys belong, WebAuthn's relying party ID: that of the app's website, for example
  /// `example.com`; `localhost` by default.
  ///
  /// Pages of this domain and of those below it can use the passkeys, over HTTPS or, on this machine, HTTP. When it
  /// is changed, passkeys of the former domain can't be used any more.
  public var relyingPartyID: String

  /// Whether several users can have the same address, each from a different provider; `false` by default.
  ///
  /// If `true`, the address of an identity provider isn't used to find the account: only the user's ID at the
  /// provider is.
  public var duplicateEmails: Bool

  /// The time for which an emailed code remains valid. `nil`, the default, means until it is used, as in the
  /// Auth emulator.
  ///
  /// An expired code is rejected with `EXPIRED_OOB_CODE`.
  public var codeLifetime: Duration?

  /// Whether documents of other projects than that of the app are served; `false` by default.
  ///
  /// If `true`, each of up to 50 other projects has databases of its own, as in Google's emulator, which serves
  /// every project. Their documents are read and written through URLs only; accounts, functions and objects are
  /// those of the app's project. Rules apply to all projects alike, to users with tokens of the project in the
  /// URL.
  public var servesOtherProjects: Bool

  /// Whether projects and tenants exist as soon as a request for accounts names them, as for the Auth emulator;
  /// `false` by default: an unknown tenant is an error then, as in production, and so is another project.
  ///
  /// If `true`, administrators can use the accounts of up to 50 other projects, each with its own settings. A
  /// tenant that is created like this has everything enabled. Its ID has at most 128 letters, digits, and `-.:_`.
  /// Clients use the accounts of the app's project; documents of other projects need ``servesOtherProjects``.
  public var createsProjectsAndTenants: Bool

  /// Whether users can also enroll passkeys without a key; `false` by default.
  ///
  /// The Auth emulator accepts the ID of a credential without the response of an authenticator, and tests rely on
  /// that. The ID alone then suffices to sign in as its user. Passkeys with a key are always verified.
  public var unverifiedPasskeys: Bool

  /// Whether new passwords are hashed with the least work, about a millisecond instead of tens, for tests that
  /// create many users; `false` by default.
  ///
  /// Such hashes protect nothing: whoever reads the files of the backend can guess the passwords. A server
  /// that is reached by the name or address of another machine than this one refuses all requests for
  /// accounts with `OPERATION_NOT_ALLOWED` while this is `true`. Existing hashes keep their strength.
  public var fastPasswordHashing: Bool

  /// The functions of the project's configuration (`blockingFunctions`).
  var blockingTriggers = BlockingTriggers()
  /// What new passwords must be like.
  var passwordPolicy = PasswordPolicy()
  /// Whether the state of second factors is `MANDATORY`, which means the same as `ENABLED`.
  var secondFactorsAreMandatory = false
  /// Whether users of a tenant with second factors have to prove one, whichever kinds are enabled; `nil` outside
  /// of tenants, where only a factor of an enabled kind is demanded.
  var demandsSecondFactors: Bool?

  /// Creates settings. Each parameter is the value of the property with its name.
  ///
  /// - Parameters:
  ///   - emailPrivacy: whether a failed sign-in conceals if the address has an account.
  ///   - appCheckRequired: the services that reject requests without a valid App Check token.
  ///   - appCheckDebugTokens: the debug tokens that are accepted; `nil` for any text.
  ///   - objectsRequireSignIn: whether requests for objects require a valid ID token.
  ///   - urlSigners: the public keys of the service accounts whose signed URLs are accepted; `nil` for any signer.
  ///   - passwordSignIn: whether users can sign in with a password.
  ///   - emailLinkSignIn: whether users can sign in with links that are sent to their address.
  ///   - anonymousSignIn: whether anonymous users can be created.
  ///   - phoneSignIn: whether users can sign in with a phone number.
  ///   - testPhoneNumbers: phone numbers for tests with their codes.
  ///   - phoneSecondFactors: whether phone numbers can be second factors.
  ///   - totpSecondFactors: whether authenticator apps can be second factors.
  ///   - relyingPartyID: the domain to which passkeys belong.
  ///   - duplicateEmails: whether several users can have the same address.
  ///   - codeLifetime: the time for which an emailed code remains valid; `nil` until it is used.
  ///   - servesOtherProjects: whether documents of other projects are served.
  ///   - createsProjectsAndTenants: whether projects and tenants exist as soon as a request names them.
  ///   - unverifiedPasskeys: whether users can also enroll passkeys without a key, for tests.
  ///   - fastPasswordHashing: whether new passwords are hashed with the least work, for tests.
  public init(
    emailPrivacy: Bool = false,
    appCheckRequired: Set<EmbeddedService> = [],
    appCheckDebugTokens: Set<String>? = nil,
    objectsRequireSignIn: Bool = false,
    urlSigners: [String: String]? = nil,
    passwordSignIn: Bool = true,
    emailLinkSignIn: Bool = true,
    anonymousSignIn: Bool = true,
    phoneSignIn: Bool = true,
    testPhoneNumbers: [String: String] = [:],
    phoneSecondFactors: Bool = true,
    totpSecondFactors: Bool = true,
    relyingPartyID: String = "localhost",
    duplicateEmails: Bool = false,
    codeLifetime: Duration? = nil,
    servesOtherProjects: Bool = false,
    createsProjectsAndTenants: Bool = false,
    unverifiedPasskeys: Bool = false,
    fastPasswordHashing: Bool = false
  ) {
    self.emailPrivacy = emailPrivacy
    self.appCheckRequired = appCheckRequired
    self.appCheckDebugTokens = appCheckDebugTokens
    self.objectsRequireSignIn = objectsRequireSignIn
    self.urlSigners = urlSigners
    self.passwordSignIn = passwordSignIn
    self.emailLinkSignIn = emailLinkSignIn
    self.anonymousSignIn = anonymousSignIn
    self.phoneSignIn = phoneSignIn
    self.testPhoneNumbers = testPhoneNumbers
    self.phoneSecondFactors = phoneSecondFactors
    self.totpSecondFactors = totpSecondFactors
    self.relyingPartyID = relyingPartyID
    self.duplicateEmails = duplicateEmails
    self.codeLifetime = codeLifetime
    self.servesOtherProjects = servesOtherProjects
    self.createsProjectsAndTenants = createsProjectsAndTenants
    self.unverifiedPasskeys = unverifiedPasskeys
    self.fastPasswordHashing = fastPasswordHashing
  }
}
