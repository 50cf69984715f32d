public import TenonFoundation
import TenonJSON

/// A second factor of a user: a phone number or an authenticator app.
public struct UserMultiFactorInfo: Sendable, Hashable {
  /// The factor's ID; in a request, `nil` for a new one.
  public var uid: String?
  /// The name by which the user recognizes the factor; `nil` if there is none.
  public var displayName: String?
  /// When the factor was enrolled; in a request, now if `nil`.
  public var enrollmentDate: Date?
  /// The number with its country, for example `+15550100`; `nil` for an authenticator app.
  public let phoneNumber: String?

  /// The kind of the factor: `phone` or `totp`.
  public var factorID: String { phoneNumber == nil ? "totp" : "phone" }

  /// Creates a second factor that is a phone number. An authenticator app can only be enrolled by its user.
  ///
  /// - Parameters:
  ///   - phoneNumber: the number with its country, for example `+15550100`.
  ///   - displayName: the name by which the user recognizes the factor.
  ///   - uid: the factor's ID; a new one if `nil`.
  ///   - enrollmentDate: when the factor was enrolled; now if `nil`.
  public init(
    phoneNumber: String, displayName: String? = nil, uid: String? = nil, enrollmentDate: Date? = nil
  ) {
    self.phoneNumber = phoneNumber
    self.displayName = displayName
    self.uid = uid
    self.enrollmentDate = enrollmentDate
  }

  /// Reads an item of `mfaInfo`; `nil` if it is of a kind that this version doesn't know.
  init?(_ wire: JSON) {
    guard let uid = wire["mfaEnrollmentId"]?.string, wire["phoneInfo"] != nil || wire["totpInfo"] != nil
    else {
      return nil
    }
    self.uid = uid
    displayName = wire["displayName"]?.string
    enrollmentDate = wire["enrolledAt"]?.string.flatMap { Date(iso8601: $0) }
    phoneNumber = wire["phoneInfo"]?.string
  }

  /// Returns the factor as an item of `mfaInfo` or of `mfa.enrollments`.
  ///
  /// - Parameter isNew: whether the user is new and has no authenticator app yet. The server chooses the IDs of
  ///   a new user's factors.
  /// - Throws: ``AdminError`` for a number that isn't one, and for an authenticator app of a new user.
  func wire(isNew: Bool) throws(AdminError) -> JSON {
    if let phoneNumber { try UserRules.check(phoneNumber: phoneNumber) }
    guard phoneNumber != nil || !isNew else {
      throw AdminError(
        .argumentError, "An authenticator app is enrolled by its user, who shares its secret. Leave it out.")
    }
    return .members([
      "mfaEnrollmentId": isNew ? nil : .string(uid ?? UUID().uuidString.lowercased()),
      "displayName": displayName.map(JSON.string),
      "enrolledAt": enrollmentDate?.iso8601Milliseconds.map(JSON.string),
      "phoneInfo": phoneNumber.map(JSON.string), "totpInfo": phoneNumber == nil ? [:] : nil,
    ])
  }
}

extension UserRecord {
  /// The second factors of a user.
  public struct MultiFactor: Sendable, Hashable {
    /// The factors that the user has enrolled, or an administrator has set.
    public let enrolledFactors: [UserMultiFactorInfo]
  }
}
