import TenonCore

/// Errors and the warning for a database that has no remote although local-only operation wasn't requested (P1).
extension StoreEngine {
  /// The error for what can't be done without a remote; `nil` when there is one, or the database is local-only.
  ///
  /// - Parameter what: what can't be done.
  nonisolated func missingRemote(_ what: String) -> StoreError? {
    guard configuration.remote == nil, !configuration.isLocalOnly else { return nil }
    return StoreError(.unavailable, "\(what): \(missingRemoteDescription)")
  }

  /// The error for what can't be done because the remote can't be asked.
  ///
  /// - Parameter what: what can't be done.
  nonisolated func unavailable(_ what: String) -> StoreError {
    missingRemote(what) ?? StoreError(.unavailable, "\(what): the remote can't be reached.")
  }

  /// The warning that is logged once per database if there is no remote.
  var missingRemoteWarning: String? {
    guard configuration.remote == nil, !configuration.isLocalOnly else { return nil }
    return "Writes wait on this device and reads come from its cache: \(missingRemoteDescription)"
  }

  private nonisolated var missingRemoteDescription: String {
    """
    the database \(configuration.database) has no remote, because no linked library provides one for the backend \
    .\(configuration.backend.rawValue). Link TenonStoreSync, link TenonEmbedded and choose the backend .embedded, or request \
    local-only operation with StoreSettings(isLocalOnly: true).
    """
  }
}
