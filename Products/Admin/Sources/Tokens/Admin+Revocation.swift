import TenonFoundation
import TenonJSON
import TenonTransport
import TenonTransportInterop

/// Whether tokens were revoked, which only the server knows.
extension Admin {
  private struct Lookup: Encodable {
    var localId: [String]
    var tenantId: String?
  }

  /// The account, with the members that matter here.
  private struct Account: Decodable {
    var localId: String
    var disabled: Bool?
    /// Seconds since 1970, as text: tokens of earlier sign-ins are revoked.
    var validSince: String?
  }

  private struct Accounts: Decodable {
    var users: [Account]?
  }

  /// Checks that the user of a verified token still exists, isn't disabled, and hasn't been signed out
  /// everywhere since the sign-in.
  ///
  /// - Parameter revoked: the code of a token that was revoked.
  func check(_ token: DecodedIDToken, revoked: AdminError.Code) async throws {
    guard let account = try await lookup(token.uid, tenant: token.tenantID) else {
      throw AdminError(.userNotFound, "The user of the token no longer exists. They must sign in again.")
    }
    guard account.disabled != true else {
      throw AdminError(.userDisabled, "An administrator has disabled the user of the token.")
    }
    guard let since = account.validSince else { return }
    guard let since = Double(decimal: since) else {
      throw AdminError(.internalError, "The server says since when tokens are valid, but not as a number.")
    }
    guard token.authDate.timeIntervalSince1970 >= since else {
      throw AdminError(
        revoked, "The token was revoked. The user must sign in again.", claim: "auth_time")
    }
  }

  /// Returns the account of a user; `nil` if there is none.
  private func lookup(_ uid: String, tenant: String?) async throws -> Account? {
    let token = hasUnsignedTokens ? Secret("owner") : try await account.accessToken()
    guard let accounts else {
      throw AdminError(
        .argumentError, "The host of the Auth emulator isn't \"host:port\". Check AppOptions.backend.")
    }
    var request = try TransportRequest.json(
      .post, accounts.appending(path: "accounts:lookup"), Lookup(localId: [uid], tenantId: tenant),
      headers: HTTPHeaders([HTTPHeader(name: "Authorization", value: "Bearer \(token.value)")]))
    request.deadline = .seconds(30)
    request.limits.bodyBytes = 4 << 20
    let response: TransportResponse
    do { response = try await client.send(request, repeatable: true) } catch let error as TransportError {
      throw AdminError(
        .networkError, "The server for accounts can't be asked about the token: \(error.message)",
        underlying: error)
    }
    guard response.isSuccess, let answer = try? response.json().decode(Accounts.self) else {
      let message = try? response.hiding([token.value]).json()["error"]?["message"]?.string
      let isDenied = [401, 403].contains(response.status)
      throw AdminError(
        isDenied ? .invalidCredential : .internalError,
        "The server for accounts answered with status \(response.status): \(message ?? "it gives no reason")."
      )
    }
    return answer.users?.first { $0.localId == uid }
  }
}
