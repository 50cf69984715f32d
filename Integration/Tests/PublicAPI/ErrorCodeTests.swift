import TenonAdmin
import TenonAppCheck
import TenonAuth
import TenonCore
import TenonFunctions
import TenonStorage
import TenonStore
import TenonStoreInterop
import TenonTestSupport
import TenonTransportInterop
import Testing

/// Codes of errors in texts: an app that logs `"\(error.code)"` logs what the documentation calls the code.
@Suite(.limited) struct ErrorCodeTests {
  private static let codes: [(any CustomStringConvertible & Sendable, String)] = [
    (AdminError.Code.idTokenExpired, "id-token-expired"),
    (AppCheckError.Code.attestationRejected, "attestation-rejected"),
    (AuthError.Code.wrongPassword, "wrong-password"),
    (ComponentError.Code.notProvided, "not-provided"),
    (ConfigurationError.Code.duplicateKey, "duplicate-key"),
    (DocumentError.Code.badPath, "bad-path"),
    (FunctionsError.Code.notFound, "not-found"),
    (StorageError.Code.objectNotFound, "object-not-found"),
    (StoreError.Code.notFound, "not-found"),
    (StoreRemoteError.Code.notFound, "not-found"),
    (TransportError.Code.unreachable, "unreachable"),
  ]

  @Test(arguments: codes.indices) func aCodeIsDescribedByItsText(index: Int) {
    let (code, text) = Self.codes[index]
    #expect("\(code)" == text)
  }
}
