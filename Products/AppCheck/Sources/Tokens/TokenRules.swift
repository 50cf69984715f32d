import Foundation
import TenonCore

/// Which tokens an app takes from its provider.
struct TokenRules: Sendable {
  /// Names the backend, the provider and the app, so that a token that was kept for others isn't used.
  let source: String
  /// Whether the servers may be such as take tokens that nobody signed.
  private let takesUnsigned: Bool

  init(_ options: AppOptions, provider: any AppCheckProvider) {
    source =
      "\(options.backend.kind.rawValue) \(type(of: provider)) projects/\(options.projectID)/apps/\(options.appID ?? "")"
    takesUnsigned = options.backend.kind != .production
  }

  /// Gets a token and checks it. What the provider throws becomes an error that users know.
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
        "The app's provider gave no App Check token. AppCheckError.underlying has the cause.",
        underlying: error
      )
    }
  }

  /// What is refused isn't quoted: it may be secret all the same.
  private func check(_ token: AppCheckToken, now: Date) throws(AppCheckError) {
    guard !token.value.isEmpty, token.value.utf8.allSatisfy({ (0x21...0x7E).contains($0) }) else {
      throw AppCheckError(
        .invalidToken, "The provider gave text that can't be a token: it is empty, or has other characters.")
    }
    guard token.expires > now else {
      throw AppCheckError(
        .invalidToken,
        "The provider gave a token that expired at \(token.expires). Check this machine's clock."
      )
    }
    guard takesUnsigned || !Self.isUnsigned(token.value) else {
      throw AppCheckError(
        .invalidToken,
        "An unsigned App Check token came for a production server. It was not accepted."
      )
    }
  }

  /// Whether a token is a JWT whose header says `"alg": "none"` (RFC 7519, section 6).
  static func isUnsigned(_ token: String) -> Bool {
    struct Header: Decodable { var alg: String? }
    guard let first = token.split(separator: ".", omittingEmptySubsequences: false).first else {
      return false
    }
    var base64 = String(first).replacing("-", with: "+").replacing("_", with: "/")
    base64 += String(repeating: "=", count: (4 - base64.count % 4) % 4)
    guard let content = Data(base64Encoded: base64),
      let header = try? JSONDecoder().decode(Header.self, from: content)
    else { return false }
    return header.alg?.lowercased() == "none"
  }
}
