import TenonFoundation
import TenonTransport

/// The configuration of the project, as in version 2 of Identity Toolkit
/// (https://cloud.google.com/identity-platform/docs/reference/rest/v2/Config). It consists of the settings
/// that the backend supports.
///
/// In `signIn.email`, `enabled` means that ``EmbeddedSettings/passwordSignIn`` or
/// ``EmbeddedSettings/emailLinkSignIn`` is `true`, and `passwordRequired` disables sign-in with links, as in
/// Firebase projects. In `mfa`, the provider `PHONE_SMS` means ``EmbeddedSettings/phoneSecondFactors``, and
/// a configuration of TOTP ``EmbeddedSettings/totpSecondFactors``.
enum ProjectConfiguration {
  /// The types of the members of a configuration.
  static let fields: [String: FieldType] = [
    "signIn": .object([
      "allowDuplicateEmails": .flag, "email": .object(["enabled": .flag, "passwordRequired": .flag]),
      "anonymous": .object(["enabled": .flag]),
    ]),
    "emailPrivacyConfig": .object(["enableImprovedEmailPrivacy": .flag]),
    "blockingFunctions": .object([
      "triggers": .object([
        "beforeCreate": .object(["functionUri": .text]), "beforeSignIn": .object(["functionUri": .text]),
      ]), "forwardInboundCredentials": .object(["idToken": .flag, "accessToken": .flag]),
    ]),
    "mfa": secondFactors, "passwordPolicyConfig": PasswordPolicy.type,
  ]

  /// The path of the password policy.
  private static let passwordPolicy = "passwordPolicyConfig"

  /// The type of the configuration of second factors, of projects and of tenants.
  static let secondFactors = FieldType.object([
    "state": .text, "enabledProviders": .list(.text),
    "providerConfigs": .list(
      .object(["state": .text, "totpProviderConfig": .object(["adjacentIntervals": .integer])])),
  ])

  /// The states of second factors. Those of `MANDATORY` are those of `ENABLED`: users without a second factor
  /// can sign in and enroll one.
  static let factorStates: Set<String> = ["DISABLED", "ENABLED", "MANDATORY"]

  /// Returns whether configurations of second factors enable authenticator apps.
  static func enablesTOTP(_ configurations: JSON) -> Bool {
    configurations.array?.contains { $0["totpProviderConfig"] != nil && $0["state"] == "ENABLED" } == true
  }

  /// Returns the paths of an `updateMask` with names in camel case; `nil` if it is absent or empty.
  static func paths(ofMask mask: String?) -> [String]? {
    guard let mask, !mask.isEmpty else { return nil }
    return mask.split(separator: ",").map { AccountCall.camelCase(String($0)) }
  }

  /// The settings by their paths, in the order in which they are applied.
  private static let values: KeyValuePairs<String, @Sendable (JSON, inout EmbeddedSettings) -> Void> = [
    "signIn.allowDuplicateEmails": flag { $1.duplicateEmails = $0 },
    "emailPrivacyConfig.enableImprovedEmailPrivacy": flag { $1.emailPrivacy = $0 },
    "signIn.anonymous.enabled": flag { $1.anonymousSignIn = $0 },
    "signIn.email.passwordRequired": flag { $1.emailLinkSignIn = !$0 },
    "signIn.email.enabled": flag { isEnabled, settings in
      settings.passwordSignIn = isEnabled
      if !isEnabled { settings.emailLinkSignIn = false }
    },
    "blockingFunctions.triggers.beforeCreate.functionUri": trigger(.beforeCreate),
    "blockingFunctions.triggers.beforeSignIn.functionUri": trigger(.beforeSignIn),
    "blockingFunctions.forwardInboundCredentials.idToken": flag {
      $1.blockingTriggers.forwardsIDToken = $0
    },
    "blockingFunctions.forwardInboundCredentials.accessToken": flag {
      $1.blockingTriggers.forwardsAccessToken = $0
    },
    "mfa.enabledProviders": { $1.phoneSecondFactors = $0.array?.contains("PHONE_SMS") == true },
    "mfa.providerConfigs": { $1.totpSecondFactors = enablesTOTP($0) },
    "mfa.state": { state, settings in
      settings.secondFactorsAreMandatory = state == "MANDATORY"
      if state == "DISABLED" {
        (settings.phoneSecondFactors, settings.totpSecondFactors) = (false, false)
      } else if !settings.totpSecondFactors {
        settings.phoneSecondFactors = true
      }
    },
  ]

  /// The path of the blocking functions.
  private static let functions = "blockingFunctions"

  /// The functions that Firebase asks, and the backend doesn't.
  private static let unsupportedFunctions = [".beforeSendEmail.", ".beforeSendSms."]

  /// Returns a function that sets the URL of a blocking function.
  private static func trigger(
    _ kind: BlockingFunctions.Kind
  ) -> @Sendable (JSON, inout EmbeddedSettings) -> Void {
    { $1.blockingTriggers.urls[kind] = $0.string.flatMap { URL(string: $0) } }
  }

  /// Returns a function that applies a Boolean value, and ignores any other.
  private static func flag(
    _ set: @escaping @Sendable (Bool, inout EmbeddedSettings) -> Void
  ) -> @Sendable (JSON, inout EmbeddedSettings) -> Void {
    { value, settings in if let flag = value.bool { set(flag, &settings) } }
  }

