import TenonSignatures

extension AdminError {
  /// Runs what needs the system's libcrypto.
  ///
  /// - Throws: ``AdminError`` with ``AdminError/Code/cryptographyUnavailable``.
  static func withCryptography<Result>(
    _ operation: () throws(CryptographyUnavailable) -> Result
  ) throws(AdminError) -> Result {
    do { return try operation() } catch {
      throw AdminError(
        .cryptographyUnavailable,
        "libcrypto (OpenSSL 1.1.1 or newer) can't be loaded: \(error.reason). Install it on this machine.")
    }
  }
}
