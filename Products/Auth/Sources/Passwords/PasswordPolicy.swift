/// What the passwords of a project or a tenant must be like
/// (https://cloud.google.com/identity-platform/docs/password-policy).
public struct PasswordPolicy: Sendable, Hashable {
  /// The requirements, of which those that are `nil` or `false` don't exist.
  public struct CustomStrengthOptions: Sendable, Hashable {
    /// The least number of UTF-16 code units.
    public let minPasswordLength: Int?
    /// The greatest number of UTF-16 code units.
    public let maxPasswordLength: Int?
    /// Whether a letter from `a` to `z` is required.
    public let containsLowercaseLetter: Bool
    /// Whether a letter from `A` to `Z` is required.
    public let containsUppercaseLetter: Bool
    /// Whether a digit from `0` to `9` is required.
    public let containsNumericCharacter: Bool
    /// Whether one of ``PasswordPolicy/allowedNonAlphanumericCharacters`` is required.
    public let containsNonAlphanumericCharacter: Bool
  }

  /// The requirements.
  public let customStrengthOptions: CustomStrengthOptions
  /// The characters that count as neither letters nor digits.
  public let allowedNonAlphanumericCharacters: String
  /// `ENFORCE` if the server refuses new passwords that don't meet the requirements, otherwise `OFF`.
  public let enforcementState: String
  /// Whether users whose password doesn't meet the requirements can't sign in with it.
  public let forceUpgradeOnSignin: Bool
}

/// Which requirements of a ``PasswordPolicy`` a password meets. A requirement that the policy doesn't have is `nil`.
public struct PasswordValidationStatus: Sendable, Hashable {
  /// Whether the password meets all requirements.
  public let isValid: Bool
  /// Whether the password is long enough.
  public let meetsMinPasswordLength: Bool?
  /// Whether the password isn't too long.
  public let meetsMaxPasswordLength: Bool?
  /// Whether the password has a letter from `a` to `z`.
  public let containsLowercaseLetter: Bool?
  /// Whether the password has a letter from `A` to `Z`.
  public let containsUppercaseLetter: Bool?
  /// Whether the password has a digit from `0` to `9`.
  public let containsNumericCharacter: Bool?
  /// Whether the password has one of the policy's other characters.
  public let containsNonAlphanumericCharacter: Bool?
  /// The policy.
  public let passwordPolicy: PasswordPolicy

  /// Checks a password.
  init(_ password: String, _ policy: PasswordPolicy) {
    let options = policy.customStrengthOptions
    let scalars = password.unicodeScalars
    func contains(_ isRequired: Bool, _ matches: (Unicode.Scalar) -> Bool) -> Bool? {
      isRequired ? scalars.contains(where: matches) : nil
    }
    let others = Set(policy.allowedNonAlphanumericCharacters.unicodeScalars)
    let length = password.utf16.count
    meetsMinPasswordLength = options.minPasswordLength.map { length >= $0 }
    meetsMaxPasswordLength = options.maxPasswordLength.map { length <= $0 }
    containsLowercaseLetter = contains(options.containsLowercaseLetter) { ("a"..."z").contains($0) }
    containsUppercaseLetter = contains(options.containsUppercaseLetter) { ("A"..."Z").contains($0) }
    containsNumericCharacter = contains(options.containsNumericCharacter) { ("0"..."9").contains($0) }
    containsNonAlphanumericCharacter = contains(options.containsNonAlphanumericCharacter, others.contains)
    isValid = ![
      meetsMinPasswordLength, meetsMaxPasswordLength, containsLowercaseLetter, containsUppercaseLetter,
      containsNumericCharacter, containsNonAlphanumericCharacter,
    ].contains(false)
    passwordPolicy = policy
  }
}

/// The answer of `passwordPolicy`, version 2 of Identity Toolkit.
struct PasswordPolicyResponse: Decodable {
  /// The version of the schema that this library knows.
  private static let schemaVersion = 1

  struct Options: Decodable {
    var minPasswordLength: Int?
    var maxPasswordLength: Int?
    var containsLowercaseCharacter: Bool?
    var containsUppercaseCharacter: Bool?
    var containsNumericCharacter: Bool?
    var containsNonAlphanumericCharacter: Bool?
  }

  var customStrengthOptions: Options?
  var allowedNonAlphanumericCharacters: [String]?
  var enforcementState: String?
  var forceUpgradeOnSignin: Bool?
  var schemaVersion: Int

  /// The policy.
  ///
  /// - Throws: ``AuthError`` with ``AuthError/Code/unsupportedPasswordPolicySchemaVersion``.
  var policy: PasswordPolicy {
    get throws {
      guard schemaVersion == Self.schemaVersion else {
        throw AuthError(
          .unsupportedPasswordPolicySchemaVersion,
          "The password policy has the schema version \(schemaVersion), which this version of the library doesn't know. "
            + "Update it, or let the server check passwords.")
      }
      // Zero is no requirement, as in Firebase.
      func length(_ value: Int?) -> Int? { value == 0 ? nil : value }
      return PasswordPolicy(
        customStrengthOptions: PasswordPolicy.CustomStrengthOptions(
          minPasswordLength: length(customStrengthOptions?.minPasswordLength),
          maxPasswordLength: length(customStrengthOptions?.maxPasswordLength),
          containsLowercaseLetter: customStrengthOptions?.containsLowercaseCharacter ?? false,
          containsUppercaseLetter: customStrengthOptions?.containsUppercaseCharacter ?? false,
          containsNumericCharacter: customStrengthOptions?.containsNumericCharacter ?? false,
          containsNonAlphanumericCharacter: customStrengthOptions?.containsNonAlphanumericCharacter ?? false),
        allowedNonAlphanumericCharacters: (allowedNonAlphanumericCharacters ?? []).joined(),
        // An absent value is the default one, as in Firebase's kit for JavaScript.
        enforcementState: enforcementState == "ENFORCE" ? "ENFORCE" : "OFF",
        forceUpgradeOnSignin: forceUpgradeOnSignin ?? false)
    }
  }
}
