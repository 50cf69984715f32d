// Names of firebase-ios-sdk; see StorageNames.swift.
#if !canImport(FirebaseStorage)
  import TenonCore

  extension StorageUploadTask {
    /// Unavailable: what happens is a stream.
    @available(
      *, unavailable,
      message: """
        Iterate over a stream: for await progress in task.progress { … }. The result is try await task.value. A \
        view observes LiveTransfer(task).
        """
    )
    @discardableResult
    public func observe(_ status: StorageTaskStatus, handler: (StorageTaskSnapshot) -> Void) -> String {
      unavailable()
    }

    /// Unavailable: a stream ends with the task that iterates over it.
    @available(*, unavailable, message: "A stream ends with the Task that iterates over it. Remove the line.")
    public func removeAllObservers() { unavailable() }

    /// Unavailable: a stream ends with the task that iterates over it.
    @available(*, unavailable, message: "A stream ends with the Task that iterates over it. Remove the line.")
    public func removeAllObservers(for status: StorageTaskStatus) { unavailable() }

    /// Unavailable: a stream ends with the task that iterates over it.
    @available(*, unavailable, message: "A stream ends with the Task that iterates over it. Remove the line.")
    public func removeObserver(withHandle handle: String) { unavailable() }

    /// Unavailable: an upload begins when it is made.
    @available(*, unavailable, message: "The upload has begun. Remove the line.")
    public func enqueue() { unavailable() }
  }

  extension StorageDownloadTask {
    /// Unavailable: what happens is a stream.
    @available(
      *, unavailable,
      message: """
        Iterate over a stream: for await progress in task.progress { … }. The result is try await task.value. A \
        view observes LiveTransfer(task).
        """
    )
    @discardableResult
    public func observe(_ status: StorageTaskStatus, handler: (StorageTaskSnapshot) -> Void) -> String {
      unavailable()
    }

    /// Unavailable: a stream ends with the task that iterates over it.
    @available(*, unavailable, message: "A stream ends with the Task that iterates over it. Remove the line.")
    public func removeAllObservers() { unavailable() }

    /// Unavailable: a stream ends with the task that iterates over it.
    @available(*, unavailable, message: "A stream ends with the Task that iterates over it. Remove the line.")
    public func removeAllObservers(for status: StorageTaskStatus) { unavailable() }

    /// Unavailable: a stream ends with the task that iterates over it.
    @available(*, unavailable, message: "A stream ends with the Task that iterates over it. Remove the line.")
    public func removeObserver(withHandle handle: String) { unavailable() }

    /// Unavailable: a download begins when it is made.
    @available(*, unavailable, message: "The download has begun. Remove the line.")
    public func enqueue() { unavailable() }
  }

  extension StorageTaskStatus {
    /// Unavailable: a transfer that goes on reports its progress.
    @available(*, unavailable, renamed: "progress")
    public static var resume: StorageTaskStatus { unavailable() }

    /// Unavailable: a transfer has a state from the beginning, `progress`.
    @available(*, unavailable, renamed: "progress")
    public static var unknown: StorageTaskStatus { unavailable() }
  }
#endif
