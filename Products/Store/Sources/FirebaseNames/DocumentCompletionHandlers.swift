// Names of firebase-ios-sdk; see FirestoreNames.swift.
#if !canImport(FirebaseFirestore)
  import TenonCore

  extension DocumentReference {
    /// Unavailable: the call is asynchronous.
    @available(
      *, unavailable,
      message: "The call is asynchronous: try await document.setData(data), in a Task { … } if need be."
    )
    public func setData(_ data: [String: Any], merge: Bool = false, completion: (((any Error)?) -> Void)?) {
      unavailable()
    }

    /// Unavailable: the call is asynchronous.
    @available(
      *, unavailable,
      message: """
        The call is asynchronous: try await document.setData(data, mergeFields: fields), in a Task { … } if \
        need be.
        """
    )
    public func setData(
      _ data: [String: Any], mergeFields fields: [Any], completion: (((any Error)?) -> Void)?
    ) { unavailable() }

    /// Unavailable: the call is asynchronous.
    @available(
      *, unavailable,
      message:
        "The call is asynchronous: try await document.setData(from: value), in a Task { … } if need be."
    )
    public func setData(
      from value: some Encodable, merge: Bool = false, completion: (((any Error)?) -> Void)?
    ) throws { unavailable() }

    /// Unavailable: the call is asynchronous.
    @available(
      *, unavailable,
      message: """
        The call is asynchronous: try await document.setData(from: value, mergeFields: fields), in a Task { \
        … } if need be.
        """
    )
    public func setData(
      from value: some Encodable, mergeFields fields: [Any], completion: (((any Error)?) -> Void)?
    ) throws { unavailable() }

    /// Unavailable: the call is asynchronous.
    @available(
      *, unavailable,
      message: "The call is asynchronous: try await document.updateData(fields), in a Task { … } if need be."
    )
    public func updateData(_ fields: [AnyHashable: Any], completion: (((any Error)?) -> Void)?) {
      unavailable()
    }

    /// Unavailable: the call is asynchronous.
    @available(
      *, unavailable,
      message: "The call is asynchronous: try await document.delete(), in a Task { … } if need be."
    )
    public func delete(completion: (((any Error)?) -> Void)?) { unavailable() }

    /// Unavailable: the call is asynchronous.
    @available(
      *, unavailable,
      message: "The call is asynchronous: try await document.getDocument(), in a Task { … } if need be."
    )
    public func getDocument(
      source: FirestoreSource = .default, completion: (DocumentSnapshot?, (any Error)?) -> Void
    ) { unavailable() }

    /// Unavailable: the call is asynchronous.
    @available(
      *, unavailable,
      message: """
        The call is asynchronous: try await document.getDocument(as: Model.self), in a Task { … } if need \
        be.
        """
    )
    public func getDocument<Decoded: Decodable>(
      as type: Decoded.Type, completion: (Result<Decoded, any Error>) -> Void
    ) { unavailable() }
  }

  extension CollectionReference {
    /// Unavailable: the call is asynchronous.
    @available(
      *, unavailable,
      message: """
        The call is asynchronous: let document = try await collection.addDocument(data: data), in a Task { … \
        } if need be.
        """
    )
    @discardableResult
    public func addDocument(data: [String: Any], completion: (((any Error)?) -> Void)?) -> DocumentReference {
      unavailable()
    }

    /// Unavailable: the call is asynchronous.
    @available(
      *, unavailable,
      message: """
        The call is asynchronous: let document = try await collection.addDocument(from: value), in a Task { \
        … } if need be.
        """
    )
    @discardableResult
    public func addDocument(from value: some Encodable, completion: (((any Error)?) -> Void)?) throws
      -> DocumentReference
    { unavailable() }
  }

  extension Queryable {
    /// Unavailable: the call is asynchronous.
    @available(
      *, unavailable,
      message: "The call is asynchronous: try await query.getDocuments(), in a Task { … } if need be."
    )
    public func getDocuments(
      source: FirestoreSource = .default, completion: (QuerySnapshot?, (any Error)?) -> Void
    ) { unavailable() }
  }

  extension AggregateQuery {
    /// Unavailable: the call is asynchronous.
    @available(
      *, unavailable,
      message: "The call is asynchronous: try await query.getAggregation(), in a Task { … } if need be."
    )
    public func getAggregation(
      source: FirestoreSource = .default, completion: (AggregateQuerySnapshot?, (any Error)?) -> Void
    ) { unavailable() }
  }

  extension WriteBatch {
    /// Unavailable: the call is asynchronous.
    @available(
      *, unavailable,
      message: "The call is asynchronous: try await batch.commit(), in a Task { … } if need be."
    )
    public func commit(completion: (((any Error)?) -> Void)?) { unavailable() }
  }
#endif
