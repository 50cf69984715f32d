import TenonStoreInterop

/// The reason why a request has no caller.
enum AuthenticationError: Error, Sendable, Hashable {
  /// The App Check token that the settings require is missing or invalid.
  case missingApp
  /// `Authorization` has neither an administrator's credentials nor a valid ID token of the project.
  case invalidCredentials
  /// `Authorization` has a token that isn't an administrator's, of a service with ID tokens in its bodies.
  case invalidAdministrator
  /// The signature in the URL of a request, or what it covers, isn't valid.
  case invalidSignature(SignedURL.Problem)

  /// A sentence that says what is wrong. It doesn't contain the credentials.
  var message: String {
    switch self {
    case .missingApp: "Firebase App Check token is invalid."
    case .invalidCredentials:
      "Request had invalid authentication credentials. Expected a valid ID token of the project, or no token."
    case .invalidAdministrator:
      "Request had invalid authentication credentials. Expected an administrator's, or none: an ID token belongs in the body."
    case .invalidSignature(let problem): problem.message
    }
  }

  /// The error as that of documents.
  var storeError: StoreRemoteError { StoreRemoteError(.unauthenticated, message) }

  /// The error as that of accounts and objects: status 401.
  var refusal: Refusal {
    if case .invalidSignature(let problem) = self {
      return Refusal(problem.status, problem.message, reason: problem.code)
    }
    return Refusal(
      401, message, reason: self == .missingApp ? "unauthenticated" : "authError",
      statusName: "UNAUTHENTICATED"
    )
  }
}
