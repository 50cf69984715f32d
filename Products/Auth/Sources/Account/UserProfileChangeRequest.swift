public import TenonFoundation

/// A change of a user's display name and photo, which ``commitChanges()`` sends to the server as one request.
///
/// ```swift
/// let request = user.createProfileChangeRequest()
/// request.displayName = "Ada"
/// try await request.commitChanges()
/// ```
///
/// Only properties that were set are sent. Setting a property to `nil` removes the value from the account.
public final class UserProfileChangeRequest: Sendable {
  /// The new values: `nil` if the property wasn't set, `.some(nil)` if its value is to be removed.
  private struct Changes {
    var displayName: String??
    var photoURL: URL??
  }

  private let user: User
  /// The properties that were set, which any thread may change.
  private let changes = Lock(Changes())

  init(_ user: User) { self.user = user }

  /// The new display name; the user's current one until it is set.
  public var displayName: String? {
    get { changes.withLock { $0.displayName } ?? user.displayName }
    set { changes.withLock { $0.displayName = .some(newValue) } }
  }

  /// The URL of the new profile photo; the user's current one until it is set.
  public var photoURL: URL? {
    get { changes.withLock { $0.photoURL } ?? user.photoURL }
    set { changes.withLock { $0.photoURL = .some(newValue) } }
  }

  /// Sends the properties that were set to the server, and updates the user.
  ///
  /// Returns without a request if no property was set. A request can be committed again, for example after a
  /// failure.
  ///
  /// - Throws: ``AuthError``; with ``AuthError/Code/userSignedOut`` if the user is no longer the current one.
  public func commitChanges() async throws {
    let changes = changes.withLock { $0 }
    var cleared: [String] = []
    if case .some(nil) = changes.displayName { cleared.append("DISPLAY_NAME") }
    if case .some(nil) = changes.photoURL { cleared.append("PHOTO_URL") }
    guard changes.displayName != nil || changes.photoURL != nil else { return }
    let deleteAttribute = cleared.isEmpty ? nil : cleared
    _ = try await user.changing { server, idToken in
      try await server.update(
        UpdateRequest(
          idToken: idToken,
          displayName: changes.displayName ?? nil,
          photoUrl: (changes.photoURL ?? nil)?.absoluteString,
          deleteAttribute: deleteAttribute
        )
      )
    }
  }
}

extension User {
  /// Returns a request that changes the display name and the photo.
  public func createProfileChangeRequest() -> UserProfileChangeRequest { UserProfileChangeRequest(self) }
}
