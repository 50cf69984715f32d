import TenonAdminInterop
import TenonAppCheckInterop
import TenonAuthInterop
import TenonFoundation
import TenonStoreInterop
import TenonTransport

extension FirestoreClient {
  /// Observes the tokens of a context, those of the user or of administrators, until the returned tasks are
  /// cancelled.
  ///
  /// A change of the user isn't reported: a stream keeps the credentials with which it was opened, and its
  /// caller closes it.
  ///
  /// - Parameters:
  ///   - context: the user, or administrators.
  ///   - onChange: called with the name and the value of the header field of each token, also the present
  ///     ones.
  func tokenChanges(
    in context: RemoteContext,
    _ onChange: @escaping @Sendable (_ field: String, _ value: String) async -> Void
  ) -> [Task<Void, Never>] {
    guard !context.isAdministrator else {
      return [
        Task { [self] in try? await followAccessTokens { await onChange("Authorization", "Bearer \($0)") } }
      ]
    }
    var tasks: [Task<Void, Never>] = []
    if let auth {
      tasks.append(
        Task {
          for await state in auth.stateChanges where state.userID == context.user {
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

  /// The time after which an access token that couldn't be obtained is requested again, for a stream that goes
  /// on with the last one.
  private static let tokenPause = Duration.seconds(30)

  /// Passes on the access token of administrators, and each next one when the time of the last is over.
  ///
  /// - Throws: `CancellationError`; `StoreRemoteError` if Admin isn't linked.
  private func followAccessTokens(_ receive: (String) async -> Void) async throws {
    let source = try administrator()
    guard let origin, !source.isEmulated(origin) else { return }
    while true {
      do {
        let token = try await source.admin.accessToken(replacing: nil)
        await receive(token.value)
        try await time.sleep(max(token.validity, .seconds(1)))
      } catch {
        try Task.checkCancellation()
        try await time.sleep(Self.tokenPause)
      }
    }
  }
}
