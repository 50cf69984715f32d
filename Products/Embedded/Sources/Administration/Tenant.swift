import TenonTransport

/// A tenant of the project: users that are wholly apart from all others, with their own sign-in methods. The
/// members that are stored as they are have the names of Identity Toolkit's `Tenant`
/// (https://cloud.google.com/identity-platform/docs/reference/rest/v2/projects.tenants).
///
/// The record is stored as JSON. Members that are added later must be optional.
struct Tenant: Sendable, Hashable, Codable {
  /// The tenant's ID.
  let tenantId: String
  /// The name that administrators see.
  var displayName: String?
  /// Whether users can sign up and sign in with a password.
  var allowPasswordSignup = false
  /// Whether users can sign in with links that are sent to their address.
  var enableEmailLinkSignin = false
  /// Whether anonymous users can be created.
  var enableAnonymousUser = false
  /// Whether nothing can be done with the tenant's users.
  var disableAuth = false
  /// Whether users can have second factors (`mfaConfig.state`).
  var secondFactors = false
  /// Whether the state is `MANDATORY`, which means the same as `ENABLED` here: users without a second factor can
  /// sign in and enroll one. `nil` for `false`.
  var secondFactorsAreMandatory: Bool?
  /// Whether phone numbers are among them (`PHONE_SMS` in `mfaConfig.enabledProviders`).
  var phoneSecondFactors = false
  /// The value of `mfaConfig.enabledProviders` if it isn't what ``phoneSecondFactors`` says; `nil` otherwise.
  var enabledProviders: [String]?
  /// Whether authenticator apps are among them (`mfaConfig.providerConfigs`).
  var totpSecondFactors = false
  /// Phone numbers for tests with their codes; `nil` for none.
  var testPhoneNumbers: [String: String]?
  /// What new passwords must be like; `nil` for the policy without requirements.
  var passwordPolicy: PasswordPolicy?
  /// Whether a failed sign-in conceals if the address has an account; `nil` for the setting of the project.
  var emailPrivacy: Bool?

  /// How many tenants a project may have.
  static let most: Int64 = 10_000
  /// The greatest length of a name, in bytes.
  private static let longestName = 256
  /// How many phone numbers for tests a tenant may have, as in Firebase projects.
  private static let mostNumbers = 10

  /// Creates a tenant in which no sign-in method is enabled, as in production.
  init(tenantId: String) { self.tenantId = tenantId }

  /// Creates a tenant in which everything is enabled, as the Auth emulator creates it on use.
  init(enabling id: String) {
    tenantId = id
    allowPasswordSignup = true
    enableEmailLinkSignin = true
    enableAnonymousUser = true
    secondFactors = true
    phoneSecondFactors = true
  }

  /// Returns whether a text can be the ID of a tenant: at most 128 letters, digits, and `-._`.
  static func isID(_ text: String) -> Bool { text.utf8.count <= 128 && DocumentProjects.isProjectID(text) }

  /// The types of the members of a tenant in requests.
  static let fields: [String: FieldType] = [
    "displayName": .text, "allowPasswordSignup": .flag, "enableEmailLinkSignin": .flag,
    "enableAnonymousUser": .flag, "disableAuth": .flag, "testPhoneNumbers": .object([:]),
    "emailPrivacyConfig": .object(["enableImprovedEmailPrivacy": .flag]),
    "mfaConfig": ProjectConfiguration.secondFactors, "passwordPolicyConfig": PasswordPolicy.type,
  ]

  /// The members of Identity Toolkit's schema that are rejected because the backend would otherwise ignore them.
  static let unsupportedMembers: Set<String> = [
    "autodeleteAnonymousUsers", "client", "inheritance", "mobileLinksConfig", "monitoring",
    "recaptchaConfig", "smsRegionConfig",
  ]

  /// Returns the settings of the backend with those of the tenant in place of the project's.
  func settings(in project: EmbeddedSettings) -> EmbeddedSettings {
    var settings = project
    settings.passwordSignIn = allowPasswordSignup
    settings.emailLinkSignIn = enableEmailLinkSignin
    settings.anonymousSignIn = enableAnonymousUser
    settings.phoneSecondFactors = secondFactors && phoneSecondFactors
    settings.totpSecondFactors = secondFactors && totpSecondFactors
    settings.demandsSecondFactors = secondFactors
    settings.testPhoneNumbers = testPhoneNumbers ?? [:]
    settings.emailPrivacy = emailPrivacy ?? project.emailPrivacy
    settings.passwordPolicy = passwordPolicy ?? PasswordPolicy()
    return settings
  }

  /// Returns the tenant as administrators see it. Members that are empty are left out, as for Google's emulator.
  func wire(projectID: String) -> JSON {
    var factors: [String: JSON] = [
      "state": secondFactors ? secondFactorsAreMandatory == true ? "MANDATORY" : "ENABLED" : "DISABLED",
      "enabledProviders": enabledProviders.map { .array($0.map(JSON.string)) }
        ?? (phoneSecondFactors ? [.string(Self.phone)] : []),
    ]
    if totpSecondFactors {
      factors["providerConfigs"] = [
        ["state": "ENABLED", "totpProviderConfig": ["adjacentIntervals": .int(OneTimePassword.window)]]
      ]
    }
    return .members([
      "name": .string("projects/\(projectID)/tenants/\(tenantId)"), "tenantId": .string(tenantId),
      "displayName": displayName.map(JSON.string), "allowPasswordSignup": .bool(allowPasswordSignup),
      "enableEmailLinkSignin": .bool(enableEmailLinkSignin),
      "enableAnonymousUser": .bool(enableAnonymousUser), "disableAuth": .bool(disableAuth),
      "mfaConfig": .object(factors),
      "testPhoneNumbers": testPhoneNumbers.map { .object($0.mapValues(JSON.string)) },
      "passwordPolicyConfig": passwordPolicy.map(\.configuration),
      "emailPrivacyConfig": emailPrivacy.map { ["enableImprovedEmailPrivacy": .bool($0)] },
    ])
  }
}

