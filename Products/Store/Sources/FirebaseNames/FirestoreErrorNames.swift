// Names of firebase-ios-sdk; see FirestoreNames.swift.
#if !canImport(FirebaseFirestore)
  import TenonCore

  /// Unavailable: it is ``StoreError/Code``.
  @available(
    *, unavailable, renamed: "StoreError.Code",
    message:
      "An error is a StoreError, whose code is a StoreError.Code: (error as? StoreError)?.code == .notFound."
  )
  public typealias FirestoreErrorCode = StoreError.Code

  // swift-format-ignore: AlwaysUseLowerCamelCase
  /// Unavailable: the error has a type.
  @available(*, unavailable, message: "The error is a StoreError: catch let error as StoreError.")
  public var FirestoreErrorDomain: String { unavailable() }

  extension StoreError.Code {
    /// Unavailable: it is the type itself.
    @available(*, unavailable, message: "Codes have no numbers: (error as? StoreError)?.code == .notFound.")
    public typealias Code = StoreError.Code

    /// Unavailable: codes are text.
    @available(*, unavailable, message: "Codes have no numbers: (error as? StoreError)?.code == .notFound.")
    public init?(rawValue: Int) { return nil }
  }
#endif
