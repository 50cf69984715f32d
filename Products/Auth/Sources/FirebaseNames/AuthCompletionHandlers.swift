// Names of firebase-ios-sdk; see AuthNames.swift.
#if !canImport(FirebaseAuth)
  import TenonCore

  extension Auth {
    /// Unavailable: the call is asynchronous.
    @available(
      *, unavailable,
      message: """
        The call is asynchronous: try await auth.createUser(withEmail: …, password: …), in a Task { … } if \
        need be.
        """
    )
    public func createUser(
      withEmail email: String, password: String, completion: ((AuthDataResult?, (any Error)?) -> Void)?
    ) { unavailable() }

    /// Unavailable: the call is asynchronous.
    @available(
      *, unavailable,
      message: """
        The call is asynchronous: try await auth.signIn(withEmail: …, password: …), in a Task { … } if need \
        be.
        """
    )
    public func signIn(
      withEmail email: String, password: String, completion: ((AuthDataResult?, (any Error)?) -> Void)?
    ) { unavailable() }

    /// Unavailable: the call is asynchronous.
    @available(
      *, unavailable,
      message: """
        The call is asynchronous: try await auth.signIn(withEmail: …, link: …), in a Task { … } if need be.
        """
    )
    public func signIn(
      withEmail email: String, link: String, completion: ((AuthDataResult?, (any Error)?) -> Void)?
    ) { unavailable() }

    /// Unavailable: the call is asynchronous.
    @available(
      *, unavailable,
      message:
        "The call is asynchronous: try await auth.signIn(with: credential), in a Task { … } if need be."
    )
    public func signIn(
      with credential: AuthCredential, completion: ((AuthDataResult?, (any Error)?) -> Void)?
    ) { unavailable() }

    /// Unavailable: the call is asynchronous.
    @available(
      *, unavailable,
      message: """
        The call is asynchronous: try await auth.signIn(withCustomToken: …), in a Task { … } if need be.
        """
    )
    public func signIn(withCustomToken token: String, completion: ((AuthDataResult?, (any Error)?) -> Void)?)
    { unavailable() }

    /// Unavailable: the call is asynchronous.
    @available(
      *, unavailable,
      message: "The call is asynchronous: try await auth.signInAnonymously(), in a Task { … } if need be."
    )
    public func signInAnonymously(completion: ((AuthDataResult?, (any Error)?) -> Void)?) { unavailable() }

    /// Unavailable: the call is asynchronous.
    @available(
      *, unavailable,
      message: """
        The call is asynchronous: try await auth.sendPasswordReset(withEmail: …), in a Task { … } if need \
        be.
        """
    )
    public func sendPasswordReset(
      withEmail email: String, actionCodeSettings: ActionCodeSettings? = nil,
      completion: (((any Error)?) -> Void)?
    ) { unavailable() }

    /// Unavailable: the call is asynchronous.
    @available(
      *, unavailable,
      message: """
        The call is asynchronous: try await auth.sendSignInLink(toEmail: …, actionCodeSettings: …), in a \
        Task { … } if need be.
        """
    )
    public func sendSignInLink(
      toEmail email: String, actionCodeSettings: ActionCodeSettings, completion: (((any Error)?) -> Void)?
    ) { unavailable() }

    /// Unavailable: the call is asynchronous.
    @available(
      *, unavailable,
      message: """
        The call is asynchronous: try await auth.confirmPasswordReset(withCode: …, newPassword: …), in a \
        Task { … } if need be.
        """
    )
    public func confirmPasswordReset(
      withCode code: String, newPassword: String, completion: ((any Error)?) -> Void
    ) { unavailable() }

    /// Unavailable: the call is asynchronous.
    @available(
      *, unavailable,
      message: """
        The call is asynchronous: try await auth.verifyPasswordResetCode(code), in a Task { … } if need be.
        """
    )
    public func verifyPasswordResetCode(_ code: String, completion: (String?, (any Error)?) -> Void) {
      unavailable()
    }

    /// Unavailable: the call is asynchronous.
    @available(
      *, unavailable,
      message: "The call is asynchronous: try await auth.checkActionCode(code), in a Task { … } if need be."
    )
    public func checkActionCode(_ code: String, completion: (ActionCodeInfo?, (any Error)?) -> Void) {
      unavailable()
    }

    /// Unavailable: the call is asynchronous.
    @available(
      *, unavailable,
      message: "The call is asynchronous: try await auth.applyActionCode(code), in a Task { … } if need be."
    )
    public func applyActionCode(_ code: String, completion: ((any Error)?) -> Void) { unavailable() }

    /// Unavailable: the call is asynchronous.
    @available(
      *, unavailable,
      message: """
        The call is asynchronous: try await auth.fetchSignInMethods(forEmail: …), in a Task { … } if need \
        be.
        """
    )
    public func fetchSignInMethods(forEmail email: String, completion: (([String]?, (any Error)?) -> Void)?) {
      unavailable()
    }
  }
#endif
