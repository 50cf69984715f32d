import TenonFoundation
import TenonJSON

/// A person who has signed in with `gcloud auth application-default login`.
struct AuthorizedUser: Sendable, CustomStringConvertible {
  private let clientID: String
  private let clientSecret: Secret
  private let refreshToken: Secret
  private let tokenURL: URL
  /// The project that pays for the requests; `nil` if the file names none.
  let quotaProject: String?

  /// Reads the file.
  ///
  /// - Parameter place: where the file is, for messages.
  /// - Throws: ``AdminError`` with ``AdminError/Code/invalidCredential``.
  init(_ file: JSON, from place: String) throws(AdminError) {
    guard let clientID = file["client_id"]?.string, let secret = file["client_secret"]?.string,
      let token = file["refresh_token"]?.string, ![clientID, secret, token].contains("")
    else {
      throw CredentialFile.problem(
        "The credential \(place) lacks client_id, client_secret or refresh_token")
    }
    self.clientID = clientID
    clientSecret = Secret(secret)
    refreshToken = Secret(token)
    tokenURL = try CredentialFile.url(
      file["token_uri"]?.string ?? "https://oauth2.googleapis.com/token", named: "token_uri", from: place)
    quotaProject = file["quota_project_id"]?.string
  }

  /// Returns an access token (RFC 6749, section 6).
  func accessToken(_ exchange: TokenExchange) async throws -> AccessToken {
    let form = FormText([
      "grant_type": "refresh_token", "client_id": clientID, "client_secret": clientSecret.value,
      "refresh_token": refreshToken.value,
    ])
    let purpose = "The access token of the user of gcloud"
    let answer = try await exchange.answer(
      TokenExchange.form(tokenURL, form), purpose, hiding: [clientSecret.value, refreshToken.value])
    guard let token = AccessToken(oauth: answer) else { throw TokenExchange.noToken(purpose) }
    return token
  }

  var description: String { "the user of gcloud" }
}
