extension AppCheckProvider {
  /// Returns a new token of ``getToken()``, for a service that doesn't distinguish them.
  ///
  /// A server that accepts each token once accepts this one, too, but can't tell it from others.
  public func getLimitedUseToken() async throws -> AppCheckToken { try await getToken() }
}
