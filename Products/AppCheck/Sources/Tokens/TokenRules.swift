import TenonCore
import TenonFoundation
import TenonJSON

/// The checks that a provider's tokens must pass.
struct TokenRules: Sendable {
  /// The backend, the provider and the app, so that a token that was stored for other ones isn't used.
  let source: String
  /// Whether the servers may accept unsigned tokens.
  private let takesUnsigned: Bool

  init(_ options: AppOptions, provider: any AppCheckProvider) {
    source =
      "\(options.backend.kind.rawValue) \(type(of: provider)) projects/\(options.projectID ?? "")/apps/\(options.appID ?? "")"
    takesUnsigned = options.backend.kind != .production
  }

  /// Obtains a token and checks it.
  ///
  /// - Parameters:
  ///   - now: returns the current time; it is called after the exchange.
  ///   - exchange: obtains a token from the provider.
  /// - Throws: ``AppCheckError``, with the provider's error as the cause; `CancellationError`.
  nonisolated(nonsending) func checking(
    now: () -> Date,
    _ exchange: nonisolated(nonsending) () async throws -> AppCheckToken
  ) async throws -> AppCheckToken {
    do {
      let token = try await exchange()
      try check(token, now: now())
      return token
    } catch let error as AppCheckError {
      throw error
    } catch {
      try Task.checkCancellation()
      if error is CancellationError { throw error }
      throw AppCheckError(
        .providerFailed,
        "The app's provider failed to provide an App Check token. AppCheckError.underlying is its error.",
        underlying: error
      )
    }
  }

  /// Checks a token. Errors don't quote it, because even a token that isn't accepted may be secret.
  ///
  /// - Throws: ``AppCheckError`` with ``AppCheckError/Code/invalidToken`` if the token is empty, has
  ///   characters other than visible ASCII, has expired, or is unsigned although the backend is production.
  private func check(_ token: AppCheckToken, now: Date) throws(AppCheckError) {
    guard !token.token.isEmpty, token.token.utf8.allSatisfy({ (0x21...0x7E).contains($0) }) else {
      throw AppCheckError(
        .invalidToken,
        "The provider returned text that isn't a token: it is empty, or has other characters than visible ASCII. "
          + "Check the provider.")
    }
    guard token.expirationDate > now else {
      throw AppCheckError(
        .invalidToken,
        "The provider returned a token that expired at \(token.expirationDate). Check this machine's clock."
      )
    }
    guard takesUnsigned || !Self.isUnsigned(token.token) else {
      throw AppCheckError(
        .invalidToken,
        "The provider returned an unsigned App Check token for a production server, which wasn't accepted. Check the "
          + "provider."
      )
    }
  }

  /// The maximum size of a JWT's header in bytes.
  private static let largestHeader = 64 << 10

  /// Returns whether a token is a JWT whose header has `"alg": "none"` (RFC 7519, section 6). Tokens that
  /// aren't JWTs count as signed.
  static func isUnsigned(_ token: String) -> Bool {
    struct Header: Decodable { var alg: String? }
    let parts = token.split(separator: ".", omittingEmptySubsequences: false)
    guard let content = parts.first.flatMap({ Base64URL.decode($0) }),
      let header = try? JSON.decode(Header.self, from: content, limit: largestHeader)
    else { return false }
    return header.alg?.lowercased() == "none"
  }
}
