public import TenonFoundation

/// A second factor that a user has enrolled: a ``PhoneMultiFactorInfo`` or a ``TOTPMultiFactorInfo``.
public protocol MultiFactorInfo: Sendable {
  /// The factor's identifier, unique among those of the user.
  var uid: String { get }
  /// The name that the user gave the factor; `nil` if there is none.
  var displayName: String? { get }
  /// When the factor was enrolled, by the server's clock.
  var enrollmentDate: Date { get }
  /// The kind of the factor: ``PhoneMultiFactorInfo/PhoneMultiFactorID`` or
  /// ``PhoneMultiFactorInfo/TOTPMultiFactorID``.
  var factorID: String { get }
}

/// A phone number as a second factor.
public struct PhoneMultiFactorInfo: MultiFactorInfo, Hashable {
  // swift-format-ignore: AlwaysUseLowerCamelCase
  /// The kind of second factors that are phone numbers, `phone`.
  public static let PhoneMultiFactorID = "phone"
  // swift-format-ignore: AlwaysUseLowerCamelCase
  /// The kind of second factors that are authenticator apps, `totp`.
  public static let TOTPMultiFactorID = "totp"

  /// The factor's identifier, unique among those of the user.
  public let uid: String
  /// The name that the user gave the factor; `nil` if there is none.
  public let displayName: String?
  /// When the factor was enrolled, by the server's clock.
  public let enrollmentDate: Date
  /// The number. During a sign-in, all digits but the last four are asterisks.
  public let phoneNumber: String

  /// `phone`.
  public var factorID: String { Self.PhoneMultiFactorID }
}

/// An authenticator app as a second factor.
public struct TOTPMultiFactorInfo: MultiFactorInfo, Hashable {
  /// The factor's identifier, unique among those of the user.
  public let uid: String
  /// The name that the user gave the factor; `nil` if there is none.
  public let displayName: String?
  /// When the factor was enrolled, by the server's clock.
  public let enrollmentDate: Date

  /// `totp`.
  public var factorID: String { PhoneMultiFactorInfo.TOTPMultiFactorID }
}

/// A second factor in the form in which a session stores it.
struct EnrolledFactor: Sendable, Hashable, Codable {
  var uid: String
  var displayName: String?
  var enrollmentDate: Date?
  /// The number; `nil` for an authenticator app.
  var phoneNumber: String?

  /// The factor as apps see it.
  var info: any MultiFactorInfo {
    let date = enrollmentDate ?? Date(timeIntervalSince1970: 0)
    guard let phoneNumber else {
      return TOTPMultiFactorInfo(uid: uid, displayName: displayName, enrollmentDate: date)
    }
    return PhoneMultiFactorInfo(
      uid: uid, displayName: displayName, enrollmentDate: date, phoneNumber: phoneNumber)
  }
}
