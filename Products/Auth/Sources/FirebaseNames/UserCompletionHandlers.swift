// Names of firebase-ios-sdk; see AuthNames.swift.
#if !canImport(FirebaseAuth)
  import TenonCore

  extension User {
    /// Unavailable: the call is asynchronous.
    @available(
      *, unavailable,
      message: "The call is asynchronous: try await user.link(with: credential), in a Task { … } if need be."
    )
    public func link(with credential: AuthCredential, completion: ((AuthDataResult?, (any Error)?) -> Void)?)
    { unavailable() }

    /// Unavailable: the call is asynchronous.
    @available(
      *, unavailable,
      message: "The call is asynchronous: try await user.unlink(fromProvider: …), in a Task { … } if need be."
    )
    public func unlink(fromProvider provider: String, completion: ((User?, (any Error)?) -> Void)?) {
      unavailable()
    }

    /// Unavailable: the call is asynchronous.
    @available(
      *, unavailable,
      message: """
        The call is asynchronous: try await user.reauthenticate(with: credential), in a Task { … } if need \
        be.
        """
    )
    public func reauthenticate(
      with credential: AuthCredential, completion: ((AuthDataResult?, (any Error)?) -> Void)?
    ) { unavailable() }

    /// Unavailable: the call is asynchronous.
    @available(
      *, unavailable,
      message: "The call is asynchronous: try await user.reload(), in a Task { … } if need be."
    )
    public func reload(completion: (((any Error)?) -> Void)?) { unavailable() }

    /// Unavailable: the call is asynchronous.
    @available(
      *, unavailable,
      message: "The call is asynchronous: try await user.delete(), in a Task { … } if need be."
    )
    public func delete(completion: (((any Error)?) -> Void)?) { unavailable() }

    /// Unavailable: the call is asynchronous.
    @available(
      *, unavailable,
      message: "The call is asynchronous: try await user.updateEmail(to: …), in a Task { … } if need be."
    )
    public func updateEmail(to email: String, completion: (((any Error)?) -> Void)?) { unavailable() }

    /// Unavailable: the call is asynchronous.
    @available(
      *, unavailable,
      message: "The call is asynchronous: try await user.updatePassword(to: …), in a Task { … } if need be."
    )
    public func updatePassword(to password: String, completion: (((any Error)?) -> Void)?) { unavailable() }

    /// Unavailable: the call is asynchronous.
    @available(
      *, unavailable,
      message: "The call is asynchronous: try await user.sendEmailVerification(), in a Task { … } if need be."
    )
    public func sendEmailVerification(completion: (((any Error)?) -> Void)?) { unavailable() }

    /// Unavailable: the call is asynchronous.
    @available(
      *, unavailable,
      message: """
        The call is asynchronous: try await user.sendEmailVerification(with: settings), in a Task { … } if \
        need be.
        """
    )
    public func sendEmailVerification(
      with actionCodeSettings: ActionCodeSettings?, completion: (((any Error)?) -> Void)?
    ) { unavailable() }

    /// Unavailable: the call is asynchronous.
    @available(
      *, unavailable,
      message: """
        The call is asynchronous: try await user.sendEmailVerification(beforeUpdatingEmail: …), in a Task { \
        … } if need be.
        """
    )
    public func sendEmailVerification(
      beforeUpdatingEmail email: String, actionCodeSettings: ActionCodeSettings? = nil,
      completion: (((any Error)?) -> Void)?
    ) { unavailable() }

    /// Unavailable: the call is asynchronous.
    @available(
      *, unavailable,
      message: "The call is asynchronous: try await user.getIDToken(), in a Task { … } if need be."
    )
    public func getIDToken(completion: ((String?, (any Error)?) -> Void)?) { unavailable() }

    /// Unavailable: the call is asynchronous.
    @available(
      *, unavailable,
      message: """
        The call is asynchronous: try await user.getIDToken(forcingRefresh: true), in a Task { … } if need \
        be.
        """
    )
    public func getIDTokenForcingRefresh(_ forceRefresh: Bool, completion: ((String?, (any Error)?) -> Void)?)
    { unavailable() }

    /// Unavailable: it is ``getIDToken(forcingRefresh:)``.
    @available(*, unavailable, message: "Write try await user.getIDToken(forcingRefresh: true).")
    public func idTokenForcingRefresh(_ forceRefresh: Bool) async throws -> String { unavailable() }

    /// Unavailable: the call is asynchronous.
    @available(
      *, unavailable,
      message: "The call is asynchronous: try await user.getIDTokenResult(), in a Task { … } if need be."
    )
    public func getIDTokenResult(
      forcingRefresh forceRefresh: Bool = false, completion: ((AuthTokenResult?, (any Error)?) -> Void)?
    ) { unavailable() }
  }

  extension UserProfileChangeRequest {
    /// Unavailable: the call is asynchronous.
    @available(
      *, unavailable,
      message: "The call is asynchronous: try await request.commitChanges(), in a Task { … } if need be."
    )
    public func commitChanges(completion: (((any Error)?) -> Void)?) { unavailable() }
  }
#endif
