import TenonAppCheckInterop

/// App Check as other products see it.
struct AttestedApp: AppCheckInterop {
  /// What is sent if there is no token: base64 of `{"error":"UNKNOWN_ERROR"}`, as all of Firebase's SDKs send it.
  static let placeholder = "eyJlcnJvciI6IlVOS05PV05fRVJST1IifQ=="

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

  var tokenChanges: AsyncStream<AppCheckResult> { keeper.changes { AppCheckResult(token: $0.token) } }
}
