/// Proves to Google's services that requests come from an administrator of the project, to whom security rules
/// don't apply.
///
/// Emulators are asked without it: their administrator is `Bearer owner`.
///
/// Requirements for implementations:
/// - A token is kept and returned until shortly before its end. The next one is requested once, however many
///   callers wait for it; cancelling one caller doesn't affect the others.
/// - A refused token, which the caller names, isn't returned any more. If it was replaced already, the present
///   token is returned and nothing is requested.
/// - A failure isn't kept: the next call tries again. The error says what to do, and contains no secret.
public protocol AdminInterop: Sendable {
  /// Returns an access token for Google's APIs (RFC 6750).
  ///
  /// - Parameter refused: the token that a server has refused; `nil` if none was.
  /// - Throws: the provider's error if there is no credential or no token can be obtained;
  ///   `CancellationError`.
  func accessToken(replacing refused: String?) async throws -> AdminToken

  /// Returns an identity token, with which a service account calls services that only it may call, such as
  /// private functions (https://cloud.google.com/run/docs/authenticating/service-to-service).
  ///
  /// - Parameters:
  ///   - audience: the URL of the service.
  ///   - refused: the token that the service has refused; `nil` if none was.
  /// - Throws: as ``accessToken(replacing:)``; also if the credential isn't that of a service account.
  func identityToken(for audience: String, replacing refused: String?) async throws -> AdminToken

  /// Returns a signature of the credential's service account, RSASSA-PKCS1-v1_5 with SHA-256 (RFC 8017, section
  /// 8.2). Signed URLs of Cloud Storage have one.
  ///
  /// - Parameter message: returns the bytes to sign, which may name the address of the account that signs.
  /// - Throws: as ``accessToken(replacing:)``; also if the credential isn't that of a service account.
  func signature(of message: @Sendable (_ account: String) -> [UInt8]) async throws -> AdminSignature
}
