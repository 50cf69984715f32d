// Names of firebase-ios-sdk; see StorageNames.swift.
#if !canImport(FirebaseStorage)
  import TenonCore
  public import TenonFoundation

  extension StorageReference {
    /// Unavailable: the call is asynchronous.
    @available(
      *, unavailable,
      message: """
        The call is asynchronous: try await reference.putDataAsync(data, metadata: metadata), in a Task { … \
        } if need be.
        """
    )
    @discardableResult
    public func putData(
      _ uploadData: Data, metadata: StorageMetadata? = nil,
      completion: (StorageMetadata?, (any Error)?) -> Void
    ) -> StorageUploadTask { unavailable() }

    /// Unavailable: the call is asynchronous.
    @available(
      *, unavailable,
      message: """
        The call is asynchronous: try await reference.putFileAsync(from: url, metadata: metadata), in a Task \
        { … } if need be.
        """
    )
    @discardableResult
    public func putFile(
      from url: URL, metadata: StorageMetadata? = nil, completion: (StorageMetadata?, (any Error)?) -> Void
    ) -> StorageUploadTask { unavailable() }

    /// Unavailable: the call is asynchronous.
    @available(
      *, unavailable,
      message: "The call is asynchronous: try await reference.data(maxSize: …), in a Task { … } if need be."
    )
    @discardableResult
    public func getData(maxSize: Int64, completion: (Data?, (any Error)?) -> Void) -> StorageDownloadTask {
      unavailable()
    }

    /// Unavailable: the call is asynchronous.
    @available(
      *, unavailable,
      message: """
        The call is asynchronous: try await reference.writeAsync(toFile: url), in a Task { … } if need be.
        """
    )
    @discardableResult
    public func write(toFile url: URL, completion: (URL?, (any Error)?) -> Void) -> StorageDownloadTask {
      unavailable()
    }

    /// Unavailable: the call is asynchronous.
    @available(
      *, unavailable,
      message: "The call is asynchronous: try await reference.downloadURL(), in a Task { … } if need be."
    )
    public func downloadURL(completion: (URL?, (any Error)?) -> Void) { unavailable() }

    /// Unavailable: the call is asynchronous.
    @available(
      *, unavailable,
      message: "The call is asynchronous: try await reference.getMetadata(), in a Task { … } if need be."
    )
    public func getMetadata(completion: (StorageMetadata?, (any Error)?) -> Void) { unavailable() }

    /// Unavailable: the call is asynchronous.
    @available(
      *, unavailable,
      message: """
        The call is asynchronous: try await reference.updateMetadata(metadata), in a Task { … } if need be.
        """
    )
    public func updateMetadata(
      _ metadata: StorageMetadata, completion: (StorageMetadata?, (any Error)?) -> Void
    ) { unavailable() }

    /// Unavailable: the call is asynchronous.
    @available(
      *, unavailable,
      message: "The call is asynchronous: try await reference.delete(), in a Task { … } if need be."
    )
    public func delete(completion: ((any Error)?) -> Void) { unavailable() }

    /// Unavailable: the call is asynchronous.
    @available(
      *, unavailable,
      message:
        "The call is asynchronous: try await reference.list(maxResults: …), in a Task { … } if need be."
    )
    public func list(maxResults: Int64, completion: (StorageListResult?, (any Error)?) -> Void) {
      unavailable()
    }

    /// Unavailable: the call is asynchronous.
    @available(
      *, unavailable,
      message: """
        The call is asynchronous: try await reference.list(maxResults: …, pageToken: …), in a Task { … } if \
        need be.
        """
    )
    public func list(
      maxResults: Int64, pageToken: String, completion: (StorageListResult?, (any Error)?) -> Void
    ) { unavailable() }

    /// Unavailable: the call is asynchronous.
    @available(
      *, unavailable,
      message: "The call is asynchronous: try await reference.listAll(), in a Task { … } if need be."
    )
    public func listAll(completion: (StorageListResult?, (any Error)?) -> Void) { unavailable() }
  }
#endif
