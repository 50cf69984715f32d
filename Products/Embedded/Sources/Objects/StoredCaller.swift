import TenonTransport

/// The caller who began a resumable upload, as it is stored with the upload.
struct StoredCaller: Sendable, Hashable, Codable {
  /// Whether the caller is an administrator.
  private let isAdministrator: Bool
  /// The ID of the user; `nil` if no user is signed in.
  private let uid: String?
  /// The claims of the user's ID token.
  private let claims: [String: JSON]

  /// Creates a value for a caller.
  init(_ caller: Caller) {
    isAdministrator = caller.isAdministrator
    uid = caller.auth?.uid
    claims = caller.auth?.claims ?? [:]
  }

  /// The caller, whose right to finish the upload doesn't end with the ID token.
  var caller: Caller {
    if isAdministrator { return .administrator }
    return uid.map { Caller(.user(RequestAuth(uid: $0, claims: claims))) } ?? .nobody
  }
}
