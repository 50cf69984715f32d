/// Obtains App Check tokens from a service that attests that the app is genuine.
///
/// An app provides it as a component of `any AppCheckProvider`: in its own library, or in the sources of
/// `App.configure`. The contract, for implementers: each call obtains a new token, because ``AppCheck``
/// caches tokens and has at most one exchange in flight; a cancelled call returns soon.
public protocol AppCheckProvider: Sendable {
  /// Returns a new token for any number of requests.
  ///
  /// - Throws: any error. ``AppCheck`` throws it as it is if it is an ``AppCheckError``, and otherwise as the
  ///   cause of one with ``AppCheckError/Code/providerFailed``.
  func getToken() async throws -> AppCheckToken

  /// Returns a new token for one request, for servers that accept each token once. Firebase issues it with
  /// `limited_use`. By default, it is a token of ``getToken()``.
  func getLimitedUseToken() async throws -> AppCheckToken
}
