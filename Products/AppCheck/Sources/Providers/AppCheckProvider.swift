/// Gets App Check tokens from whoever attests that the app is genuine.
///
/// An app brings one along as a component of `any AppCheckProvider`: from a library of its own, or in the sources of
/// `App.configure`. The contract, for implementers: each call asks anew, because ``AppCheck`` keeps what is to be kept,
/// and lets one exchange at a time be in flight; a cancelled call ends soon.
public protocol AppCheckProvider: Sendable {
  /// A token for many requests.
  func token() async throws -> AppCheckToken

  /// A token for one request, on servers that accept each token once. Firebase issues it with `limited_use`.
  func limitedUseToken() async throws -> AppCheckToken
}
