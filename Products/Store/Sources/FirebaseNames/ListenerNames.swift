// Names of firebase-ios-sdk; see FirestoreNames.swift.
#if !canImport(FirebaseFirestore)
  import TenonCore

  extension DocumentReference {
    /// Unavailable: a listener receives a result.
    @available(
      *, unavailable,
      message: """
        A listener receives a Result: addSnapshotListener { result in switch result { case .success(let document): \
        … case .failure(let error): … } }.
        """
    )
    @discardableResult
    public func addSnapshotListener(
      includeMetadataChanges: Bool = false, _ listener: (DocumentSnapshot?, (any Error)?) -> Void
    ) -> ListenerRegistration { unavailable() }
  }

  extension Queryable {
    /// Unavailable: a listener receives a result.
    @available(
      *, unavailable,
      message: """
        A listener receives a Result: addSnapshotListener { result in switch result { case .success(let snapshot): \
        … case .failure(let error): … } }.
        """
    )
    @discardableResult
    public func addSnapshotListener(
      includeMetadataChanges: Bool = false, _ listener: (QuerySnapshot?, (any Error)?) -> Void
    ) -> ListenerRegistration { unavailable() }
  }
#endif
