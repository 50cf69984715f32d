import TenonAppCheckInterop
import TenonAuthInterop

extension FirestoreClient {
  /// Observes the tokens of a user, until the returned tasks are cancelled.
  ///
  /// A change of the user isn't reported: a stream keeps the credentials with which it was opened, and its
  /// caller closes it.
  ///
  /// - Parameters:
  ///   - user: the user; `nil` if no user is signed in.
  ///   - onChange: called with the name and the value of the header field of each token, also the present
  ///     ones.
  func tokenChanges(
    of user: String?, _ onChange: @escaping @Sendable (_ field: String, _ value: String) async -> Void
  ) -> [Task<Void, Never>] {
    var tasks: [Task<Void, Never>] = []
    if let auth {
      tasks.append(
        Task {
          for await state in auth.stateChanges where state.userID == user {
            if let token = state.token { await onChange("Authorization", "Bearer \(token)") }
          }
        })
    }
    if let appCheck {
      tasks.append(
        Task {
          for await result in appCheck.tokenChanges where result.error == nil {
            await onChange("X-Firebase-AppCheck", result.token)
          }
        })
    }
    return tasks
  }
}
