import TenonFoundation
import TenonJSON
import TenonTransport
import TenonTransportInterop

/// The error of Identity Toolkit or of App Check in a response, for example
/// `{"error": {"message": "EMAIL_EXISTS : The email address is taken."}}`.
struct ServerRefusal {
  /// A server of Google.
  enum Server {
    case accounts
    case appCheck

    /// The beginning of a sentence about it.
    var name: String { self == .accounts ? "The server for accounts" : "App Check's server" }

    /// What a credential without rights lacks.
    fileprivate var right: String {
      self == .accounts
        ? "manage the users of this project. Give its account the role Firebase Authentication Admin."
        : "consume App Check tokens of this project. Give its account the role Firebase App Check Token Verifier."
    }
  }

  private let server: Server
  /// The status of the response.
  private let status: Int
  /// The text before the first colon of the message; empty if the response has no message.
  private let code: String
  /// The text after the colon; the whole message if it doesn't begin with a code.
  private let detail: String?

  /// Reads the error of a response.
  ///
  /// - Parameters:
  ///   - response: the response, whose status isn't that of a success.
  ///   - server: who sent it.
  ///   - secrets: what isn't shown of the request, if the server quotes it.
  init(_ response: TransportResponse, of server: Server = .accounts, hiding secrets: [String]) {
    self.server = server
    status = response.status
    let quoting = (try? response.json())?["error"]?["message"]?.string ?? ""
    let message = SecretForms.hide(secrets, in: quoting)
    let halves = message.split(separator: ":", maxSplits: 1).map { String($0).trimmed }
    let isCode = halves.first?.utf8.allSatisfy { Self.letters.contains($0) } ?? false
    code = isCode ? halves[0] : ""
    let text = isCode ? (halves.count == 2 ? halves[1] : "") : message
    detail = text.isEmpty ? nil : String(text.prefix(Self.longestDetail))
  }

  private static let letters = Set("ABCDEFGHIJKLMNOPQRSTUVWXYZ_0123456789".utf8)
  /// The greatest length of what is shown of the server's text, in characters.
  private static let longestDetail = 500

  /// The error for the caller: the one of the code, or of the status if the code is unknown.
  var error: AdminError {
    let says = detail.map { " The server says: \($0)" } ?? ""
    if let (code, sentence) = Self.known[code] { return AdminError(code, sentence + says) }
    let reason = code.isEmpty ? says : " The server says: \(code)\(detail.map { " : \($0)" } ?? "")"
    switch status {
    case 401:
      return AdminError(
        .invalidCredential, "Google doesn't accept the access token. Check the credential.\(reason)")
    case 403:
      return AdminError(
        .insufficientPermission, "The credential may not \(server.right)\(reason)")
    case 429:
      return AdminError(.tooManyRequests, "There were too many requests. Try again later.\(reason)")
    case 502, 503, 504:
      return AdminError(
        .networkError,
        "\(server.name) isn't available now (status \(status)). Try again later.\(reason)")
    default:
      return AdminError(
        .internalError, "\(server.name) answered with status \(status).\(reason)")
    }
  }

