// Names of firebase-ios-sdk; see StorageNames.swift.
#if !canImport(FirebaseStorage)
  import TenonCore

  /// Unavailable: it is ``StorageError/Code``.
  @available(*, unavailable, renamed: "StorageError.Code")
  public typealias StorageErrorCode = StorageError.Code

  // swift-format-ignore: AlwaysUseLowerCamelCase
  /// Unavailable: the error has a type.
  @available(*, unavailable, message: "The error is a StorageError: catch let error as StorageError.")
  public var StorageErrorDomain: String { unavailable() }

  extension StorageError.Code {
    /// Unavailable: codes are text.
    @available(
      *, unavailable, message: "Codes have no numbers: (error as? StorageError)?.code == .objectNotFound."
    )
    public init?(rawValue: Int) { return nil }
  }

  extension StorageError {
    /// Unavailable: the error has a code.
    @available(
      *, unavailable, message: "An error has a code: switch error.code { case .unauthenticated: … }."
    )
    public static var unauthenticated: StorageError { unavailable() }

    /// Unavailable: the error has a code.
    @available(*, unavailable, message: "An error has a code: switch error.code { case .unauthorized: … }.")
    public static var unauthorized: StorageError { unavailable() }

    /// Unavailable: the error has a code.
    @available(*, unavailable, message: "An error has a code: switch error.code { case .cancelled: … }.")
    public static var cancelled: StorageError { unavailable() }

    /// Unavailable: the error has a code.
    @available(
      *, unavailable, message: "An error has a code: switch error.code { case .retryLimitExceeded: … }."
    )
    public static var retryLimitExceeded: StorageError { unavailable() }

    /// Unavailable: the error has a code.
    @available(*, unavailable, message: "Errors aren't compared; their codes are: switch error.code { … }.")
    public static func ~= (pattern: StorageError, error: StorageError) -> Bool { unavailable() }
  }
#endif
