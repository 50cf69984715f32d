import TenonJSON

/// A tenant of the project, as the server has it: users that are wholly apart from all others, with their own
/// sign-in methods.
///
/// The record is a value: it doesn't change when the tenant does.
public struct Tenant: Sendable, Hashable, Identifiable, CustomStringConvertible {
  /// The tenant's ID, with which clients sign in (`Auth.tenantID`).
  public let tenantID: String
  /// The name that administrators see; `nil` if there is none.
  public let displayName: String?
  /// Whether users can sign up and sign in with a password.
  public let allowsPasswordSignUp: Bool
  /// Whether users can sign in with links that are sent to their address.
  public let isEmailLinkSignInEnabled: Bool
  /// Whether anonymous users can be created.
  public let isAnonymousSignInEnabled: Bool
  /// Whether the tenant is disabled: its users can neither sign in nor be managed.
  public let isAuthDisabled: Bool
  /// The second factors that users can have.
  public let secondFactors: TenantSecondFactors
  /// Phone numbers for tests with their codes.
  public let testPhoneNumbers: [String: String]

  /// The tenant's ID.
  public var id: String { tenantID }
  /// The tenant's ID.
  public var description: String { "tenant \(tenantID)" }

  /// Reads a `Tenant` (https://cloud.google.com/identity-platform/docs/reference/rest/v2/projects.tenants).
  ///
  /// - Throws: ``AdminError`` with ``AdminError/Code/internalError`` if it has no ID.
  init(_ wire: JSON) throws(AdminError) {
    // Production sends the name only.
    let name = wire["name"]?.string?.split(separator: "/").last.map(String.init)
    guard let id = wire["tenantId"]?.string ?? name, !id.isEmpty else {
      throw AdminError(
        .internalError, "The server for accounts sent a tenant without an ID. Try again later.")
    }
    tenantID = id
    displayName = wire["displayName"]?.string
    allowsPasswordSignUp = wire["allowPasswordSignup"]?.bool ?? false
    isEmailLinkSignInEnabled = wire["enableEmailLinkSignin"]?.bool ?? false
    isAnonymousSignInEnabled = wire["enableAnonymousUser"]?.bool ?? false
    isAuthDisabled = wire["disableAuth"]?.bool ?? false
    secondFactors = TenantSecondFactors(wire["mfaConfig"] ?? .null)
    testPhoneNumbers = wire["testPhoneNumbers"]?.object?.compactMapValues(\.string) ?? [:]
  }
}

/// The second factors that the users of a tenant can have. Without any, they sign in without one.
public struct TenantSecondFactors: OptionSet, Sendable, Hashable {
  /// The factors as bits.
  public let rawValue: Int

  /// Creates a set from its bits.
  public init(rawValue: Int) { self.rawValue = rawValue }

  /// Codes that are sent to phone numbers.
  public static let phone = TenantSecondFactors(rawValue: 1)
  /// Codes of authenticator apps.
  public static let totp = TenantSecondFactors(rawValue: 2)

  /// Reads a `MultiFactorAuthConfig`, whose factors are without effect if it is disabled.
  init(_ wire: JSON) {
    var factors: TenantSecondFactors = []
    if ["ENABLED", "MANDATORY"].contains(wire["state"]?.string) {
      if wire["enabledProviders"]?.array?.contains("PHONE_SMS") == true { factors.insert(.phone) }
      let configurations = wire["providerConfigs"]?.array ?? []
      if configurations.contains(where: { $0["totpProviderConfig"] != nil && $0["state"] == "ENABLED" }) {
        factors.insert(.totp)
      }
    }
    self = factors
  }

  /// The factors as a `MultiFactorAuthConfig`.
  var wire: JSON {
    [
      "state": isEmpty ? "DISABLED" : "ENABLED", "enabledProviders": contains(.phone) ? ["PHONE_SMS"] : [],
      "providerConfigs": [
        [
          "state": contains(.totp) ? "ENABLED" : "DISABLED", "totpProviderConfig": ["adjacentIntervals": 5],
        ]
      ],
    ]
  }
}

/// The properties of a tenant to create, or the changes of one. Those that are `nil` aren't set.
///
/// ```swift
/// let tenants = admin.tenantManager
/// let tenant = try await tenants.createTenant(TenantRequest(displayName: "Acme", allowsPasswordSignUp: true))
/// try await tenants.updateTenant(withID: tenant.tenantID, TenantRequest(isAnonymousSignInEnabled: true))
/// ```
public struct TenantRequest: Sendable, Hashable {
  /// The name that administrators see.
  public var displayName: String?
  /// Whether users can sign up and sign in with a password; in a new tenant, `false` if `nil`.
  public var allowsPasswordSignUp: Bool?
  /// Whether users can sign in with links that are sent to their address; in a new tenant, `false` if `nil`.
  public var isEmailLinkSignInEnabled: Bool?
  /// Whether anonymous users can be created; in a new tenant, `false` if `nil`.
  public var isAnonymousSignInEnabled: Bool?
  /// Whether nobody can sign in; in a new tenant, `false` if `nil`.
  public var isAuthDisabled: Bool?
  /// The second factors that users can have; in a new tenant, none if `nil`.
  public var secondFactors: TenantSecondFactors?
  /// At most 10 phone numbers for tests with their codes of six digits, in place of the present ones.
  public var testPhoneNumbers: [String: String]?

  /// Creates a request. Each parameter sets the property of the same name.
  public init(
    displayName: String? = nil, allowsPasswordSignUp: Bool? = nil, isEmailLinkSignInEnabled: Bool? = nil,
    isAnonymousSignInEnabled: Bool? = nil, isAuthDisabled: Bool? = nil,
    secondFactors: TenantSecondFactors? = nil, testPhoneNumbers: [String: String]? = nil
  ) {
    self.displayName = displayName
    self.allowsPasswordSignUp = allowsPasswordSignUp
    self.isEmailLinkSignInEnabled = isEmailLinkSignInEnabled
    self.isAnonymousSignInEnabled = isAnonymousSignInEnabled
    self.isAuthDisabled = isAuthDisabled
    self.secondFactors = secondFactors
    self.testPhoneNumbers = testPhoneNumbers
  }

  /// The members of the request by their names.
  var wire: [String: JSON] {
    var members: [String: JSON] = [:]
    members["displayName"] = displayName.map(JSON.string)
    members["allowPasswordSignup"] = allowsPasswordSignUp.map(JSON.bool)
    members["enableEmailLinkSignin"] = isEmailLinkSignInEnabled.map(JSON.bool)
    members["enableAnonymousUser"] = isAnonymousSignInEnabled.map(JSON.bool)
    members["disableAuth"] = isAuthDisabled.map(JSON.bool)
    members["mfaConfig"] = secondFactors?.wire
    members["testPhoneNumbers"] = testPhoneNumbers.map { .object($0.mapValues(JSON.string)) }
    return members
  }
}
