public import TenonFoundation
import TenonJSON

/// The changes to a user. Properties that are `nil` keep their values; ``cleared`` names those to remove.
///
/// ```swift
/// let update = UserUpdate(displayName: "Countess", clearing: [.photoURL])
/// let user = try await admin.updateUser(withUID: "ada", update)
/// ```
public struct UserUpdate: Sendable, Hashable {
  /// The new email address, which is unverified unless ``isEmailVerified`` is set, too.
  public var email: String?
  /// Whether the user has proved to have the address.
  public var isEmailVerified: Bool?
  /// The new name.
  public var displayName: String?
  /// The new URL of the picture.
  public var photoURL: URL?
  /// The new phone number with its country, for example `+15550100`.
  public var phoneNumber: String?
  /// Whether the user is prevented from signing in.
  public var isDisabled: Bool?
  /// The properties to remove.
  public var cleared: Set<Property>
  /// An identity at a provider that the user gets.
  public var providerToLink: UserProvider?
  /// The IDs of the providers whose identities the user loses. `password` removes the email address, too, and
  /// `phone` the phone number.
  public var providersToUnlink: Set<String>
  /// The second factors that replace those of the user; none of them remains if it is empty, and all do if it
  /// is `nil`. An authenticator app of ``UserRecord/multiFactor`` may be among them, a new one may not.
  public var enrolledFactors: [UserMultiFactorInfo]?
  private var secret: Secret?

  /// A property that can be removed.
  public struct Property: RawRepresentable, Sendable, Hashable {
    /// The name of the property.
    public let rawValue: String

    /// Creates a property from its name. Those that this version doesn't define are refused.
    public init(rawValue: String) { self.rawValue = rawValue }

    /// The user's name.
    public static let displayName = Property(rawValue: "displayName")
    /// The URL of the user's picture.
    public static let photoURL = Property(rawValue: "photoURL")
    /// The user's phone number.
    public static let phoneNumber = Property(rawValue: "phoneNumber")
  }

  /// The new password, of at least six characters. A dump of the update doesn't show it. Setting it ends the
  /// user's sessions.
  public var password: String? {
    get { secret?.value }
    set { secret = newValue.map { Secret($0) } }
  }

  /// Creates an update. Each parameter sets the property of the same name, and `clearing` sets ``cleared``.
  public init(
    email: String? = nil, isEmailVerified: Bool? = nil, password: String? = nil, displayName: String? = nil,
    photoURL: URL? = nil, phoneNumber: String? = nil, isDisabled: Bool? = nil,
    clearing cleared: Set<Property> = [], providerToLink: UserProvider? = nil,
    providersToUnlink: Set<String> = [], enrolledFactors: [UserMultiFactorInfo]? = nil
  ) {
    self.email = email
    self.isEmailVerified = isEmailVerified
    self.displayName = displayName
    self.photoURL = photoURL
    self.phoneNumber = phoneNumber
    self.isDisabled = isDisabled
    self.cleared = cleared
    self.providerToLink = providerToLink
    self.providersToUnlink = providersToUnlink
    self.enrolledFactors = enrolledFactors
    self.password = password
  }

  /// Returns the members of the request without the user's ID.
  ///
  /// - Throws: ``AdminError`` for a property that isn't allowed, or that is set and cleared.
  func wire() throws(AdminError) -> [String: JSON] {
    if let email { try UserRules.check(email: email) }
    if let password { try UserRules.check(password: password) }
    if let displayName { try UserRules.check(displayName: displayName) }
    if let photoURL { try UserRules.check(photoURL: photoURL) }
    if let phoneNumber { try UserRules.check(phoneNumber: phoneNumber) }
    for id in providersToUnlink { try UserRules.check(providerID: id) }
    try checkCleared()
    var members: [String: JSON] = [:]
    members["email"] = email.map(JSON.string)
    members["emailVerified"] = isEmailVerified.map(JSON.bool)
    members["password"] = password.map(JSON.string)
    members["displayName"] = displayName.map(JSON.string)
    members["photoUrl"] = (photoURL?.absoluteString).map(JSON.string)
    members["phoneNumber"] = phoneNumber.map(JSON.string)
    members["disableUser"] = isDisabled.map(JSON.bool)
    let attributes = Self.attributes.filter { cleared.contains($0.property) }.map { JSON.string($0.name) }
    if !attributes.isEmpty { members["deleteAttribute"] = .array(attributes) }
    let providers = providersToUnlink.union(cleared.contains(.phoneNumber) ? ["phone"] : [])
    if !providers.isEmpty { members["deleteProvider"] = .array(providers.sorted().map(JSON.string)) }
    if let providerToLink { members["linkProviderUserInfo"] = try linked(providerToLink) }
    if let enrolledFactors {
      var factors: [JSON] = []
      for factor in enrolledFactors { factors.append(try factor.wire(isNew: false)) }
      members["mfa"] = ["enrollments": .array(factors)]
    }
    return members
  }

  /// The properties that the server removes by names of their own.
  private static let attributes: [(property: Property, name: String)] = [
    (.displayName, "DISPLAY_NAME"), (.photoURL, "PHOTO_URL"),
  ]

  private func checkCleared() throws(AdminError) {
    let set: [Property: Bool] = [
      .displayName: displayName != nil, .photoURL: photoURL != nil,
      .phoneNumber: phoneNumber != nil,
    ]
    for property in cleared.sorted(by: { $0.rawValue < $1.rawValue }) {
      guard let isSet = set[property] else {
        throw AdminError(.argumentError, "The property \(property.rawValue) of a user can't be cleared.")
      }
      guard !isSet else {
        throw AdminError(
          .argumentError, "The property \(property.rawValue) can't be set and cleared in one update.")
      }
    }
  }

  private func linked(_ provider: UserProvider) throws(AdminError) -> JSON {
    switch provider.providerID {
    case "password", "email":
      throw AdminError(.argumentError, "A password isn't linked. Set email and password of the update.")
    case "phone":
      throw AdminError(.argumentError, "A phone number isn't linked. Set phoneNumber of the update.")
    default: break
    }
    guard !providersToUnlink.contains(provider.providerID) else {
      throw AdminError(
        .argumentError, "The provider \(provider.providerID) can't be linked and unlinked in one update.")
    }
    return try provider.wire()
  }
}
