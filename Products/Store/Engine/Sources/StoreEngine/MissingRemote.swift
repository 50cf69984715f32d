import TenonCore

/// Errors and the warning for a database without a remote that isn't local-only (P1).
extension StoreEngine {
  /// Returns the error for an operation that requires a remote; `nil` if there is one, or the database is
  /// local-only.
  ///
  /// - Parameter what: the beginning of the message, which names the operation that isn't possible, without
  ///   punctuation.
  /// - Returns: an error with ``StoreError/Code/unavailable`` that names the backend and the libraries to
  ///   link.
  nonisolated func missingRemote(_ what: String) -> StoreError? {
    guard configuration.remote == nil, !configuration.isLocalOnly else { return nil }
    return StoreError(.unavailable, "\(what): \(missingRemoteDescription)")
  }

  /// Returns the error for an operation for which the remote can't be reached.
  ///
  /// - Parameter what: the beginning of the message, which names the operation that isn't possible, without
  ///   punctuation.
  /// - Returns: an error with ``StoreError/Code/unavailable`` that says why, with the last failure as the
  ///   underlying error. If no library provides a remote, it is that of ``missingRemote(_:)``, because waiting
  ///   for a connection wouldn't help.
  package nonisolated func unavailable(_ what: String) -> StoreError {
    missingRemote(what)
      ?? StoreError(.unavailable, "\(what): \(outage.sentence)", underlying: outage.failure)
  }

  /// The warning that is logged once per database if there is no remote; `nil` if there is one, or the
  /// database is local-only.
  var missingRemoteWarning: String? {
    guard configuration.remote == nil, !configuration.isLocalOnly else { return nil }
    return "Writes wait on this device and reads come from its cache: \(missingRemoteDescription)"
  }

  private nonisolated var missingRemoteDescription: String {
    guard configuration.backend != .embedded else {
      return """
        the database \(configuration.database) has no remote. TenonEmbedded offers none if its backend is in memory and the \
        app's data isn't: give the backend a directory, keep the data in memory with AppData.memory, or \
        request local-only operation with StoreSettings(isLocalOnly: true).
        """
    }
    return """
      the database \(configuration.database) has no remote, because no linked library provides one for the backend \
      .\(configuration.backend.rawValue). Link TenonStoreSync, link TenonEmbedded and choose the backend .embedded, or \
      request local-only operation with StoreSettings(isLocalOnly: true).
      """
  }
}
