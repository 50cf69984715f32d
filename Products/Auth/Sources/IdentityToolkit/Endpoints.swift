import Foundation
import TenonCore

/// The URLs of the servers: Firebase's, or the Auth emulator's, whose paths begin with the production hosts.
struct Endpoints: Sendable {
  private static let identityToolkit = "identitytoolkit.googleapis.com"
  private static let secureToken = "securetoken.googleapis.com"
  /// The API key where none is needed; the services require some key.
  private static let keyOfEmbedded = "embedded"

  private let identity: URL
  private let key: URLQueryItem
  /// The only method of Secure Token.
  let token: URL
  /// Whether these are Firebase's servers, which sign every ID token.
  let areProduction: Bool

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
    guard let identity = URL(string: "\(origin)\(Self.identityToolkit)/v1"),
      let token = URL(string: "\(origin)\(Self.secureToken)/v1/token"), identity.host != nil
    else {
      throw AuthError(
        .internalError,
        "The host of the Auth emulator is not \"host:port\": \(origin). Check AppOptions.backend."
      )
    }
    key = URLQueryItem(name: "key", value: apiKey)
    self.identity = identity
    self.token = token.appending(queryItems: [key])
  }

  func method(_ name: String) -> URL {
    identity.appending(path: name).appending(queryItems: [key])
  }
}
