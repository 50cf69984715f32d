import TenonJSON

/// What identifies a user in ``Admin/getUsers(_:)``.
public struct UserIdentifier: Sendable, Hashable, CustomStringConvertible {
  private enum Kind: Hashable {
    case uid(String)
    case email(String)
    case phoneNumber(String)
    case provider(id: String, uid: String)
  }

  private let kind: Kind

  /// Returns the identifier of the user with an ID.
  public static func uid(_ uid: String) -> UserIdentifier { UserIdentifier(kind: .uid(uid)) }
  /// Returns the identifier of the user with an email address, in any case.
  public static func email(_ email: String) -> UserIdentifier { UserIdentifier(kind: .email(email)) }
  /// Returns the identifier of the user with a phone number, for example `+15550100`.
  public static func phoneNumber(_ phoneNumber: String) -> UserIdentifier {
    UserIdentifier(kind: .phoneNumber(phoneNumber))
  }

  /// Returns the identifier of the user with an identity at a provider.
  ///
  /// - Parameters:
  ///   - providerID: the provider's ID, for example `google.com`.
  ///   - uid: the user's ID at the provider.
  public static func provider(_ providerID: String, uid: String) -> UserIdentifier {
    switch providerID {
    case "phone": .phoneNumber(uid)
    case "email", "password": .email(uid)
    default: UserIdentifier(kind: .provider(id: providerID, uid: uid))
    }
  }

  /// The member of a lookup that has such identifiers.
  var member: String {
    switch kind {
    case .uid: "localId"
    case .email: "email"
    case .phoneNumber: "phoneNumber"
    case .provider: "federatedUserId"
    }
  }

  /// Returns the element of a lookup's member.
  ///
  /// - Throws: ``AdminError`` if no user can have the identifier.
  func wire() throws(AdminError) -> JSON {
    switch kind {
    case .uid(let uid):
      try UserRules.check(uid: uid)
      return .string(uid)
    case .email(let email):
      try UserRules.check(email: email)
      return .string(email)
    case .phoneNumber(let number):
      try UserRules.check(phoneNumber: number)
      return .string(number)
    case .provider(let id, let uid):
      try UserRules.check(providerID: id)
      guard !uid.isEmpty else { throw AdminError(.invalidUID, "The user's ID at \(id) is empty. Set it.") }
      return ["providerId": .string(id), "rawId": .string(uid)]
    }
  }

  /// Returns whether a user has the identifier.
  func identifies(_ user: UserRecord) -> Bool {
    switch kind {
    case .uid(let uid): user.uid == uid
    case .email(let email): user.email?.lowercased() == email.lowercased()
    // The server removes spaces and punctuation.
    case .phoneNumber(let number): user.phoneNumber?.filter(\.isNumber) == number.filter(\.isNumber)
    case .provider(let id, let uid): user.providerData.contains { $0.providerID == id && $0.uid == uid }
    }
  }

  /// The kind of the identifier and its value.
  public var description: String {
    switch kind {
    case .uid(let uid): "the ID \(uid)"
    case .email(let email): "the email address \(email)"
    case .phoneNumber(let number): "the phone number \(number)"
    case .provider(let id, let uid): "the ID \(uid) at \(id)"
    }
  }
}

/// The users of ``Admin/getUsers(_:)``.
public struct GetUsersResult: Sendable, Hashable {
  /// The users that were found, each once, in no particular order.
  public let users: [UserRecord]
  /// The identifiers that no user has, in their order.
  public let notFound: [UserIdentifier]
}
