// Names of firebase-ios-sdk; see AuthNames.swift.
#if !canImport(FirebaseAuth)
  import TenonCore

  /// Unavailable: it is ``AuthError/Code``.
  @available(
    *, unavailable, renamed: "AuthError.Code",
    message:
      "An error is an AuthError, whose code is an AuthError.Code: (error as? AuthError)?.code == .wrongPassword."
  )
  public typealias AuthErrorCode = AuthError.Code

  // swift-format-ignore: AlwaysUseLowerCamelCase
  /// Unavailable: the error has a type.
  @available(*, unavailable, message: "The error is an AuthError: catch let error as AuthError.")
  public var AuthErrorDomain: String { unavailable() }

  // swift-format-ignore: AlwaysUseLowerCamelCase
  /// Unavailable: the error has a property.
  @available(*, unavailable, message: "The e-mail address is a property: (error as? AuthError)?.email.")
  public var AuthErrorUserInfoEmailKey: String { unavailable() }

  // swift-format-ignore: AlwaysUseLowerCamelCase
  /// Unavailable: the error has a property.
  @available(*, unavailable, message: "The credential is a property: (error as? AuthError)?.credential.")
  public var AuthErrorUserInfoUpdatedCredentialKey: String { unavailable() }

  // swift-format-ignore: AlwaysUseLowerCamelCase
  /// Unavailable: the error has a property.
  @available(*, unavailable, message: "The code is a property: (error as? AuthError)?.code.")
  public var AuthErrorUserInfoNameKey: String { unavailable() }

  extension AuthError.Code {
    /// Unavailable: codes are text.
    @available(
      *, unavailable, message: "Codes have no numbers: (error as? AuthError)?.code == .wrongPassword."
    )
    public init?(rawValue: Int) { return nil }

    /// Unavailable: the error has the code.
    @available(*, unavailable, message: "The code is that of the error: (error as? AuthError)?.code.")
    public var code: AuthError.Code { unavailable() }
  }
#endif
