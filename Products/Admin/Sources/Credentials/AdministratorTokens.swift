import TenonAdminInterop
import TenonFoundation

/// The implementation of `AdminInterop`, through which other products act as administrators.
struct AdministratorTokens: AdminInterop {
  let admin: Admin

  /// Returns an access token of the app's credential.
  ///
  /// - Throws: ``AdminError`` with ``AdminError/Code/invalidCredential`` or
  ///   ``AdminError/Code/networkError``; `CancellationError`.
  func accessToken(replacing refused: String?) async throws -> AdminToken {
    let credential = admin.credentialInUse
    if let refused { credential.discard(Secret(refused)) }
    let authorization = try await credential.authorization(for: admin.projectID)
    return AdminToken(
      value: authorization.token.value, validity: authorization.validity,
      quotaProject: authorization.quotaProject)
  }

  /// Returns an identity token of the app's service account.
  ///
  /// - Throws: as ``accessToken(replacing:)``; with ``AdminError/Code/invalidCredential`` also if the
  ///   credential isn't that of a service account.
  func identityToken(for audience: String, replacing refused: String?) async throws -> AdminToken {
    let credential = admin.credentialInUse
    if let refused { credential.discard(Secret(refused)) }
    let token = try await credential.identityToken(for: audience)
    return AdminToken(value: token.value.value, validity: token.validity)
  }

  /// Returns a signature of the app's service account.
  ///
  /// - Throws: as ``accessToken(replacing:)``; with ``AdminError/Code/invalidCredential`` also if the
  ///   credential isn't that of a service account.
  func signature(of message: @Sendable (_ account: String) -> [UInt8]) async throws -> AdminSignature {
    let signer = try await admin.credentialInUse.signer()
    return AdminSignature(
      account: signer.email, bytes: try await signer.signature(message(signer.email)))
  }
}
