public import TenonAdminInterop
import TenonFoundation

/// An implementation of `AdminInterop` for tests, whose tokens are numbered. It can be used from any thread.
///
/// Tokens are valid for an hour and are replaced only when they are refused. The functions return without
/// suspending.
///
/// ```swift
/// let admin = FakeAdmin()
/// #expect(try await admin.accessToken(replacing: nil).value == "admin-token-1")
/// ```
public final class FakeAdmin: AdminInterop {
  private struct State {
    /// The numbers of the present tokens, by audience; that of access tokens has none.
    var numbers: [String?: Int] = [:]
    /// The error of all calls; `nil` if they succeed.
    var error: (any Error)?
    /// The project that pays.
    var quotaProject: String?
    /// How long tokens are valid.
    var validity = Duration.seconds(3_600)
  }

  private let state = Lock(State())

  /// Creates a fake whose first access token is `admin-token-1`.
  public init() {}

  /// Makes all later calls throw an error.
  ///
  /// - Parameter error: the error; `nil` makes calls succeed again.
  public func fail(with error: (any Error)?) { state.withLock { $0.error = error } }

  /// The project of all tokens that pays for requests; `nil` by default.
  public var quotaProject: String? {
    get { state.withLock { $0.quotaProject } }
    set { state.withLock { $0.quotaProject = newValue } }
  }

  /// The validity of all tokens, an hour by default.
  public var validity: Duration {
    get { state.withLock { $0.validity } }
    set { state.withLock { $0.validity = newValue } }
  }

  /// Replaces the access token by the next one, as if its time were over.
  public func renewAccessToken() { state.withLock { $0.numbers[nil] = $0.numbers[nil, default: 1] + 1 } }

  /// Returns the present access token, `admin-token-1` at first, or the next one if it was refused.
  ///
  /// - Throws: the error of ``fail(with:)``.
  public func accessToken(replacing refused: String?) async throws -> AdminToken {
    try token(of: nil, replacing: refused)
  }

  /// Returns the present identity token for a service, `identity-1 https://a.example` at first for this one,
  /// or the next one if it was refused.
  ///
  /// - Throws: the error of ``fail(with:)``.
  public func identityToken(for audience: String, replacing refused: String?) async throws -> AdminToken {
    try token(of: audience, replacing: refused)
  }

  /// The address of the account in signatures.
  public static let account = "admin@fake.iam.gserviceaccount.com"

  /// Returns text with ``account`` and the message, which no server accepts.
  ///
  /// - Throws: the error of ``fail(with:)``.
  public func signature(of message: @Sendable (_ account: String) -> [UInt8]) async throws -> AdminSignature {
    if let error = state.withLock({ $0.error }) { throw error }
    return AdminSignature(
      account: Self.account, bytes: Array("signature of \(Self.account): ".utf8) + message(Self.account))
  }

  private func token(of audience: String?, replacing refused: String?) throws -> AdminToken {
    try state.withLock { state in
      if let error = state.error { throw error }
      var number = state.numbers[audience, default: 1]
      func text() -> String { audience.map { "identity-\(number) \($0)" } ?? "admin-token-\(number)" }
      if text() == refused { number += 1 }
      state.numbers[audience] = number
      return AdminToken(value: text(), validity: state.validity, quotaProject: state.quotaProject)
    }
  }
}
