import TenonTransport

/// What the passwords of a project or a tenant must be like: the `passwordPolicyConfig` of version 2 of Identity
/// Toolkit (https://cloud.google.com/identity-platform/docs/password-policy).
///
/// It applies to passwords that users set when they sign up, change or reset them. Administrators aren't bound.
struct PasswordPolicy: Sendable, Hashable, Codable {
  /// Whether passwords that don't meet the policy are refused (`ENFORCE`).
  var isEnforced = false
  /// Whether users whose password doesn't meet it can't sign in with it.
  var forcesUpgrade = false
  /// The least number of characters.
  var leastLength = 6
  /// The greatest number of characters.
  var greatestLength = PasswordHasher.longestPassword
  /// Whether a lower-case letter is required.
  var lowercase = false
  /// Whether an upper-case letter is required.
  var uppercase = false
  /// Whether a digit is required.
  var digit = false
  /// Whether one of the other characters is required.
  var other = false

  /// The characters that count as neither letters nor digits, as in Firebase.
  private static let others = #"^$*.[]{}()?"!@#%&/\,><':;|_~"#

  /// Returns the requirements that a password doesn't meet, in the words of Firebase's error; none if the policy
  /// isn't enforced.
  func missing(in password: String) -> [String] {
    guard isEnforced else { return [] }
    let units = password.unicodeScalars
    var missing: [String] = []
    func require(_ isRequired: Bool, _ what: String, _ matches: (Unicode.Scalar) -> Bool) {
      if isRequired, !units.contains(where: matches) { missing.append("Password must contain \(what)") }
    }
    if password.utf16.count < leastLength {
      missing.append("Password must contain at least \(leastLength) characters")
    }
    if password.utf16.count > greatestLength {
      missing.append("Password may contain at most \(greatestLength) characters")
    }
    require(lowercase, "a lower case character") { ("a"..."z").contains($0) }
    require(uppercase, "an upper case character") { ("A"..."Z").contains($0) }
    require(digit, "a numeric character") { ("0"..."9").contains($0) }
    require(other, "a non-alphanumeric character") { Self.others.unicodeScalars.contains($0) }
    return missing
  }

  /// The policy as clients read it, to check a password before it is sent.
  var wire: JSON {
    [
      "customStrengthOptions": options, "enforcementState": .string(isEnforced ? "ENFORCE" : "OFF"),
      "forceUpgradeOnSignin": .bool(forcesUpgrade), "schemaVersion": 1,
      "allowedNonAlphanumericCharacters": .array(Self.others.map { .string(String($0)) }),
    ]
  }

  /// The policy as administrators read and write it.
  var configuration: JSON {
    [
      "passwordPolicyEnforcementState": .string(isEnforced ? "ENFORCE" : "OFF"),
      "forceUpgradeOnSignin": .bool(forcesUpgrade),
      "passwordPolicyVersions": [["customStrengthOptions": options, "schemaVersion": 1]],
    ]
  }

  private var options: JSON {
    [
      "minPasswordLength": .int(Int64(clamping: leastLength)),
      "maxPasswordLength": .int(Int64(clamping: greatestLength)),
      "containsLowercaseCharacter": .bool(lowercase), "containsUppercaseCharacter": .bool(uppercase),
      "containsNumericCharacter": .bool(digit), "containsNonAlphanumericCharacter": .bool(other),
    ]
  }
}

extension PasswordPolicy {
  /// The type of a `passwordPolicyConfig`.
  static let type = FieldType.object([
    "passwordPolicyEnforcementState": .text, "forceUpgradeOnSignin": .flag, "lastUpdateTime": .text,
    "passwordPolicyVersions": .list(
      .object([
        "schemaVersion": .integer,
        "customStrengthOptions": .object([
          "minPasswordLength": .integer, "maxPasswordLength": .integer, "containsLowercaseCharacter": .flag,
          "containsUppercaseCharacter": .flag, "containsNumericCharacter": .flag,
          "containsNonAlphanumericCharacter": .flag,
        ]),
      ])),
  ])

  /// Applies the members of a `passwordPolicyConfig`. A list of versions has one, whose absent options are those
  /// of a policy without requirements.
  ///
  /// - Throws: ``Refusal`` with `INVALID_CONFIG`.
  mutating func change(by configuration: JSON) throws {
    if let state = configuration["passwordPolicyEnforcementState"]?.text {
      guard ["ENFORCE", "OFF", "PASSWORD_POLICY_ENFORCEMENT_STATE_UNSPECIFIED"].contains(state) else {
        throw AccountService.refusal("INVALID_CONFIG", "passwordPolicyEnforcementState is ENFORCE or OFF.")
      }
      isEnforced = state == "ENFORCE"
    }
    if let flag = configuration["forceUpgradeOnSignin"]?.bool { forcesUpgrade = flag }
    guard let versions = configuration["passwordPolicyVersions"]?.array else { return }
    guard versions.count <= 1 else {
      throw AccountService.refusal("INVALID_CONFIG", "passwordPolicyVersions has one element.")
    }
    let options = versions.first?["customStrengthOptions"] ?? [:]
    let none = PasswordPolicy()
    let least = try Self.length(options["minPasswordLength"], in: 6...30) ?? none.leastLength
    // The bounds are those of Firebase, whose greatest value means that there is no limit beyond that of the hash function.
    let greatest = try Self.length(options["maxPasswordLength"], in: 6...4_096) ?? none.greatestLength
    guard least <= greatest else {
      throw AccountService.refusal("INVALID_CONFIG", "maxPasswordLength is less than minPasswordLength.")
    }
    leastLength = least
    greatestLength = min(greatest, none.greatestLength)
    lowercase = options["containsLowercaseCharacter"]?.bool ?? false
    uppercase = options["containsUppercaseCharacter"]?.bool ?? false
    digit = options["containsNumericCharacter"]?.bool ?? false
    other = options["containsNonAlphanumericCharacter"]?.bool ?? false
  }

  /// Returns a length; `nil` if it is absent or zero.
  private static func length(_ value: JSON?, in range: ClosedRange<Int64>) throws -> Int? {
    guard let length = value?.integer, length != 0 else { return nil }
    guard range.contains(length) else {
      throw AccountService.refusal(
        "INVALID_CONFIG", "A length of passwords is from \(range.lowerBound) to \(range.upperBound).")
    }
    return Int(clamping: length)
  }
}

extension AccountService {
  /// Checks that a user can set a password.
  ///
  /// - Throws: ``Refusal`` with `PASSWORD_DOES_NOT_MEET_REQUIREMENTS`, or the errors of ``check(password:)``.
  func checkNew(password: String) throws {
    if !password.isEmpty { try checkMeetsPolicy(password) }
    try Self.check(password: password)
  }

  /// Checks that a password with which a user signs in needn't be changed first.
  ///
  /// - Throws: ``Refusal`` with `PASSWORD_DOES_NOT_MEET_REQUIREMENTS`.
  func checkSignIn(password: String) throws {
    if settings().passwordPolicy.forcesUpgrade { try checkMeetsPolicy(password) }
  }

  private func checkMeetsPolicy(_ password: String) throws {
    let missing = settings().passwordPolicy.missing(in: password)
    guard missing.isEmpty else {
      throw Self.refusal(
        "PASSWORD_DOES_NOT_MEET_REQUIREMENTS",
        "Missing password requirements: [\(missing.joined(separator: ", "))]")
    }
  }
}
