// Names of firebase-ios-sdk; see FirestoreNames.swift.
#if !canImport(FirebaseFirestore)
  import TenonCore

  extension Store {
    /// Unavailable: the body throws.
    @available(
      *, unavailable,
      message: """
        The body takes no error pointer, it throws: try await store.runTransaction { transaction in let document = \
        try await transaction.getDocument(reference) … }.
        """
    )
    @discardableResult
    public func runTransaction(
      _ updateBlock: (Transaction, TransactionErrorPointer?) async throws -> Any?
    ) async throws -> Any? { unavailable() }

    /// Unavailable: a body without a result returns nothing.
    @available(*, unavailable, message: "A body without a result returns nothing: remove return nil.")
    @discardableResult
    public func runTransaction(_ body: (Transaction) async throws -> Any?) async throws -> Any? {
      unavailable()
    }

    /// Unavailable: the body throws, and the call is asynchronous.
    @available(
      *, unavailable,
      message: """
        The call is asynchronous, and the body throws: let result = try await store.runTransaction { transaction \
        in let document = try await transaction.getDocument(reference) … }.
        """
    )
    public func runTransaction(
      _ updateBlock: (Transaction, TransactionErrorPointer?) async throws -> Any?,
      completion: (Any?, (any Error)?) -> Void
    ) { unavailable() }
  }

  /// Unavailable: the body of a transaction throws.
  @available(*, unavailable, message: "The body of a transaction throws: throw the error.")
  public final class TransactionErrorPointer {
    /// Unavailable.
    public var pointee: (any Error)? {
      get { unavailable() }
      set { unavailable() }
    }
  }
#endif
