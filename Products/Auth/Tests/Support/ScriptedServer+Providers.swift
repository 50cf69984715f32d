import Foundation
import TenonCore
import TenonFoundation
import TenonTransportInterop

extension ScriptedServer {
  /// Returns the last request for a method; `nil` if there was none.
  func request(_ method: String) -> TransportRequest? {
    state.withLock { state in state.requests.last { $0.url.lastPathComponent.hasSuffix(method) } }
  }
}

extension ScriptedServer.State {
  /// Answers sign-ins without a password of this server. A token's text is the user's identifier at the
  /// provider.
  mutating func answerForeign(_ method: String, _ body: [String: String], named: Int?) -> [String: Any] {
    switch method {
    case "signInWithCustomToken":
      return signedIn("custom", body["token"] ?? "", named: nil)
    case "signInWithEmailLink":
      let email = body["email"] ?? ""
      guard body["oobCode"] == "code" else { return ["error": ["message": "INVALID_OOB_CODE"]] }
      let answer = signedIn("password", email, named: named)
      if let user = users.firstIndex(where: { $0.identities["password"] == email }) {
        users[user].email = email
      }
      return answer
    case "signInWithIdp":
      let fields = URLComponents(string: "?\(body["postBody"] ?? "")")?.queryItems ?? []
      let values = Dictionary(fields.map { ($0.name, $0.value ?? "") }) { first, _ in first }
      let provider = values["providerId"] ?? ""
      var answer = signedIn(provider, values["id_token"] ?? "", named: named)
      answer["providerId"] = provider
      // Google's identifiers are URLs here, and plain in a user's providers.
      let id = values["id_token"] ?? ""
      answer["federatedId"] = provider == "google.com" ? "https://accounts.google.com/\(id)" : id
      answer["rawUserInfo"] = #"{"given_name":"Ada","id":7,"score":1.5,"verified":true,"tags":["a",null]}"#
      answer["oauthAccessToken"] = values["access_token"]
      return answer
    case "sendOobCode":
      return ["email": body["email"] ?? ""]
    default:
      return ["error": ["message": "NO_SUCH_METHOD"]]
    }
  }

  private mutating func signedIn(_ provider: String, _ id: String, named: Int?) -> [String: Any] {
    let known = users.firstIndex { $0.identities[provider] == id }
    if let user = named ?? known {
      users[user].identities[provider] = id
      return tokens(user).merging(["isNewUser": false]) { $1 }
    }
    users.append(
      ScriptedServer.User(
        uid: "user-\(users.count + 1)",
        identities: [provider: id],
        refreshToken: "refresh-\(users.count + 1)"
      )
    )
    return tokens(users.count - 1).merging(["isNewUser": true]) { $1 }
  }
}
