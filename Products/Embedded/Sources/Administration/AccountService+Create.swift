import TenonTransport

extension AccountService {
  /// Handles `accounts:signUp` of an administrator: creates a user without signing in.
  ///
  /// A password without an address is stored; it takes effect when the user gets an address.
  ///
  /// - Parameter call: the request, with the members of a user. `localId` is optional.
  /// - Returns: `localId`, `email` and `displayName` of the user.
  /// - Throws: ``Refusal`` with `DUPLICATE_LOCAL_ID`, `EMAIL_EXISTS`, `PHONE_NUMBER_EXISTS`,
  ///   `INVALID_EMAIL`, `INVALID_PHONE_NUMBER`, or an error of the password or of a second factor.
  func create(_ call: AccountCall) async throws -> JSON {
    let email = try call.text("email").map(Self.checkedEmail)
    let id = call.text("localId")
    let number = try call.text("phoneNumber").flatMap { $0.isEmpty ? nil : try Self.checkedPhoneNumber($0) }
    try await database.read { database in
      if let id, try database.account(id: id) != nil { throw Self.refusal("DUPLICATE_LOCAL_ID") }
      if let email { try Self.checkIsAvailable(email, for: nil, in: database) }
    }
    var hash: String?
    if let password = call.text("password") {
      try Self.check(password: password)
      hash = try await hasher.hash(password, work: passwordWork)
    }
    let now = now()
    var account = Account(id: id ?? RandomText.userID(), now: now)
    account.email = email
    account.emailVerified = call.body["emailVerified"]?.bool ?? false
    account.phoneNumber = number
    account.displayName = call.text("displayName")
    account.photoUrl = call.text("photoUrl")
    account.disabled = call.body["disabled"]?.bool ?? false
    account.lastLoginAt = nil
    if let hash { account.setPassword(hash: hash, now: now) }
    account.secondFactors = try SecondFactor.list(
      call.body["mfaInfo"]?.array ?? [], generatesIDs: true, now: now)
    let created = account
    try await database.transaction { database in
      if try database.account(id: created.localId) != nil { throw Self.refusal("DUPLICATE_LOCAL_ID") }
      if let email { try Self.checkIsAvailable(email, for: nil, in: database) }
      if let number { try Self.checkIsAvailable(phoneNumber: number, for: nil, in: database) }
      try database.save(created)
    }
    return .members([
      "kind": "identitytoolkit#SignupNewUserResponse", "localId": .string(created.localId),
      "email": email.map(JSON.string), "displayName": created.displayName.map(JSON.string),
    ])
  }
}