  /// Returns the configuration as the response to `GET v2/projects/{project}/config`.
  ///
  /// - Parameters:
  ///   - settings: the settings of the backend.
  ///   - projectID: the ID of the project.
  static func wire(of settings: EmbeddedSettings, projectID: String) -> JSON {
    [
      "name": .string("projects/\(projectID)/config"),
      "signIn": [
        "allowDuplicateEmails": .bool(settings.duplicateEmails),
        "email": [
          "enabled": .bool(settings.passwordSignIn || settings.emailLinkSignIn),
          "passwordRequired": .bool(!settings.emailLinkSignIn),
        ],
        "anonymous": ["enabled": .bool(settings.anonymousSignIn)],
      ],
      "emailPrivacyConfig": ["enableImprovedEmailPrivacy": .bool(settings.emailPrivacy)],
      "mfa": [
        "state": settings.phoneSecondFactors || settings.totpSecondFactors
          ? settings.secondFactorsAreMandatory ? "MANDATORY" : "ENABLED" : "DISABLED",
        "enabledProviders": settings.phoneSecondFactors ? ["PHONE_SMS"] : [],
        "providerConfigs": [
          [
            "state": settings.totpSecondFactors ? "ENABLED" : "DISABLED",
            "totpProviderConfig": ["adjacentIntervals": .int(OneTimePassword.window)],
          ]
        ],
      ],
      "blockingFunctions": settings.blockingTriggers.wire,
      "passwordPolicyConfig": settings.passwordPolicy.configuration,
    ]
  }

  /// Returns a function that applies a `PATCH` of the configuration to the settings.
  ///
  /// - Parameters:
  ///   - body: the new values, of the types of ``fields``.
  ///   - mask: the paths to change, separated by commas. A path includes everything below it, and is ignored
  ///     if the body has no value for it. Without a mask, all values of the body are applied, and the
  ///     settings that the Auth emulator supports are reset to their defaults first.
  /// - Throws: ``Refusal`` for a setting that the backend doesn't support.
  static func change(_ body: [String: JSON], mask: String?) throws
    -> @Sendable (inout EmbeddedSettings) -> Void
  {
    let mask = paths(ofMask: mask)
    let changes = leaves(of: .object(body), at: "").filter { path, _ in
      path != "name" && (mask?.contains { path == $0 || path.hasPrefix("\($0).") } ?? true)
    }
    let policy = JSON.object(
      changes.reduce(into: [:]) { policy, change in
        if change.key.hasPrefix("\(passwordPolicy).") {
          policy[String(change.key.dropFirst(passwordPolicy.count + 1))] = change.value
        }
      })
    var checkedPolicy = PasswordPolicy()
    try checkedPolicy.change(by: policy)
    let unknown = changes.keys.sorted().first { path in
      !path.hasPrefix("\(passwordPolicy).") && !values.contains { $0.key == path }
    }
    if let unknown, unknown.hasPrefix("\(functions).triggers."),
      !unsupportedFunctions.contains(where: unknown.contains)
    {
      throw AccountService.refusal(
        "INVALID_BLOCKING_FUNCTION", "((\(unknown.prefix(100)) is no function that is asked.))")
    }
    if let unknown { throw Refusal.unimplemented("the setting \(unknown) of projects") }
    if let state = changes["mfa.state"]?.text, !factorStates.contains(state) {
      throw Refusal.unimplemented("the state \(state) of second factors")
    }
    for (path, value) in changes where path.hasSuffix(".functionUri") {
      guard AccountService.isAbsolute(value.text ?? "") else {
        throw AccountService.refusal("INVALID_BLOCKING_FUNCTION", "((functionUri must be an absolute URL.))")
      }
    }
    let replacesFunctions = mask?.contains { $0 == functions || $0 == "\(functions).triggers" } ?? true
    return { settings in
      if replacesFunctions { settings.blockingTriggers = BlockingTriggers() }
      if mask == nil {
        settings.duplicateEmails = false
        settings.emailPrivacy = false
      }
      // It was checked above.
      try? settings.passwordPolicy.change(by: policy)
      for (path, set) in values {
        if let value = changes[path] { set(value, &settings) }
      }
    }
  }

  /// Returns the values inside nested objects by their paths.
  ///
  /// - Parameters:
  ///   - value: the value.
  ///   - path: the path of the value, in which names are separated by dots; empty for the body.
  private static func leaves(of value: JSON, at path: String) -> [String: JSON] {
    guard case .object(let members) = value else { return value == .null ? [:] : [path: value] }
    return members.reduce(into: [:]) { result, member in
      let inner = path.isEmpty ? member.key : "\(path).\(member.key)"
      result.merge(leaves(of: member.value, at: inner)) { $1 }
    }
  }
}

extension AccountService {
  /// Handles `PATCH v2/projects/{project}/config`.
  ///
  /// - Parameter call: the request, whose query may have an `updateMask`.
  /// - Returns: the changed configuration.
  /// - Throws: ``Refusal`` for a setting that the backend doesn't support.
  func changeConfiguration(_ call: AccountCall) throws -> JSON {
    let change = try ProjectConfiguration.change(call.body, mask: call.query["updateMask"])
    changeSettings(change)
    return ProjectConfiguration.wire(of: settings(), projectID: projectID)
  }
}