  /// The codes of the server, of which those for clients are left out
  /// (https://firebase.google.com/docs/auth/admin/errors).
  private static let known: [String: (AdminError.Code, String)] = [
    "USER_NOT_FOUND": (.userNotFound, "There is no such user. Check the identifier."),
    "EMAIL_NOT_FOUND": (.emailNotFound, "No user has this email address. Check it."),
    "DUPLICATE_LOCAL_ID": (
      .uidAlreadyExists, "Another user has this ID. Use another one, or update that user."
    ),
    "EMAIL_EXISTS": (
      .emailAlreadyExists, "Another user has this email address. Use another one, or update that user."
    ),
    "DUPLICATE_EMAIL": (
      .emailAlreadyExists, "An email address occurs twice among the users. Give it to one of them only."
    ),
    "PHONE_NUMBER_EXISTS": (
      .phoneNumberAlreadyExists, "Another user has this phone number. Use another one, or update that user."
    ),
    "FEDERATED_USER_ID_ALREADY_LINKED": (
      .credentialAlreadyInUse, "The identity at the provider belongs to another user. Unlink it there first."
    ),
    "DUPLICATE_RAW_ID": (
      .credentialAlreadyInUse, "An identity occurs twice among the users. Give it to one of them only."
    ),
    "USER_DISABLED": (.userDisabled, "An administrator has disabled the user. Enable the user first."),
    "INVALID_EMAIL": (.invalidEmail, "This isn't an email address. Correct it."),
    "INVALID_NEW_EMAIL": (.invalidEmail, "The new email address isn't one. Correct it."),
    "INVALID_PHONE_NUMBER": (
      .invalidPhoneNumber, "This isn't a phone number. Write it with its country, for example +15550100."
    ),
    "INVALID_DISPLAY_NAME": (.invalidDisplayName, "The name isn't allowed. Use another one."),
    "INVALID_PHOTO_URL": (.invalidPhotoURL, "The URL of the picture isn't allowed. Use another one."),
    "WEAK_PASSWORD": (.invalidPassword, "The password is too weak. Use a longer one."),
    "MISSING_PASSWORD": (.invalidPassword, "The password is empty. Use one of at least six characters."),
    "INVALID_PASSWORD": (.invalidPassword, "The password isn't allowed. Use another one."),
    "PASSWORD_DOES_NOT_MEET_REQUIREMENTS": (
      .invalidPassword, "The password doesn't meet the requirements of the project. Use another one."
    ),
    "INVALID_PROVIDER_ID": (.invalidProviderID, "There is no such provider. Check its ID."),
    "MISSING_PROVIDER_ID": (.invalidProviderID, "The provider's ID is missing. Set it."),
    "MISSING_RAW_ID": (.invalidUID, "The user's ID at the provider is missing. Set it."),
    "CLAIMS_TOO_LARGE": (.claimsTooLarge, "The claims are too large. Keep what is large in a database."),
    "INVALID_CLAIMS": (.invalidClaims, "The claims must encode as an object."),
    "FORBIDDEN_CLAIM": (
      .forbiddenClaim, "A name among the claims is reserved for the issuer of tokens. Use another one."
    ),
    "INVALID_ID_TOKEN": (
      .invalidIDToken, "This isn't an ID token of the project. The user must sign in again."
    ),
    "TOKEN_EXPIRED": (.idTokenExpired, "The ID token has expired or was revoked. The client must renew it."),
    "INVALID_DURATION": (
      .invalidSessionCookieDuration,
      "A session cookie is valid for 5 minutes to 14 days. Change the duration."
    ),
    "INVALID_SESSION_COOKIE_DURATION": (
      .invalidSessionCookieDuration,
      "A session cookie is valid for 5 minutes to 14 days. Change the duration."
    ),
    "INVALID_PAGE_SELECTION": (
      .invalidPageToken, "The page token isn't one of this list. Begin with the first page."
    ),
    "LOCAL_ID_LIST_EXCEEDS_LIMIT": (
      .maximumUserCountExceeded, "At most 1,000 users can be deleted at once. Delete them in several calls."
    ),
    "MISSING_HASH_ALGORITHM": (
      .missingHashAlgorithm, "Users with hashes of passwords need a UserImportHash. Pass it as hash."
    ),
    "INVALID_HASH_ALGORITHM": (
      .invalidHashAlgorithm, "The server doesn't know this hash function. Use another UserImportHash."
    ),
    "INVALID_HASH_BLOCK_SIZE": (
      .invalidHashAlgorithm, "The block size of the hash isn't allowed. Change it."
    ),
    "INVALID_HASH_DERIVED_KEY_LENGTH": (
      .invalidHashAlgorithm, "The key length of the hash isn't allowed. Change it."
    ),
    "INVALID_HASH_KEY": (.invalidHashAlgorithm, "The key of the hash isn't allowed. Change it."),
    "INVALID_HASH_MEMORY_COST": (
      .invalidHashAlgorithm, "The memory cost of the hash isn't allowed. Change it."
    ),
    "INVALID_HASH_PARALLELIZATION": (
      .invalidHashAlgorithm, "The parallelization of the hash isn't allowed. Change it."
    ),
    "INVALID_HASH_ROUNDS": (
      .invalidHashAlgorithm, "The number of rounds of the hash isn't allowed. Change it."
    ),
    "INVALID_HASH_SALT_SEPARATOR": (
      .invalidHashAlgorithm, "The salt separator of the hash isn't allowed. Change it."
    ),
    "INVALID_CONTINUE_URI": (
      .invalidContinueURI, "The URL of the settings needs a scheme and a host. Correct it."
    ),
    "MISSING_CONTINUE_URI": (.invalidContinueURI, "The settings have no URL. Set it."),
    "UNAUTHORIZED_DOMAIN": (
      .unauthorizedContinueURI,
      "The domain of the settings' URL isn't one of the project's authorized domains. Add it in the console."
    ),
    "INVALID_DYNAMIC_LINK_DOMAIN": (
      .invalidHostingLinkDomain, "The project doesn't have this domain for links. Use another one."
    ),
    "INVALID_HOSTING_LINK_DOMAIN": (
      .invalidHostingLinkDomain, "The project doesn't have this domain for links. Use another one."
    ),
    "MISSING_IOS_BUNDLE_ID": (.missingIOSBundleID, "The settings need the bundle ID of the app. Set it."),
    "MISSING_ANDROID_PACKAGE_NAME": (
      .missingAndroidPackageName, "The settings need the package name of the app. Set it."
    ),
    "OPERATION_NOT_ALLOWED": (
      .operationNotAllowed, "The project doesn't allow this way to sign in. Enable it in the console."
    ),
    "PASSWORD_LOGIN_DISABLED": (
      .operationNotAllowed, "The project doesn't allow passwords. Enable them in the console."
    ),
    "CONFIGURATION_NOT_FOUND": (
      .configurationNotFound, "The project doesn't use Firebase Authentication yet. Enable it in the console."
    ),
    "CONFIGURATION_EXISTS": (
      .configurationExists, "The provider is configured already. Update its configuration."
    ),
    "INVALID_CONFIG": (.invalidConfig, "A property of the configuration isn't allowed. Correct it."),
    "INVALID_CONFIG_ID": (.invalidProviderID, "This isn't the ID of a provider of this kind. Correct it."),
    "MISSING_CONFIG_ID": (.invalidProviderID, "The provider's ID is missing. Set it."),
    "MISSING_OAUTH_CLIENT_ID": (.invalidConfig, "The configuration needs clientID. Set it."),
    "INVALID_OAUTH_CLIENT_ID": (.invalidConfig, "The configuration's clientID isn't allowed. Correct it."),
    "MISSING_OAUTH_CLIENT_SECRET": (
      .invalidConfig, "The response type .code needs clientSecret. Set it."
    ),
    "INVALID_OAUTH_RESPONSETYPE": (
      .invalidConfig, "The provider's response is either an ID token or a code. Choose one."
    ),
    "MISSING_ISSUER": (.invalidConfig, "The configuration needs issuer. Set it."),
    "MISSING_SAML_RELYING_PARTY_CONFIG": (
      .invalidConfig, "The configuration needs rpEntityID and callbackURL. Set them."
    ),
    "PROJECT_NOT_FOUND": (.projectNotFound, "There is no such project. Check AppOptions.projectID."),
    "TENANT_NOT_FOUND": (.tenantNotFound, "There is no such tenant. Check its ID."),
    "TENANT_ID_MISMATCH": (
      .mismatchingTenantID,
      "The user belongs to another tenant. Use TenantManager.auth(forTenant:) of that tenant."
    ),
    "INVALID_TENANT_ID": (.invalidTenantID, "This isn't the ID of a tenant. Check it."),
    "UNSUPPORTED_TENANT_OPERATION": (
      .unsupportedTenantOperation, "Tenants don't support this operation. Use the project itself."
    ),
    "INSUFFICIENT_PERMISSION": (
      .insufficientPermission,
      "The credential may not do this. Give its account the role Firebase Authentication Admin."
    ),
    "QUOTA_EXCEEDED": (.quotaExceeded, "The project has used its quota. Try again later, or raise it."),
    "TOO_MANY_ATTEMPTS_TRY_LATER": (.tooManyRequests, "There were too many requests. Try again later."),
    "RESET_PASSWORD_EXCEED_LIMIT": (
      .tooManyRequests, "Too many passwords of this user were reset. Try again later."
    ),
  ]
}
