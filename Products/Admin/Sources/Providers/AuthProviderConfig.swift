import TenonJSON

/// How users sign in with an identity provider of OpenID Connect or SAML, as the server has it.
///
/// The value doesn't change when the configuration does.
public enum AuthProviderConfig: Sendable, Hashable, Identifiable {
  /// A provider of OpenID Connect.
  case oidc(OIDCAuthProviderConfig)
  /// A provider of SAML.
  case saml(SAMLAuthProviderConfig)

  /// A kind of provider.
  public enum Kind: Sendable, Hashable, CaseIterable {
    /// OpenID Connect, with IDs that begin with `oidc.`.
    case oidc
    /// SAML, with IDs that begin with `saml.`.
    case saml

    /// The kind of the provider with an ID.
    ///
    /// - Throws: ``AdminError`` with ``AdminError/Code/invalidProviderID``.
    init(ofProvider id: String) throws(AdminError) {
      for kind in Self.allCases where id.hasPrefix(kind.prefix) && (6...128).contains(id.utf16.count) {
        self = kind
        return
      }
      throw AdminError(
        .invalidProviderID,
        "The ID of a provider begins with \"oidc.\" or \"saml.\" and has up to 128 characters.")
    }

    private var prefix: String { self == .oidc ? "oidc." : "saml." }
    /// The name of the configurations in paths and in answers.
    var collection: String { self == .oidc ? "oauthIdpConfigs" : "inboundSamlConfigs" }
    /// The parameter with the ID of a new configuration.
    var parameter: String { self == .oidc ? "oauthIdpConfigId" : "inboundSamlConfigId" }
  }

  /// The provider's ID, with which clients sign in.
  public var providerID: String {
    switch self {
    case .oidc(let config): config.providerID
    case .saml(let config): config.providerID
    }
  }

  /// The provider's ID.
  public var id: String { providerID }

  /// The name that administrators see; `nil` if there is none.
  public var displayName: String? {
    switch self {
    case .oidc(let config): config.displayName
    case .saml(let config): config.displayName
    }
  }

  /// Whether users can sign in with the provider.
  public var isEnabled: Bool {
    switch self {
    case .oidc(let config): config.isEnabled
    case .saml(let config): config.isEnabled
    }
  }

  /// Reads an answer of the server.
  ///
  /// - Throws: ``AdminError`` with ``AdminError/Code/internalError`` if it has no name.
  init(_ wire: JSON, _ kind: Kind) throws(AdminError) {
    guard let id = wire["name"]?.string?.split(separator: "/").last.map(String.init) else {
      throw AdminError(
        .internalError, "The server for accounts sent a provider without a name. Try again later.")
    }
    self =
      kind == .oidc
      ? .oidc(OIDCAuthProviderConfig(wire, id: id)) : .saml(SAMLAuthProviderConfig(wire, id: id))
  }

  /// The members of the request, the paths of all of them, and the text among them that is secret.
  var wire: (members: JSON, mask: String, secrets: [String]) {
    switch self {
    case .oidc(let config): (config.wire, OIDCAuthProviderConfig.mask, config.clientSecret.map { [$0] } ?? [])
    case .saml(let config): (config.wire, SAMLAuthProviderConfig.mask, [])
    }
  }
}
