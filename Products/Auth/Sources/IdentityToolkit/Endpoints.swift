import TenonCore
import TenonFoundation

/// The URLs of the servers: Firebase's, or those of the Auth emulator, whose paths begin with the production
/// host names.
struct Endpoints: Sendable {
  private static let identityToolkit = "identitytoolkit.googleapis.com"
  private static let secureToken = "securetoken.googleapis.com"
  /// The API key of apps without one on the embedded backend; the services require some key.
  private static let keyOfEmbedded = "embedded"

  /// The base URL of Identity Toolkit, without the version.
  private let identity: URL
  /// The URL of Secure Token's only method, without the API key.
  private let secureToken: URL
  /// The API key.
  let apiKey: Secret
  /// Whether these are Firebase's servers, which sign every ID token.
  let areProduction: Bool

  /// - Throws: ``AuthError`` with ``AuthError/Code/invalidAPIKey`` if there is no API key, and with
  ///   ``AuthError/Code/internalError`` if the emulator's host doesn't form a URL.
  init(_ options: AppOptions) throws {
    let origin: String
    switch options.backend {
    case .emulator(let hosts):
      // Without a host for Auth, Auth uses production.
      origin = hosts.auth.map { "http://\($0)/" } ?? "https://"
    case .production, .embedded:
      origin = "https://"
    }
    areProduction = origin == "https://" && options.backend.kind != .embedded
    let apiKey = options.apiKey ?? (options.backend.kind == .embedded ? Self.keyOfEmbedded : nil)
    guard let apiKey, !apiKey.isEmpty else {
      throw AuthError(
        .invalidAPIKey,
        "Auth requires an API key. Set AppOptions.apiKey to the project's web API key; an emulator accepts any text."
      )
    }
    guard let identity = URL(string: "\(origin)\(Self.identityToolkit)"),
      let secureToken = URL(string: "\(origin)\(Self.secureToken)/v1/token"), identity.host != nil
    else {
      throw AuthError(
        .internalError,
        "The host of the Auth emulator isn't \"host:port\": \(origin). Check AppOptions.backend."
      )
    }
    self.apiKey = Secret(apiKey)
    self.identity = identity
    self.secureToken = secureToken
  }

  /// The URL of Secure Token's only method, with the API key.
  var token: URL { withKey(secureToken) }

  /// Returns the URL of a method of Identity Toolkit, with the API key.
  ///
  /// - Parameters:
  ///   - name: the method, for example `accounts:signUp`.
  ///   - version: the version that has the method.
  func method(_ name: String, version: Int = 1) -> URL {
    withKey(identity.appending(path: "v\(version)/\(name)"))
  }

  private func withKey(_ url: URL) -> URL {
    url.appending(queryItems: [URLQueryItem(name: "key", value: apiKey.value)])
  }
}
