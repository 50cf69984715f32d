import TenonJSON

/// How users sign in with a provider of SAML.
public struct SAMLAuthProviderConfig: Sendable, Hashable, Identifiable {
  /// The provider's ID, with which clients sign in: `saml.` and a name.
  public let providerID: String
  /// The name that administrators see; `nil` if there is none.
  public var displayName: String?
  /// Whether users can sign in with the provider.
  public var isEnabled: Bool
  /// The ID of the provider as an entity of SAML.
  public var idpEntityID: String
  /// The URL of the provider's page for signing in.
  public var ssoURL: String
  /// The certificates with whose keys the provider signs, in PEM.
  public var x509Certificates: [String]
  /// The ID of the app as an entity of SAML, the relying party.
  public var rpEntityID: String
  /// The URL that receives what the provider answers.
  public var callbackURL: String

  /// The provider's ID.
  public var id: String { providerID }

  /// Creates a configuration. Each parameter sets the property of the same name.
  public init(
    providerID: String, displayName: String? = nil, isEnabled: Bool = false, idpEntityID: String,
    ssoURL: String, x509Certificates: [String], rpEntityID: String, callbackURL: String
  ) {
    self.providerID = providerID
    self.displayName = displayName
    self.isEnabled = isEnabled
    self.idpEntityID = idpEntityID
    self.ssoURL = ssoURL
    self.x509Certificates = x509Certificates
    self.rpEntityID = rpEntityID
    self.callbackURL = callbackURL
  }

  /// Reads an `InboundSamlConfig`
  /// (https://cloud.google.com/identity-platform/docs/reference/rest/v2/projects.inboundSamlConfigs).
  init(_ wire: JSON, id: String) {
    let (idp, sp) = (wire["idpConfig"] ?? .null, wire["spConfig"] ?? .null)
    self.init(
      providerID: id, displayName: wire["displayName"]?.string, isEnabled: wire["enabled"]?.bool ?? false,
      idpEntityID: idp["idpEntityId"]?.string ?? "", ssoURL: idp["ssoUrl"]?.string ?? "",
      x509Certificates: (idp["idpCertificates"]?.array ?? []).compactMap { $0["x509Certificate"]?.string },
      rpEntityID: sp["spEntityId"]?.string ?? "", callbackURL: sp["callbackUri"]?.string ?? "")
  }

  /// The members of the request.
  var wire: JSON {
    .members([
      "displayName": displayName.map(JSON.string), "enabled": .bool(isEnabled),
      "idpConfig": [
        "idpEntityId": .string(idpEntityID), "ssoUrl": .string(ssoURL),
        "idpCertificates": .array(x509Certificates.map { ["x509Certificate": .string($0)] }),
      ],
      "spConfig": ["spEntityId": .string(rpEntityID), "callbackUri": .string(callbackURL)],
    ])
  }

  /// The paths of all members.
  static let mask =
    "displayName,enabled,idpConfig.idpEntityId,idpConfig.ssoUrl,idpConfig.idpCertificates,spConfig.spEntityId,"
    + "spConfig.callbackUri"
}
