import TenonTransport

extension AccountService {
  /// Handles `accounts:createAuthUri`: returns the sign-in methods of the user of an address. With
  /// ``EmbeddedSettings/emailPrivacy``, returns none.
  ///
  /// - Parameter call: the request, with `identifier`, which is an address, and `continueUri`.
  /// - Returns: `registered`, `allProviders` and `signinMethods`, and a session ID for a redirection.
  /// - Throws: ``Refusal`` with `MISSING_IDENTIFIER`, `INVALID_IDENTIFIER`, `MISSING_CONTINUE_URI` or
  ///   `INVALID_CONTINUE_URI`.
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
    // If several users can have the same address, an identity at a provider doesn't determine whose address
    // it is.
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
  /// The methods by which the user signs in with the account's own address: `password` and `emailLink`.
  /// Either of them makes `password` one of the user's providers.
  fileprivate var emailMethods: [String] {
    guard email != nil else { return [] }
    return (passwordHash == nil ? [] : ["password"]) + (emailLinkSignin == true ? ["emailLink"] : [])
  }
}
