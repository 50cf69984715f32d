import TenonAppCheckInterop

/// What other products learn of App Check.
struct AttestedApp: AppCheckInterop {
  /// What is sent where no token can be had: base64 of `{"error":"UNKNOWN_ERROR"}`, as all of Firebase's SDKs send it.
  static let placeholder = "eyJlcnJvciI6IlVOS05PV05fRVJST1IifQ=="

  let keeper: TokenKeeper

  func token(forcingRefresh: Bool) async -> AppCheckResult {
    do {
      return AppCheckResult(token: try await keeper.token(forcingRefresh: forcingRefresh).value)
    } catch {
      return AppCheckResult(token: Self.placeholder, error: error)
    }
  }

  func limitedUseToken() async -> AppCheckResult {
    do {
      return AppCheckResult(token: try await keeper.limitedUseToken().value)
    } catch {
      return AppCheckResult(token: Self.placeholder, error: error)
    }
  }

  var tokenChanges: AsyncStream<AppCheckResult> { keeper.changes { AppCheckResult(token: $0.value) } }
}
