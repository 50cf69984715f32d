// Names of firebase-ios-sdk; see FunctionsNames.swift.
#if !canImport(FirebaseFunctions)
  import TenonCore

  /// Unavailable: it is ``FunctionsError/Code``.
  @available(*, unavailable, renamed: "FunctionsError.Code")
  public typealias FunctionsErrorCode = FunctionsError.Code

  // swift-format-ignore: AlwaysUseLowerCamelCase
  /// Unavailable: the error has a type.
  @available(*, unavailable, message: "The error is a FunctionsError: catch let error as FunctionsError.")
  public var FunctionsErrorDomain: String { unavailable() }

  // swift-format-ignore: AlwaysUseLowerCamelCase
  /// Unavailable: the error has a property.
  @available(*, unavailable, message: "The details are a property: (error as? FunctionsError)?.details.")
  public var FunctionsErrorDetailsKey: String { unavailable() }

  extension FunctionsError.Code {
    /// Unavailable: codes are text.
    @available(
      *, unavailable, message: "Codes have no numbers: (error as? FunctionsError)?.code == .notFound."
    )
    public init?(rawValue: Int) { return nil }
  }
#endif
