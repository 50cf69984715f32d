import TenonDocuments
import TenonTransport

/// How the users of an identity provider sign in: a record of version 2 of Identity Toolkit
/// (https://cloud.google.com/identity-platform/docs/reference/rest/v2/projects.oauthIdpConfigs). The members that
/// are stored as they are have the names of its API.
///
/// The record is stored as JSON. Members that are added later must be optional.
struct ProviderConfiguration: Sendable, Hashable, Codable {
  /// A kind of provider. The raw value is its name in paths.
  enum Kind: String, Sendable, Hashable, Codable, CaseIterable {
    /// OpenID Connect: IDs begin with `oidc.`.
    case oidc = "oauthIdpConfigs"
    /// SAML: IDs begin with `saml.`.
    case saml = "inboundSamlConfigs"
    /// A provider that Firebase knows, for example `google.com`.
    case known = "defaultSupportedIdpConfigs"

    /// The parameter with the ID of a new configuration.
    var parameter: String {
      switch self {
      case .oidc: "oauthIdpConfigId"
      case .saml: "inboundSamlConfigId"
      case .known: "idpId"
      }
    }

    /// The kind of the provider with an ID.
    init(ofProvider id: String) {
      self = id.hasPrefix("oidc.") ? .oidc : id.hasPrefix("saml.") ? .saml : .known
    }
  }

  /// The kind of provider.
  let kind: Kind
  /// The ID of the provider, with which clients sign in.
  let id: String
  /// The name that administrators see.
  var displayName: String?
  /// Whether users can sign in.
  var enabled = false
  /// The ID of the app at the provider; not for SAML.
  var clientId: String?
  /// The secret of the app at the provider; not for SAML.
  var clientSecret: String?
  /// The URL of an OpenID provider.
  var issuer: String?
  /// Whether an OpenID provider answers with a code rather than with an ID token.
  var usesCode: Bool?
  /// The properties of a SAML provider.
  var saml: SAML?

  /// The properties of a SAML provider and of the app as its relying party.
  struct SAML: Sendable, Hashable, Codable {
    var idpEntityId: String?
    var ssoUrl: String?
    /// Certificates in PEM.
    var certificates: [String] = []
    var signRequest = false
    var spEntityId: String?
    var callbackUri: String?
  }

  /// How many configurations a project or a tenant may have.
  static let most: Int64 = 1_000

  /// Creates a configuration that isn't complete.
  ///
  /// - Throws: ``Refusal`` with `MISSING_CONFIG_ID` or `INVALID_CONFIG_ID` if the ID isn't one of the kind.
  init(_ kind: Kind, id: String?) throws {
    guard let id, !id.isEmpty else {
      throw AccountService.refusal("MISSING_CONFIG_ID", "Set \(kind.parameter) in the query.")
    }
    let isID =
      kind == .known
      ? Self.known.contains(id) : kind == Kind(ofProvider: id) && Self.isSuffix(id.dropFirst(5))
    guard isID else {
      let form =
        switch kind {
        case .oidc: "\"oidc.\" and 1 to 64 lowercase letters, digits or -._"
        case .saml: "\"saml.\" and 1 to 64 lowercase letters, digits or -._"
        case .known: "one of \(Self.known.joined(separator: ", "))"
        }
      throw AccountService.refusal("INVALID_CONFIG_ID", "\(kind.parameter) must be \(form).")
    }
    self.kind = kind
    self.id = id
  }

  /// The providers that Firebase knows, except those that aren't configured by an ID and a secret.
  private static let known = [
    "apple.com", "facebook.com", "github.com", "google.com", "linkedin.com", "microsoft.com",
    "playgames.google.com", "twitter.com", "yahoo.com",
  ]

  /// Returns whether a text can follow `oidc.` or `saml.`. Sign-ins compare in lowercase.
  private static func isSuffix(_ text: Substring) -> Bool {
    (1...64).contains(text.utf8.count)
      && text.utf8.allSatisfy { byte in
        switch byte {
        case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "0")...UInt8(ascii: "9"): true
        case UInt8(ascii: "-"), UInt8(ascii: "."), UInt8(ascii: "_"): true
        default: false
        }
      }
  }

  /// Returns the configuration as administrators see it.
  ///
  /// - Parameter parent: the name of the project or tenant, for example `projects/demo`.
  func wire(in parent: String) -> JSON {
    .members([
      "name": .string("\(parent)/\(kind.rawValue)/\(id)"), "displayName": displayName.map(JSON.string),
      "enabled": .bool(enabled), "clientId": clientId.map(JSON.string),
      "clientSecret": clientSecret.map(JSON.string), "issuer": issuer.map(JSON.string),
      "responseType": kind == .oidc ? (usesCode == true ? ["code": true] : ["idToken": true]) : nil,
      "idpConfig": saml.map { saml in
        .members([
          "idpEntityId": saml.idpEntityId.map(JSON.string), "ssoUrl": saml.ssoUrl.map(JSON.string),
          "idpCertificates": .array(saml.certificates.map { ["x509Certificate": .string($0)] }),
          "signRequest": saml.signRequest ? true : nil,
        ])
      },
      "spConfig": saml.map { saml in
        .members([
          "spEntityId": saml.spEntityId.map(JSON.string), "callbackUri": saml.callbackUri.map(JSON.string),
        ])
      },
    ])
  }
}

/// What a path of version 2 says about configurations of providers: `projects/{project}/oauthIdpConfigs/{id}`, also
/// with `tenants/{tenant}`, and without an ID.
struct ProviderPath: Sendable, Hashable {
  let kind: ProviderConfiguration.Kind
  /// The ID of a configuration; `nil` for the collection.
  let id: String?

  /// Reads a path; `nil` for others.
  init?(_ path: [String]) {
    var path = path
    guard path.count > 3, path.starts(with: ["v2", "projects"]) else { return nil }
    if path[3] == "tenants", path.count > 5 { path.removeSubrange(3...4) }
    guard path.count <= 5, let kind = ProviderConfiguration.Kind(rawValue: path[3]) else { return nil }
    self.kind = kind
    id = path.count == 5 ? path[4] : nil
  }
}
