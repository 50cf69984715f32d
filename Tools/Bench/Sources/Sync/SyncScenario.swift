#if os(Linux)
  import ArgumentParser

  /// What a client does, in a separate process.
  enum SyncScenario: String, ExpressibleByArgument {
    /// Changes a document on one device, and waits for the snapshot of a listener on another device; again
    /// and again.
    case listener
    /// Writes documents one after another, each when the server has confirmed the previous one.
    case single
    /// Writes batches of 500 documents, one after another.
    case batch
    /// Sends writes that have been made while the device was offline.
    case queued
    /// Listens to a collection for the first time, until its whole content has arrived and has been read.
    case listen
    /// Creates a collection for ``listen``. It isn't measured.
    case seed
  }

  /// What a client has measured.
  struct SyncReport: Codable {
    /// The time of one operation, or of one document, in nanoseconds.
    var time: Double?
    /// The number of bytes by which the largest resident memory of the process during the operations exceeds
    /// the memory before them.
    var added: Double?
    /// The largest resident memory of the process during the operations, in bytes.
    var memory: Double?
    /// The sentence to print if the client can't run here.
    var absent: String?
  }
#endif
