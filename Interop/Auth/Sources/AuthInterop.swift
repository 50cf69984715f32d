/// Provides the signed-in user of an app to other products, and proves the user's identity to servers.
///
/// The contract, for implementers:
/// - A session that can't be read is an error, and never counts as signed out. No call returns before the stored
///   session has been read.
/// - ``token(forcingRefresh:)`` returns `nil` if nobody is signed in, and throws if a user is signed in but there is no
///   valid token. However many callers wait, one refresh is in flight; a caller that is cancelled leaves the others
///   waiting.
/// - ``currentUserID`` and ``token(forcingRefresh:)`` show a change as soon as the call that made it returns;
///   ``stateChanges`` delivers it shortly afterwards.
/// - ``stateChanges`` delivers the current state at once, and then each change. A slow reader receives the newest state
///   only.
public protocol AuthInterop: Sendable {
  /// The ID of the signed-in user; `nil` if nobody is signed in. Products read it with each of their calls, so an
  /// implementation should return it without a change of threads.
  ///
  /// - Throws: an error if the stored session can't be read.
  nonisolated(nonsending) var currentUserID: String? { get async throws }

  /// Returns an ID token of the current user that is valid for at least five more minutes; `nil` if nobody is signed
  /// in.
  ///
  /// - Parameter forcingRefresh: requests a new token from the server even if the present one is still valid.
  /// - Throws: the provider's error if the token can't be refreshed; `CancellationError`.
  func token(forcingRefresh: Bool) async throws -> String?

  /// The current state, and then the state after each change of the user or of the token.
  var stateChanges: AsyncStream<AuthState> { get }
}

/// The user who is signed in to an app at one time.
public struct AuthState: Sendable, Hashable {
  /// The user's ID; `nil` if nobody is signed in.
  public var userID: String?
  /// The user's ID token at that time, which may have expired; `nil` if nobody is signed in.
  public var token: String?

  /// Creates a state; by default, the state in which nobody is signed in.
  public init(userID: String? = nil, token: String? = nil) {
    self.userID = userID
    self.token = token
  }
}
