public import TenonFoundation
import TenonJSON

/// The properties of a user to create. Those that are `nil` aren't set.
///
/// ```swift
/// let request = UserRequest(email: "ada@example.com", password: "correct horse", displayName: "Ada")
/// let user = try await admin.createUser(request)
/// ```
public struct UserRequest: Sendable, Hashable {
  /// The user's ID, of 1 to 128 characters; the server chooses one if `nil`.
  public var uid: String?
  /// The user's email address.
  public var email: String?
  /// Whether the user has proved to have the address; `false` if `nil`.
  public var isEmailVerified: Bool?
  /// The user's name.
  public var displayName: String?
  /// The URL of the user's picture.
  public var photoURL: URL?
  /// The user's phone number with its country, for example `+15550100`.
  public var phoneNumber: String?
  /// Whether the user is prevented from signing in; `false` if `nil`.
  public var isDisabled: Bool?
  /// The user's second factors: phone numbers, whose IDs the server chooses.
  public var enrolledFactors: [UserMultiFactorInfo]
  private var secret: Secret?

  /// The user's password, of at least six characters. A dump of the request doesn't show it.
  public var password: String? {
    get { secret?.value }
    set { secret = newValue.map { Secret($0) } }
  }

  /// Creates a request. Each parameter sets the property of the same name.
  public init(
    uid: String? = nil, email: String? = nil, isEmailVerified: Bool? = nil, password: String? = nil,
    displayName: String? = nil, photoURL: URL? = nil, phoneNumber: String? = nil, isDisabled: Bool? = nil,
    enrolledFactors: [UserMultiFactorInfo] = []
  ) {
    self.uid = uid
    self.email = email
    self.isEmailVerified = isEmailVerified
    self.displayName = displayName
    self.photoURL = photoURL
    self.phoneNumber = phoneNumber
    self.isDisabled = isDisabled
    self.enrolledFactors = enrolledFactors
    self.password = password
  }

  /// Returns the body of the request.
  ///
  /// - Throws: ``AdminError`` for a property that isn't allowed.
  func wire() throws(AdminError) -> JSON {
    if let uid { try UserRules.check(uid: uid) }
    if let email { try UserRules.check(email: email) }
    if let password { try UserRules.check(password: password) }
    if let displayName { try UserRules.check(displayName: displayName) }
    if let photoURL { try UserRules.check(photoURL: photoURL) }
    if let phoneNumber { try UserRules.check(phoneNumber: phoneNumber) }
    var factors: [JSON] = []
    for factor in enrolledFactors { factors.append(try factor.wire(isNew: true)) }
    return .members([
      "mfaInfo": factors.isEmpty ? nil : .array(factors),
      "localId": uid.map(JSON.string), "email": email.map(JSON.string),
      "emailVerified": isEmailVerified.map(JSON.bool), "password": password.map(JSON.string),
      "displayName": displayName.map(JSON.string), "photoUrl": (photoURL?.absoluteString).map(JSON.string),
      "phoneNumber": phoneNumber.map(JSON.string), "disabled": isDisabled.map(JSON.bool),
    ])
  }
}
