/// Provides the signed-in user of an app to other products, and proves the user's identity to servers.
///
/// Requirements for implementations:
/// - A stored session that can't be read is an error; it is never treated as signed out. No call returns
///   before the stored session has been read.
/// - ``token(forcingRefresh:)`` returns `nil` if no user is signed in, and throws if a user is signed in but
///   no valid token is available. Concurrent callers share a single refresh; cancelling one caller doesn't
///   affect the others.
/// - ``currentUserID`` and ``token(forcingRefresh:)`` reflect a change as soon as the call that made it has
///   returned; ``stateChanges`` delivers it shortly afterwards.
/// - ``stateChanges`` delivers the current state immediately, and then each change. A slow consumer receives
///   only the latest state.
public protocol AuthInterop: Sendable {
  /// The ID of the signed-in user; `nil` if no user is signed in.
  ///
  /// Products read it in each of their calls, so implementations should return it without switching threads.
  ///
  /// - Throws: an error if the stored session can't be read.
  nonisolated(nonsending) var currentUserID: String? { get async throws }

  /// Returns an ID token of the current user that is valid for at least five more minutes; `nil` if no user
  /// is signed in.
  ///
  /// - Parameter forcingRefresh: whether to request a new token from the server even if the current one is
  ///   still valid.
  /// - Throws: the provider's error if the token can't be refreshed; `CancellationError`.
  func token(forcingRefresh: Bool) async throws -> String?

  /// The current state, and then the state after each change of the user or of the token.
  var stateChanges: AsyncStream<AuthState> { get }
}

/// The state of authentication of an app at a point in time.
public struct AuthState: Sendable, Hashable {
  /// The user's ID; `nil` if no user is signed in.
  public var userID: String?
  /// The user's ID token at that time, which may have expired; `nil` if no user is signed in.
  public var token: String?

  /// Creates a state, by default that in which no user is signed in.
  public init(userID: String? = nil, token: String? = nil) {
    self.userID = userID
    self.token = token
  }
}

// Tokens are credentials. The descriptions of a state, which may end in logs, contain none.
extension AuthState: CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
  /// The user's ID, for example `user 8fK2`, or `no user`.
  public var description: String { userID.map { "user \($0)" } ?? "no user" }
  /// The same text as ``description``.
  public var debugDescription: String { description }
  /// The same as ``description``.
  public var customMirror: Mirror { Mirror(self, children: ["state": description]) }
}
