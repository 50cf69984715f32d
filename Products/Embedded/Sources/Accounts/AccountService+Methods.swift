import TenonTransport

extension AccountService {
  /// `accounts:createAuthUri`: the ways in which the user of an address signs in.
  func signInMethods(_ call: AccountCall) async throws -> JSON {
    guard let identifier = call.text("identifier"), !identifier.isEmpty else {
      throw Self.refusal("MISSING_IDENTIFIER")
    }
    guard let url = call.text("continueUri"), !url.isEmpty else { throw Self.refusal("MISSING_CONTINUE_URI") }
    guard let email = try? Self.checkedEmail(identifier) else { throw Self.refusal("INVALID_IDENTIFIER") }
    guard Self.isAbsolute(url) else { throw Self.refusal("INVALID_CONTINUE_URI") }
    let session: JSON = .string(call.text("sessionId") ?? RandomText.make(count: 27))
    let kind: JSON = "identitytoolkit#CreateAuthUriResponse"
    let settings = settings()
    guard !settings.emailPrivacy else { return ["kind": kind, "sessionId": session] }
    let users = try await database.read { database in
      let owner = try database.account(email: email).map { [$0] } ?? []
      return try owner + database.accounts(providerEmail: email).filter { !owner.contains($0) }
    }
    // Where addresses may repeat, an identity at a provider says nothing about who has the address.
    let user = settings.duplicateEmails ? users.first { $0.email != nil } : users.first
    let federated = settings.duplicateEmails ? [] : user?.federated.map(\.providerId) ?? []
    let own = user?.emailMethods ?? []
    let providers = (own.isEmpty ? [] : ["password"]) + federated
    return [
      "kind": kind, "sessionId": session, "registered": .bool(user != nil),
      "allProviders": .array(providers.map(JSON.string)),
      "signinMethods": .array((own + federated).map(JSON.string)),
    ]
  }
}

extension Account {
  /// How the user signs in with the account's address: `password`, `emailLink`, both or neither. Either makes
  /// `password` one of the user's providers.
  fileprivate var emailMethods: [String] {
    guard email != nil else { return [] }
    return (passwordHash == nil ? [] : ["password"]) + (emailLinkSignin == true ? ["emailLink"] : [])
  }
}
