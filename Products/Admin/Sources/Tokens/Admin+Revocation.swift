import TenonFoundation
import TenonJSON

/// Whether tokens were revoked, which only the server knows.
extension Admin {
  /// Checks that the user of a verified token still exists, isn't disabled, and hasn't been signed out
  /// everywhere since the sign-in.
  ///
  /// - Parameter revoked: the code of a token that was revoked.
  func check(_ token: DecodedIDToken, revoked: AdminError.Code) async throws {
    let query = JSON.members(["localId": [.string(token.uid)], "tenantId": token.tenantID.map(JSON.string)])
    let answer = try await send(
      ServerRequest(suffix: "/accounts:lookup", body: query, isRepeatable: true))
    guard let user = answer["users"]?.array?.first(where: { $0["localId"]?.string == token.uid }) else {
      throw AdminError(.userNotFound, "The user of the token no longer exists. They must sign in again.")
    }
    guard user["disabled"]?.bool != true else {
      throw AdminError(.userDisabled, "An administrator has disabled the user of the token.")
    }
    guard let since = user["validSince"] else { return }
    guard let since = since.text.flatMap({ Double(decimal: $0) }) else {
      throw AdminError(.internalError, "The server says since when tokens are valid, but not as a number.")
    }
    guard token.authDate.timeIntervalSince1970 >= since else {
      throw AdminError(
        revoked, "The token was revoked. The user must sign in again.", claim: "auth_time")
    }
  }
}
