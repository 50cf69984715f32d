import TenonFoundation
import TenonJSON
import TenonTransport
import TenonValues

/// A second factor of a user: an item of `mfaInfo`. Its members have the names of Identity Toolkit's
/// `MfaEnrollment` (https://cloud.google.com/identity-platform/docs/reference/rest/v1/MfaEnrollment).
struct SecondFactor: Sendable, Hashable, Codable {
  /// What kind of proof a factor requires, as `sign_in_second_factor` of ID tokens names it.
  enum Kind: String, Sendable, Hashable { case phone, totp }

  /// The factor's ID, unique among those of the user.
  var mfaEnrollmentId: String
  /// The name that the user gave the factor.
  var displayName: String?
  /// When the factor was enrolled, in milliseconds since 1970.
  var enrolledAt: Int64
  /// The number to which codes are sent; `nil` for an authenticator app.
  var phoneInfo: String?
  /// The secret that an authenticator app shares, in base32. It never leaves the backend but in an export.
  var sharedSecretKey: String?
  /// The step of the last code of an authenticator app that was accepted.
  var lastStep: Int64?

  /// What kind of proof the factor requires.
  var kind: Kind { phoneInfo == nil ? .totp : .phone }

  /// How many factors a user may have, as in Firebase.
  static let most = 5

  /// The factor as an item of `mfaInfo`.
  ///
  /// - Parameter hidesNumber: whether only the last four digits of the phone number are shown, as to a client
  ///   that has proved only the first factor.
  func wire(hidesNumber: Bool = false) -> JSON {
    .members([
      "mfaEnrollmentId": .string(mfaEnrollmentId), "displayName": displayName.map(JSON.string),
      "enrolledAt": .string(Timestamp(millisecondsSince1970: enrolledAt).iso8601),
      "phoneInfo": phoneInfo.map { .string(hidesNumber ? Self.hidden($0) : $0) },
      "unobfuscatedPhoneInfo": hidesNumber ? nil : phoneInfo.map(JSON.string),
      "totpInfo": kind == .totp ? [:] : nil,
    ])
  }

  /// The factor in an export, with the secret of an authenticator app.
  var exported: JSON {
    var members = wire().object ?? [:]
    if let sharedSecretKey { members["totpInfo"] = ["sharedSecretKey": .string(sharedSecretKey)] }
    return .object(members)
  }

  /// Returns a phone number in which all digits but the last four are asterisks.
  private static func hidden(_ number: String) -> String {
    let shown = number.utf8.count - 4
    return String(number.enumerated().map { $0.offset < shown && $0.element.isNumber ? "*" : $0.element })
  }
}

extension SecondFactor {
  /// The types of the members of a factor in requests of administrators.
  static let fields: [String: FieldType] = [
    "mfaEnrollmentId": .text, "displayName": .text, "enrolledAt": .text, "phoneInfo": .text,
    "totpInfo": .object(["sharedSecretKey": .text]),
  ]

