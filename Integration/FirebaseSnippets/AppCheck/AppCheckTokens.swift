import TenonAppCheck

/// Asks for a token for a server of one's own.
func appCheckToken() async throws {
  let token = try await AppCheck.appCheck().token(forcingRefresh: false)
  print(token.token, token.expirationDate)
  let limited = try await AppCheck.appCheck().limitedUseToken()
  print(limited.token)
  try AppCheck.appCheck().isTokenAutoRefreshEnabled = true
}

/// Asks for a token, in a closure.
func appCheckTokenWithCompletion() throws {
  // expect: 'token(forcingRefresh:completion:)' is unavailable: The call is asynchronous: try await appCheck.token(forcingRefresh: …), in a Task { … } if need be.
  try AppCheck.appCheck().token(forcingRefresh: false) { token, error in
    guard let token = token else {
      print(error as Any)
      return
    }
    print(token.token)
  }
}
