// Names of firebase-ios-sdk; see FirestoreNames.swift.
#if !canImport(FirebaseFirestore)
  import TenonCore
  public import TenonValues

  extension Store {
    /// Unavailable: it is `FieldsEncoder`.
    @available(*, unavailable, renamed: "FieldsEncoder")
    public typealias Encoder = FieldsEncoder

    /// Unavailable: it is `FieldsDecoder`.
    @available(*, unavailable, renamed: "FieldsDecoder")
    public typealias Decoder = FieldsDecoder
  }

  /// Unavailable: a query is observed by ``LiveQuery``.
  @available(
    *, unavailable,
    message: """
      Observe the query in the view: @State private var boats = LiveQuery(store.collection("boats"), as: \
      Boat.self), and read boats.values.
      """
  )
  @propertyWrapper
  public struct FirestoreQuery<Models> {
    /// Unavailable.
    public init(collectionPath: String, predicates: [Filter] = []) { unavailable() }

    /// Unavailable.
    public var wrappedValue: Models { unavailable() }
  }
#endif
