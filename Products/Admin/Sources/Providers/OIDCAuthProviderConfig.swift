import TenonFoundation
import TenonJSON

/// How users sign in with a provider of OpenID Connect. A dump doesn't show the client's secret.
public struct OIDCAuthProviderConfig: Sendable, Hashable, Identifiable {
  /// What the provider answers.
  public enum ResponseType: Sendable, Hashable {
    /// An ID token (the implicit flow).
    case idToken
    /// A code, which the server exchanges with the client's secret (the code flow).
    case code
  }

  /// The provider's ID, with which clients sign in: `oidc.` and a name.
  public let providerID: String
  /// The name that administrators see; `nil` if there is none.
  public var displayName: String?
  /// Whether users can sign in with the provider.
  public var isEnabled: Bool
  /// The ID that the provider gave the app.
  public var clientID: String
  /// The URL of the provider, with the scheme `https`.
  public var issuer: String
  /// What the provider answers.
  public var responseType: ResponseType
  private var secret: Secret?

  /// The secret that the provider gave the app, which ``ResponseType/code`` requires.
  public var clientSecret: String? {
    get { secret?.value }
    set { secret = newValue.map { Secret($0) } }
  }

  /// The provider's ID.
  public var id: String { providerID }

  /// Creates a configuration. Each parameter sets the property of the same name.
  public init(
    providerID: String, displayName: String? = nil, isEnabled: Bool = false, clientID: String, issuer: String,
    clientSecret: String? = nil, responseType: ResponseType = .idToken
  ) {
    self.providerID = providerID
    self.displayName = displayName
    self.isEnabled = isEnabled
    self.clientID = clientID
    self.issuer = issuer
    self.responseType = responseType
    self.clientSecret = clientSecret
  }

  /// Reads an `OAuthIdpConfig`
  /// (https://cloud.google.com/identity-platform/docs/reference/rest/v2/projects.oauthIdpConfigs).
  init(_ wire: JSON, id: String) {
    self.init(
      providerID: id, displayName: wire["displayName"]?.string, isEnabled: wire["enabled"]?.bool ?? false,
      clientID: wire["clientId"]?.string ?? "", issuer: wire["issuer"]?.string ?? "",
      clientSecret: wire["clientSecret"]?.string,
      responseType: wire["responseType"]?["code"]?.bool == true ? .code : .idToken)
  }

  /// The members of the request.
  var wire: JSON {
    .members([
      "displayName": displayName.map(JSON.string), "enabled": .bool(isEnabled), "clientId": .string(clientID),
      "clientSecret": clientSecret.map(JSON.string), "issuer": .string(issuer),
      "responseType": ["idToken": .bool(responseType == .idToken), "code": .bool(responseType == .code)],
    ])
  }

  /// The paths of all members.
  static let mask = "displayName,enabled,clientId,clientSecret,issuer,responseType.idToken,responseType.code"
}
