public import TenonTransportInterop

/// The settings of ``StoreSync``.
public struct StoreSyncSettings: Sendable, Hashable {
  /// The collection of ``recordsWrites``, at the root of the database: `tenon-writes`.
  public static let recordsCollection = "tenon-writes"

  /// The maximum duration of a request that isn't part of a listen stream, including tokens and repetitions;
  /// 60 seconds by default. For a query, it applies to each page of its result.
  public var timeoutInterval: Duration
  /// The maximum durations of the phases of an exchange; by default, those of `HTTPTimeouts` and 30 seconds
  /// until the first byte of the response. The timeouts of a listen stream's hanging requests are its own.
  public var timeouts: HTTPTimeouts
  /// Whether each commit whose repetition could do harm also creates a document that shows afterwards that it
  /// was applied; `false` by default.
  ///
  /// If the connection breaks before the response to a commit has arrived, whether the server applied it is
  /// unknown, and the writes are sent again. Firestore's protocol can't recognize the repetition. Without
  /// records, as in Firebase's SDKs:
  /// - An increment is applied twice if the lost response was a success. Other transforms and plain writes
  ///   have the same effect as the first time; if another client has changed the document in the meantime,
  ///   they replace its change.
  /// - A write with a precondition, such as that of a transaction, can be reported as rejected although it
  ///   was applied.
  ///
  /// With records, each batch that contains an increment or a precondition is applied exactly once, also
  /// across restarts of the process. Its commit creates the document `tenon-writes/ID`, where ID is the UUID
  /// of the batch, on the condition that it doesn't exist. If it does, the batch was applied; the record
  /// holds the time of the commit. Records are deleted once Store has saved the responses, together with
  /// later writes; a device that is never used again leaves at most 100 of them. `StoreRemote.commit(_:in:)`,
  /// which Store doesn't use, makes no records.
  ///
  /// A record costs one more write, one more deletion and, after a lost response, the reads of the changed
  /// documents. The database's rules must permit the app's users to create, read and delete documents of the
  /// collection; they have random names and contain only the time in the field `time`:
  /// ```text
  /// match /tenon-writes/{id} { allow get, create, delete: if request.auth != null; }
  /// ```
  public var recordsWrites: Bool

  /// Creates settings. See the properties for the defaults.
  public init(
    timeoutInterval: Duration = .seconds(60), timeouts: HTTPTimeouts = HTTPTimeouts(firstByte: .seconds(30)),
    recordsWrites: Bool = false
  ) {
    self.timeoutInterval = timeoutInterval
    self.timeouts = timeouts
    self.recordsWrites = recordsWrites
  }
}
