/// Tells other products who is signed in to an app, and proves it to servers.
///
/// The contract, for implementers:
/// - Nothing is answered before the stored session has been loaded; a session that can't be read is an error,
///   never "signed out".
/// - ``token(forcingRefresh:)`` gives `nil` when nobody is signed in, and throws when somebody is but no valid
///   token can be had. However many callers wait, one refresh is in flight; cancelling one waiter leaves the
///   others.
/// - ``currentUserID`` and ``token(forcingRefresh:)`` know of a change as soon as the call returns that made it;
///   ``stateChanges`` tells of it a moment later.
/// - ``stateChanges`` delivers the current state at once, then each change. A slow reader sees the newest state.
public protocol AuthInterop: Sendable {
  /// The id of the user who is signed in, `nil` when nobody is. Products ask for it with each of their calls, so it should
  /// be answered where it is asked, without a change of threads.
  ///
  /// - Throws: when the stored session can't be read.
  nonisolated(nonsending) var currentUserID: String? { get async throws }

  /// An ID token for the current user that is valid for at least five more minutes; `nil` when nobody is signed in.
  ///
  /// - Parameter forcingRefresh: asks the server for a new token even when the present one is still valid.
  /// - Throws: the provider's error when the token can't be refreshed; `CancellationError`.
  func token(forcingRefresh: Bool) async throws -> String?

  /// Who is signed in: the current state first, then each change of the user or of the token.
  var stateChanges: AsyncStream<AuthState> { get }
}

/// Who is signed in to an app at one moment.
public struct AuthState: Sendable, Hashable {
  /// The user's id; `nil` when nobody is signed in.
  public var userID: String?
  /// The user's ID token at that moment, which may have expired; `nil` when nobody is signed in.
  public var token: String?

  /// Creates a state; without arguments, the state in which nobody is signed in.
  public init(userID: String? = nil, token: String? = nil) {
    self.userID = userID
    self.token = token
  }
}
