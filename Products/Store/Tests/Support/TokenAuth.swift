import Foundation
import TenonAuthInterop
import TenonFoundation

/// A signed-in user whose ID token is a JWT with claims.
final class TokenAuth: AuthInterop {
  private let state: Lock<AuthState>

  /// - Parameters:
  ///   - userID: the user; `nil` for nobody.
  ///   - payload: the claims as JSON.
  init(_ userID: String?, _ payload: String = #"{"exp":99999999999}"#) {
    state = Lock(AuthState(userID: userID, token: TokenParts.unsigned(Data(payload.utf8))))
  }

  /// Replaces the token.
  func refresh(_ payload: String) {
    state.withLock { $0.token = TokenParts.unsigned(Data(payload.utf8)) }
  }

  var currentUserID: String? { state.withLock { $0.userID } }

  func token(forcingRefresh: Bool) async throws -> String? { state.withLock { $0.token } }

  /// The state now; changes aren't reported.
  var stateChanges: AsyncStream<AuthState> {
    let state = state.withLock { $0 }
    return AsyncStream { $0.yield(state) }
  }
}
