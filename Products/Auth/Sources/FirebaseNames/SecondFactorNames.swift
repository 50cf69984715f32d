// Names of firebase-ios-sdk; see AuthNames.swift.
#if !canImport(FirebaseAuth)
  import TenonCore

  extension MultiFactor {
    /// Unavailable: the call is asynchronous.
    @available(
      *, unavailable,
      message: "The call is asynchronous: try await user.multiFactor.session(), in a Task { … } if need be."
    )
    public func getSessionWithCompletion(_ completion: ((MultiFactorSession?, (any Error)?) -> Void)?) {
      unavailable()
    }

    /// Unavailable: the call is asynchronous.
    @available(
      *, unavailable,
      message: """
        The call is asynchronous: try await user.multiFactor.enroll(with: assertion, displayName: …), in a \
        Task { … } if need be.
        """
    )
    public func enroll(
      with assertion: MultiFactorAssertion, displayName: String?, completion: (((any Error)?) -> Void)?
    ) { unavailable() }

    /// Unavailable: the call is asynchronous.
    @available(
      *, unavailable,
      message:
        "The call is asynchronous: try await user.multiFactor.unenroll(with: info), in a Task { … } if need be."
    )
    public func unenroll(with factorInfo: any MultiFactorInfo, completion: (((any Error)?) -> Void)?) {
      unavailable()
    }
  }

  extension MultiFactorResolver {
    /// Unavailable: the call is asynchronous.
    @available(
      *, unavailable,
      message:
        "The call is asynchronous: try await resolver.resolveSignIn(with: assertion), in a Task { … } if need be."
    )
    public func resolveSignIn(
      with assertion: MultiFactorAssertion, completion: ((AuthDataResult?, (any Error)?) -> Void)?
    ) { unavailable() }
  }

  extension TOTPSecret {
    /// Unavailable: no app is opened.
    @available(
      *, unavailable, message: "Show the URL as a QR code, or open it with the means of the platform."
    )
    public func openInOTPApp(withQRCodeURL qrCodeURL: String) { unavailable() }
  }

  // swift-format-ignore: AlwaysUseLowerCamelCase
  /// Unavailable: the error has a property.
  @available(
    *, unavailable, message: "The resolver is a property: (error as? AuthError)?.multiFactorResolver."
  )
  public var AuthErrorUserInfoMultiFactorResolverKey: String { unavailable() }

  /// Unavailable: assertions have one type.
  @available(*, unavailable, renamed: "MultiFactorAssertion")
  public typealias PhoneMultiFactorAssertion = MultiFactorAssertion

  /// Unavailable: assertions have one type.
  @available(*, unavailable, renamed: "MultiFactorAssertion")
  public typealias TOTPMultiFactorAssertion = MultiFactorAssertion
#endif
