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
      guard !settings.duplicateEmails else { return owner }
      return try owner + database.accounts(providerEmail: email).filter { !owner.contains($0) }
    }
    var providers: [String] = []
    var methods: [String] = []
    for user in users {
      if user.email == email {
        if user.passwordHash != nil { methods.append("password") }
        if user.emailLinkSignin == true { methods.append("emailLink") }
        if user.passwordHash != nil || user.emailLinkSignin == true { providers.append("password") }
      }
      guard !settings.duplicateEmails else { continue }
      for provider in user.federated.map(\.providerId) where !providers.contains(provider) {
        providers.append(provider)
        methods.append(provider)
      }
    }
    return .members([
      "kind": kind, "sessionId": session, "registered": .bool(!users.isEmpty),
      "allProviders": providers.isEmpty ? nil : .array(providers.map(JSON.string)),
      "signinMethods": methods.isEmpty ? nil : .array(methods.map(JSON.string)),
    ])
  }
}
