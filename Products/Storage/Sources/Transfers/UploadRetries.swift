import TenonFoundation
import TenonTransport

/// A temporary failure of a request of an upload.
struct UploadFailure: Error {
  /// What the upload throws if the request isn't repeated.
  let error: StorageError
  /// The delay for which the server asks; `nil` if it doesn't.
  var retryAfter: Duration?
  /// Whether the server contradicts what this client believes about the upload. Such failures are repeated a
  /// few times only.
  var isConflict = false
}

/// Decides whether and when an upload continues after temporary failures, as Firebase's SDKs do: 1 second
/// later, then after twice the delay each time, up to 64 seconds, until ``Storage/maxUploadRetryTime`` has
/// passed without progress.
struct UploadRetries {
  /// The delays: a second and its doubles, up to half longer by chance.
  private static let backoff = Backoff(first: .seconds(1), longest: .seconds(64), jitter: 1...1.5)
  /// The number of conflicts in a row after which the upload fails.
  private static let conflictLimit = 3

  /// The object, whose bucket has the limits.
  let reference: StorageReference
  /// The clock.
  let time: TimeSource
  /// The number of failures since the last progress.
  private var failures = 0
  /// The number of those that are conflicts.
  private var conflicts = 0
  /// The last failure since the last progress.
  private var last: StorageError?
  /// When the retries end; `nil` if nothing has failed since the last progress.
  private(set) var end: ContinuousClock.Instant?

  /// Creates the state of an upload that hasn't failed.
  init(_ reference: StorageReference) {
    self.reference = reference
    time = reference.storage.client.http.time
  }

  /// Begins the time limit, unless it has begun: requests without much content are limited from their start.
  mutating func begin() {
    if end == nil { end = time.now() + reference.storage.maxUploadRetryTime.limited }
  }

  /// Moves the time limit, if it has begun, by the time of a pause, which doesn't count.
  mutating func paused(for duration: Duration) { end = end.map { $0 + duration } }

  /// Notes progress, after which failures count from the beginning.
  mutating func succeeded() {
    failures = 0
    conflicts = 0
    last = nil
    end = nil
  }

  /// Returns the time limit of the next request without content.
  ///
  /// - Parameter transferEnd: when the upload ends at the latest.
  func limit(until transferEnd: ContinuousClock.Instant) -> StorageClient.TimeLimit {
    var limit = StorageClient.TimeLimit.upload(reference.storage, until: transferEnd)
    // Checked: a difference of instants of this process.
    if let end { limit.duration = min(limit.duration, max(.zero, end - time.now())) }
    return limit
  }

  /// Returns how long to wait after a failure.
  ///
  /// - Parameters:
  ///   - failure: the failure.
  ///   - transferEnd: when the upload ends at the latest.
  /// - Throws: the failure's error if it is final, and otherwise ``StorageError/Code/retryLimitExceeded`` if
  ///   the wait would end after a limit, with the failure's error as the underlying one.
  mutating func delay(
    after failure: UploadFailure, until transferEnd: ContinuousClock.Instant
  ) throws(StorageError) -> Duration {
    begin()
    failures += 1
    last = failure.error
    if failure.isConflict { conflicts += 1 }
    guard conflicts < Self.conflictLimit else { throw failure.error }
    let backoff = Self.backoff.delay(after: failures, random: time.random())
    let delay = max(backoff, failure.retryAfter?.limited ?? .zero)
    let limit = reference.storage.maxUploadRetryTime.limited
    // A clock that stands still must not mean endless attempts.
    let longest = 8 &+ Int(clamping: limit.components.seconds) / 64
    // Checked: at most a year.
    let wake = time.now() + delay
    guard let end, wake < end, wake < transferEnd, failures <= longest else {
      throw limitExceeded(failure.error, "The upload failed \(times).", until: transferEnd)
    }
    return delay
  }

  /// Returns the error of an attempt for which the time was too short. After failures, it tells of the last
  /// of them: that the server has no space left says more than that a token wasn't there in the remaining
  /// time.
  ///
  /// - Parameters:
  ///   - error: the error of the attempt.
  ///   - transferEnd: when the upload ends at the latest.
  func explained(_ error: StorageError, until transferEnd: ContinuousClock.Instant) -> StorageError {
    guard let last else { return error }
    return limitExceeded(
      last, "The upload failed \(times), and the next attempt didn't end in time.", until: transferEnd)
  }

  /// How often the upload failed since the last progress, for error messages.
  private var times: String { failures == 1 ? "once" : "\(failures) times in a row" }

  /// Returns the error of an upload whose time is over after failures.
  private func limitExceeded(
    _ last: StorageError, _ outcome: String, until transferEnd: ContinuousClock.Instant
  ) -> StorageError {
    let isTransfer = end.map { transferEnd <= $0 } ?? true
    let setting = isTransfer ? "maxTransferTime" : "maxUploadRetryTime"
    return StorageError(
      .retryLimitExceeded, "\(last.message) \(outcome) The limit is Storage.\(setting).", underlying: last)
  }
}
