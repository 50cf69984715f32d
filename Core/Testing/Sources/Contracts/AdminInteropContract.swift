public import TenonAdminInterop
import Testing

/// The contract of `AdminInterop` as a test that every implementation can run:
/// - A token is kept until it is refused, and then replaced.
/// - A token that was refused before it was replaced leads to no further request.
/// - Callers that come together receive the same token.
/// - Identity tokens are different for each audience.
/// - Messages are signed for the address of an account.
/// - A failure is thrown, and isn't kept.
///
/// Not covered: the end of a token's time.
///
/// ```swift
/// @Test func adminKeepsTheContract() async throws {
///   try await AdminInteropContract.check(admin)
/// }
/// ```
public enum AdminInteropContract {
  /// Checks an implementation whose requests for tokens succeed. Violations are recorded as issues of the
  /// running test.
  ///
  /// - Parameter admin: the implementation, which has a credential of a service account. Each token that it
  ///   requests must be a different one.
  /// - Throws: the error of the implementation.
  public static func check(_ admin: any AdminInterop) async throws {
    try await check { try await admin.accessToken(replacing: $0) }
    let audiences = ["https://a.example/x", "https://b.example/x"]
    for audience in audiences {
      try await check { try await admin.identityToken(for: audience, replacing: $0) }
    }
    let access = try await admin.accessToken(replacing: nil).value
    let first = try await admin.identityToken(for: audiences[0], replacing: nil).value
    let second = try await admin.identityToken(for: audiences[1], replacing: nil).value
    #expect(Set([access, first, second]).count == 3, "tokens of different purposes are different")
    let signature = try await admin.signature { Array("a \($0)".utf8) }
    #expect(try await admin.signature { Array("a \($0)".utf8) } == signature, "signatures are repeatable")
    #expect(
      try await admin.signature { Array("b \($0)".utf8) } != signature, "messages have different signatures")
    #expect(signature.account.contains("@") && !signature.bytes.isEmpty, "an account with an address signs")
  }

  private static func check(
    _ token: @escaping @Sendable (_ refused: String?) async throws -> AdminToken
  ) async throws {
    let first = try await token(nil)
    #expect(!first.value.isEmpty && first.validity > .zero, "a token is valid for some time")
    #expect(try await token(nil).value == first.value, "a token is kept")
    #expect(try await token("another").value == first.value, "another token's refusal doesn't matter")
    let replacements = try await withThrowingTaskGroup(of: String.self) { group in
      for _ in 0..<8 { group.addTask { try await token(first.value).value } }
      return try await group.reduce(into: Set<String>()) { $0.insert($1) }
    }
    #expect(replacements.count == 1, "a refused token is replaced once")
    #expect(!replacements.contains(first.value), "a refused token isn't returned")
    #expect(try await replacements.contains(token(nil).value), "the replacement is kept")
    #expect(
      try await replacements.contains(token(first.value).value), "a token that was replaced isn't again")
  }

  /// Checks that an implementation throws while no token can be obtained, and recovers. Violations are
  /// recorded as issues of the running test.
  ///
  /// - Parameters:
  ///   - admin: the implementation, all of whose requests fail and which has no token yet.
  ///   - recover: makes its requests succeed.
  /// - Throws: the error of the implementation after it has recovered.
  public static func checkFailing(
    _ admin: any AdminInterop, recover: () async throws -> Void
  ) async throws {
    for _ in 0..<2 {
      await #expect(throws: (any Error).self, "a failure is thrown") {
        try await admin.accessToken(replacing: nil)
      }
    }
    try await recover()
    #expect(try await !admin.accessToken(replacing: nil).value.isEmpty, "a failure isn't kept")
  }
}
