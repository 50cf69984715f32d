import Foundation
import TenonAuth

/// Asks for the user's token and its claims.
func tokens() async throws {
  guard let user = try Auth.auth().currentUser else { return }
  let token = try await user.getIDToken()
  let result = try await user.getIDTokenResult(forcingRefresh: true)
  // expect: 'idTokenForcingRefresh' is unavailable: Write try await user.getIDToken(forcingRefresh: true).
  let fresh = try await user.idTokenForcingRefresh(true)
  print(token.count, fresh.count, result.claims["admin"] as? Bool ?? false, result.expirationDate)
}

/// Asks for the user's token, in closures.
func tokensWithCompletion() throws {
  let currentUser = try Auth.auth().currentUser
  // expect: 'getIDTokenForcingRefresh(_:completion:)' is unavailable: The call is asynchronous: try await user.getIDToken(forcingRefresh: true), in a Task { … } if need be.
  currentUser?.getIDTokenForcingRefresh(true) { idToken, error in
    print(idToken as Any, error as Any)
  }
  // expect: 'getIDTokenResult(forcingRefresh:completion:)' is unavailable: The call is asynchronous: try await user.getIDTokenResult(), in a Task { … } if need be.
  currentUser?.getIDTokenResult(completion: { (result, error) in
    print(result?.claims["admin"] as? NSNumber as Any, error as Any)
  })
}
