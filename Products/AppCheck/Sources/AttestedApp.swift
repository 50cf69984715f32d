import TenonAppCheckInterop

/// App Check as `AppCheckInterop`, through which other products use it. Its functions never throw: without a
/// token, they return the placeholder and the error, and the server decides.
struct AttestedApp: AppCheckInterop {
  /// The header's value if there is no token: base64 of `{"error":"UNKNOWN_ERROR"}`, as in all of Firebase's
  /// SDKs.
  static let placeholder = "eyJlcnJvciI6IlVOS05PV05fRVJST1IifQ=="

  /// The token, in memory and in the store.
  let keeper: TokenKeeper

  func token(forcingRefresh: Bool) async -> AppCheckResult {
    do {
      return AppCheckResult(token: try await keeper.token(forcingRefresh: forcingRefresh).token)
    } catch {
      return AppCheckResult(token: Self.placeholder, error: error)
    }
  }

  func limitedUseToken() async -> AppCheckResult {
    do {
      return AppCheckResult(token: try await keeper.limitedUseToken().token)
    } catch {
      return AppCheckResult(token: Self.placeholder, error: error)
    }
  }

  /// The current token, if there is a valid one, and then each new one. Errors aren't delivered.
  var tokenChanges: AsyncStream<AppCheckResult> { keeper.changes { AppCheckResult(token: $0.token) } }
}