extension Tenant {
  /// Applies the members of a request.
  ///
  /// - Parameters:
  ///   - body: the members, of the types of ``fields``.
  ///   - mask: the paths to change, separated by commas. A path includes everything below it, and is ignored if
  ///     the body has no value for it. Without a mask, what the body doesn't have gets its default.
  /// - Throws: ``Refusal`` with `INVALID_DISPLAY_NAME`, `INVALID_CONFIG`, an error of ``checkedNumbers(_:)``, or with status 501
  ///   for second factors that the backend doesn't support.
  func changed(by body: [String: JSON], mask: String?) throws -> Tenant {
    let paths = ProjectConfiguration.paths(ofMask: mask)
    func value(_ path: String) -> JSON? {
      guard paths?.contains(where: { path == $0 || path.hasPrefix("\($0).") }) ?? true else { return nil }
      return path.split(separator: ".").reduce(JSON.object(body)) { $0?[String($1)] }
    }
    var tenant = paths == nil ? Tenant(tenantId: tenantId) : self
    if let name = value("displayName")?.text {
      guard name.utf8.count <= Self.longestName else {
        throw AccountService.refusal("INVALID_DISPLAY_NAME", "It has more than \(Self.longestName) bytes.")
      }
      tenant.displayName = name
    }
    if let flag = value("allowPasswordSignup")?.bool { tenant.allowPasswordSignup = flag }
    if let flag = value("enableEmailLinkSignin")?.bool { tenant.enableEmailLinkSignin = flag }
    if let flag = value("enableAnonymousUser")?.bool { tenant.enableAnonymousUser = flag }
    if let flag = value("disableAuth")?.bool { tenant.disableAuth = flag }
    if let flag = value("emailPrivacyConfig.enableImprovedEmailPrivacy")?.bool { tenant.emailPrivacy = flag }
    if let numbers = value("testPhoneNumbers")?.object {
      let checked = try Self.checkedNumbers(numbers)
      tenant.testPhoneNumbers = checked.isEmpty ? nil : checked
    }
    try tenant.changeSecondFactors(by: value)
    let policy = JSON.members([
      "passwordPolicyEnforcementState": value("passwordPolicyConfig.passwordPolicyEnforcementState"),
      "forceUpgradeOnSignin": value("passwordPolicyConfig.forceUpgradeOnSignin"),
      "passwordPolicyVersions": value("passwordPolicyConfig.passwordPolicyVersions"),
    ])
    if policy != [:] {
      var changed = tenant.passwordPolicy ?? PasswordPolicy()
      try changed.change(by: policy)
      tenant.passwordPolicy = changed == PasswordPolicy() ? nil : changed
    }
    return tenant
  }

  /// The name of phone numbers in `mfaConfig.enabledProviders`.
  private static let phone = "PHONE_SMS"

  /// Applies the members of `mfaConfig`.
  ///
  /// - Parameter value: returns the member of a path that is to be applied.
  private mutating func changeSecondFactors(by value: (String) -> JSON?) throws {
    if value("mfaConfig") != nil {
      (phoneSecondFactors, totpSecondFactors, enabledProviders) = (false, false, nil)
    }
    if let state = value("mfaConfig.state")?.text {
      guard ProjectConfiguration.factorStates.contains(state) else {
        throw Refusal.unimplemented("the state \(state.prefix(100)) of second factors")
      }
      secondFactors = state != "DISABLED"
      secondFactorsAreMandatory = state == "MANDATORY" ? true : nil
    }
    if let providers = value("mfaConfig.enabledProviders")?.array {
      var names: [String] = []
      for name in providers.map({ $0.text ?? "" }) where !names.contains(name) {
        guard [Self.phone, "PROVIDER_UNSPECIFIED"].contains(name) else {
          throw Refusal.unimplemented("the second factor \(name.prefix(100))")
        }
        names.append(name)
      }
      phoneSecondFactors = names.contains(Self.phone)
      enabledProviders = names == (phoneSecondFactors ? [Self.phone] : []) ? nil : names
    }
    if let configurations = value("mfaConfig.providerConfigs") {
      totpSecondFactors = ProjectConfiguration.enablesTOTP(configurations)
    }
  }

  /// Returns phone numbers for tests with their codes.
  ///
  /// - Throws: ``Refusal`` with `INVALID_PHONE_NUMBER`, `INVALID_CODE` or
  ///   `MAXIMUM_TEST_PHONE_NUMBER_EXCEEDED`.
  private static func checkedNumbers(_ numbers: [String: JSON]) throws -> [String: String] {
    guard numbers.count <= mostNumbers else {
      throw AccountService.refusal(
        "MAXIMUM_TEST_PHONE_NUMBER_EXCEEDED", "At most \(mostNumbers) are possible.")
    }
    return try numbers.reduce(into: [:]) { checked, entry in
      guard let code = entry.value.text, code.utf8.count == 6, Int64(decimal: code) != nil else {
        throw AccountService.refusal("INVALID_CODE", "The code of a phone number for tests has six digits.")
      }
      checked[try AccountService.checkedPhoneNumber(entry.key)] = code
    }
  }
}
