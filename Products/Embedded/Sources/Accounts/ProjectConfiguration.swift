import TenonTransport

/// The project's configuration in version 2 of Identity Toolkit: the settings that the backend has.
///
/// In `signIn.email`, `enabled` is ``EmbeddedSettings/passwordSignIn`` and ``EmbeddedSettings/emailLinkSignIn`` together,
/// and `passwordRequired` excludes links alone, as in Firebase projects.
enum ProjectConfiguration {
  static let fields: [String: FieldType] = [
    "signIn": .object([
      "allowDuplicateEmails": .flag, "email": .object(["enabled": .flag, "passwordRequired": .flag]),
      "anonymous": .object(["enabled": .flag]),
    ]),
    "emailPrivacyConfig": .object(["enableImprovedEmailPrivacy": .flag]),
  ]

  /// The flags by their paths, in the order in which they are applied.
  private static let flags: KeyValuePairs<String, @Sendable (Bool, inout EmbeddedSettings) -> Void> = [
    "signIn.allowDuplicateEmails": { $1.duplicateEmails = $0 },
    "emailPrivacyConfig.enableImprovedEmailPrivacy": { $1.emailPrivacy = $0 },
    "signIn.anonymous.enabled": { $1.anonymousSignIn = $0 },
    "signIn.email.passwordRequired": { $1.emailLinkSignIn = !$0 },
    "signIn.email.enabled": { isEnabled, settings in
      settings.passwordSignIn = isEnabled
      if !isEnabled { settings.emailLinkSignIn = false }
    },
  ]

  /// The configuration as `GET v2/projects/{project}/config` answers it.
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
      "blockingFunctions": [:],
    ]
  }

  /// What a `PATCH` does to the settings.
  ///
  /// - Parameters:
  ///   - body: the new values, of the types of ``fields``.
  ///   - mask: the paths to change, separated by commas. A path names everything below it, and is passed over where the
  ///     body has no value for it. When it is missing, everything in the body is changed, and the settings that the Auth
  ///     emulator has get their defaults where the body doesn't give them.
  /// - Throws: ``Refusal`` for a setting that the backend doesn't have.
  static func change(_ body: [String: JSON], mask: String?) throws
    -> @Sendable (inout EmbeddedSettings) -> Void
  {
    let mask = mask.flatMap {
      $0.isEmpty ? nil : $0.split(separator: ",").map { AccountCall.camelCase(String($0)) }
    }
    let values = leaves(of: .object(body), at: "").filter { path, _ in
      path != "name" && (mask?.contains { path == $0 || path.hasPrefix("\($0).") } ?? true)
    }
    let unknown = values.keys.sorted().first { path in !flags.contains { $0.key == path } }
    if let unknown { throw Refusal.unimplemented("the setting \(unknown) of projects") }
    return { settings in
      if mask == nil {
        settings.duplicateEmails = false
        settings.emailPrivacy = false
      }
      for (path, set) in flags {
        if let value = values[path]?.bool { set(value, &settings) }
      }
    }
  }

  /// The values inside of nested objects, by their paths.
  private static func leaves(of value: JSON, at path: String) -> [String: JSON] {
    guard case .object(let members) = value else { return value == .null ? [:] : [path: value] }
    return members.reduce(into: [:]) { result, member in
      let inner = path.isEmpty ? member.key : "\(path).\(member.key)"
      result.merge(leaves(of: member.value, at: inner)) { $1 }
    }
  }
}

extension AccountService {
  func changeConfiguration(_ call: AccountCall) throws -> JSON {
    let change = try ProjectConfiguration.change(call.body, mask: call.query["updateMask"])
    changeSettings(change)
    return ProjectConfiguration.wire(of: settings(), projectID: projectID)
  }
}