  /// Reads the factors that an administrator gives a user.
  ///
  /// - Parameters:
  ///   - items: the items. Of several with the same number, the first one counts.
  ///   - present: the factors that the user has. An authenticator app among the items without a secret is one
  ///     of them.
  ///   - generatesIDs: whether new IDs replace those of the items.
  ///   - generatesMissingIDs: whether items without an ID get one.
  ///   - now: the time of factors without a time.
  /// - Throws: ``Refusal`` with `INVALID_MFA_PHONE_NUMBER`, `INVALID_MFA_ENROLLMENT_ID`,
  ///   `DUPLICATE_MFA_ENROLLMENT_ID`, `INVALID_MFA_TOTP_SECRET`, `INVALID_MFA_ENROLLED_AT` or
  ///   `SECOND_FACTOR_LIMIT_EXCEEDED`.
  static func list(
    _ items: [JSON], keeping present: [SecondFactor] = [], generatesIDs: Bool = false,
    generatesMissingIDs: Bool = false, now: Timestamp
  ) throws -> [SecondFactor] {
    var (factors, numbers, ids): ([SecondFactor], Set<String>, Set<String>) = ([], [], [])
    for item in items {
      let given = item["mfaEnrollmentId"]?.text ?? ""
      let id = generatesIDs || (generatesMissingIDs && given.isEmpty) ? RandomText.userID() : given
      var factor = SecondFactor(
        mfaEnrollmentId: id, displayName: item["displayName"]?.text, enrolledAt: try time(of: item, or: now))
      let known = present.first { $0.mfaEnrollmentId == id && $0.kind == .totp }
      if let totp = item["totpInfo"], totp != .null {
        factor.sharedSecretKey = totp["sharedSecretKey"]?.text ?? known?.sharedSecretKey
        factor.lastStep = known?.sharedSecretKey == factor.sharedSecretKey ? known?.lastStep : nil
        guard factor.sharedSecretKey.flatMap(OneTimePassword.init(sharedSecretKey:)) != nil else {
          throw AccountService.refusal(
            "INVALID_MFA_TOTP_SECRET", "An authenticator app is enrolled by its user, who shares its secret.")
        }
      } else {
        guard let number = try? AccountService.checkedPhoneNumber(item["phoneInfo"]?.text) else {
          throw AccountService.refusal("INVALID_MFA_PHONE_NUMBER", "Invalid format.")
        }
        guard numbers.insert(number).inserted else { continue }
        factor.phoneInfo = number
      }
      guard !id.isEmpty else {
        throw AccountService.refusal("INVALID_MFA_ENROLLMENT_ID", "mfaEnrollmentId must be defined.")
      }
      guard ids.insert(id).inserted else { throw AccountService.refusal("DUPLICATE_MFA_ENROLLMENT_ID") }
      factors.append(factor)
    }
    guard factors.count <= most else { throw AccountService.refusal("SECOND_FACTOR_LIMIT_EXCEEDED") }
    return factors
  }

  /// Returns the time of an item in milliseconds since 1970.
  private static func time(of item: JSON, or now: Timestamp) throws -> Int64 {
    guard let text = item["enrolledAt"]?.text, !text.isEmpty else { return now.millisecondsSince1970 }
    let milliseconds = Date(iso8601: text).map { ($0.timeIntervalSince1970 * 1_000).rounded() }
    guard let time = milliseconds.flatMap({ Int64(exactly: $0) }),
      (0...Timestamp.last.millisecondsSince1970).contains(time)
    else {
      throw AccountService.refusal("INVALID_MFA_ENROLLED_AT", "enrolledAt must be a time of RFC 3339.")
    }
    return time
  }
}

extension Account {
  /// The user's second factors; empty if there are none.
  var secondFactors: [SecondFactor] {
    get { mfaInfo ?? [] }
    set { mfaInfo = newValue.isEmpty ? nil : newValue }
  }
}

/// The second factor with which a session began.
struct ProvenFactor: Sendable, Hashable {
  /// The kind of the factor, for example `phone`.
  var kind: String
  /// The factor's ID.
  var id: String

  init(_ factor: SecondFactor) {
    kind = factor.kind.rawValue
    id = factor.mfaEnrollmentId
  }

  /// Reads the factor from its text; `nil` if it isn't one.
  init?(_ text: String) {
    let parts = text.split(separator: ":", maxSplits: 1, omittingEmptySubsequences: false)
    guard parts.count == 2 else { return nil }
    (kind, id) = (String(parts[0]), String(parts[1]))
  }

  /// Reads the factor from the claims of an ID token; `nil` if there is none.
  init?(claims: [String: JSON]) {
    guard let kind = claims["firebase"]?["sign_in_second_factor"]?.string,
      let id = claims["firebase"]?["second_factor_identifier"]?.string
    else { return nil }
    (self.kind, self.id) = (kind, id)
  }

  /// The text in which a session stores the factor.
  var text: String { "\(kind):\(id)" }
}
