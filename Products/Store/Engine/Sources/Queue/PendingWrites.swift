public import TenonFoundation
public import TenonValues

/// How many writes wait for the remote's answer, and what they wait for.
///
/// A value describes the time at which ``Store/pendingWrites`` was read.
public struct PendingWrites: Sendable, CustomStringConvertible {
  /// What the queue is doing, stable across versions.
  public struct State: RawRepresentable, Sendable, Hashable, CustomStringConvertible {
    /// The state as text, for example `backing-off`.
    public let rawValue: String

    /// Creates a state that this version doesn't know.
    public init(rawValue: String) { self.rawValue = rawValue }

    /// The state as text, which is ``rawValue``.
    public var description: String { rawValue }

    /// The current user has no pending writes.
    public static let empty = State(rawValue: "empty")
    /// The writes are sent, or were sent and wait for their answer.
    public static let sending = State(rawValue: "sending")
    /// The last attempt failed, for ``PendingWrites/failure``. The next one is at
    /// ``PendingWrites/nextAttempt``, or sooner if the remote answers anything else.
    public static let backingOff = State(rawValue: "backing-off")
    /// The app has called ``Store/disableNetwork()``.
    public static let networkDisabled = State(rawValue: "network-disabled")
    /// Another process sends the writes of the database: ``PendingWrites/process``.
    public static let otherProcess = State(rawValue: "other-process")
    /// The remote itself has failed, for ``PendingWrites/failure``. It is tried again when the app writes,
    /// listens, waits for writes, or calls ``Store/enableNetwork()``.
    public static let remoteFailed = State(rawValue: "remote-failed")
    /// The database on this device can't be written; it is tried again.
    public static let databaseFailed = State(rawValue: "database-failed")
    /// No linked library provides a remote.
    public static let noRemote = State(rawValue: "no-remote")
  }

  /// The number of pending batches of the current user: writes that were committed together count once.
  public let count: Int
  /// The time at which the oldest of them were made, by this device's clock; `nil` if there are none.
  public let oldest: Timestamp?
  /// What the queue is doing.
  public let state: State
  /// When the writes are sent again; `nil` unless the queue is ``State/backingOff``.
  public let nextAttempt: Date?
  /// Why the last attempt to reach the remote failed; `nil` if it was answered.
  public let failure: StoreError?
  /// The ID of the process that sends the writes; `nil` unless the queue waits for another process, and if it
  /// isn't known.
  public let process: Int?
  /// The number of pending batches of other users, which are sent when these are signed in again.
  public let countOfOtherUsers: Int
  /// The number of rejected writes of the current user that the app hasn't dismissed; see
  /// ``Store/rejectedWrites``.
  public let rejectedCount: Int

  package init(
    count: Int, oldest: Timestamp?, state: State, nextAttempt: Date?, failure: StoreError?, process: Int?,
    countOfOtherUsers: Int, rejectedCount: Int
  ) {
    (self.count, self.oldest, self.state) = (count, oldest, state)
    (self.nextAttempt, self.failure, self.process) = (nextAttempt, failure, process)
    (self.countOfOtherUsers, self.rejectedCount) = (countOfOtherUsers, rejectedCount)
  }

  /// A sentence for a log, without contents of documents.
  public var description: String {
    var text = count == 1 ? "1 pending write" : "\(count) pending writes"
    switch state {
    case .empty: break
    case .sending: text += ", being sent"
    case .backingOff: text += ", sent again at \(nextAttempt?.formatted(.iso8601) ?? "an unknown time")"
    case .networkDisabled: text += ", because the network is disabled"
    case .otherProcess: text += ", sent by \(process.map { "process \($0)" } ?? "another process")"
    case .remoteFailed: text += ", because the remote has failed"
    case .databaseFailed: text += ", because the database can't be written"
    case .noRemote: text += ", because no linked library provides a remote"
    default: text += ", \(state)"
    }
    if countOfOtherUsers > 0 { text += ", \(countOfOtherUsers) of users who aren't signed in" }
    if rejectedCount > 0 { text += ", \(rejectedCount) rejected" }
    if let failure { text += ": \(failure.message)" }
    return text
  }
}
