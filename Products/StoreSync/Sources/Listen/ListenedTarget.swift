import TenonStoreInterop

/// The state of one target of a ``ListenStream``.
struct ListenedTarget {
  /// How far the current channel is with the target.
  enum Phase {
    /// The server hasn't been asked on this channel.
    case unsent
    /// The server was asked, and hasn't sent the whole target.
    case sending
    /// The server has sent the whole target, and sends changes.
    case current
  }

  /// The request of the listener.
  let request: ListenTarget
  /// The position of the request among all requests of the stream.
  let order: Int
  /// How far the current channel is.
  var phase = Phase.unsent
  /// The state of a target that is too large for the server's channel; `nil` if the server sends the
  /// documents. A stored property, so that its documents are changed in place.
  var polled: PolledTarget?
  /// The point from which the target is requested on the next channel; `nil` for the beginning.
  var resumption: ListenTarget.Resumption?
  /// The number of documents that the listener has at ``resumption``; `nil` if it is no longer known.
  var expectedCount: Int?
  /// The last token that was received since the last consistent snapshot; `nil` if there was none.
  var newToken: ListenTarget.Resumption?
  /// Whether the listener has received the confirmation of the target.
  var isConfirmed = false
  /// Whether the listener has received events of the target since the last consistent snapshot.
  var isTouched = false
  /// Whether the number of documents must be known before the server is asked, because a channel has ended
  /// while it sent the target.
  var isSuspect = false
  /// The number of documents when they were counted, at most the limit of ``ListenStream/directLimit`` plus
  /// 1; 0 before.
  var count = 0

  /// Creates the state of a target that was requested.
  init(_ request: ListenTarget, order: Int) {
    self.request = request
    self.order = order
    resumption = request.resumption
    expectedCount = request.expectedCount
  }

  /// The query, if the target can have more documents than a channel can carry in one response.
  var largeQuery: StructuredQuery? {
    guard case .query(let query) = request.content else { return nil }
    if let limit = query.limit, limit <= ListenStream.directLimit { return nil }
    return query
  }
}

/// The state of a target whose documents are read by queries instead of being sent, because the server would
/// abort the channel.
///
/// Google's emulator ends every channel for which more than 10,000 messages are queued, and sends all
/// documents of a target together: when it is added, even if it is resumed, and after each commit that
/// changes a document of its collection. A target of at most 9,998 documents passes; beyond that, the channel
/// ends with status 400 before the first document. But a query with the limit 1, the *notifier*, is sent
/// again after each such commit as well, with the read time of the state after it. So the notifier is
/// listened to in place of the target, and after each of its changes the whole result is read at that read
/// time, in pages, and compared with what the listener has. Snapshots stay consistent with other targets,
/// because other events wait in the meantime.
///
/// Several targets for the ranges of one query wouldn't be reliable: a commit sends all of them again, and
/// whether the channel survives depends on how fast its connection takes them. Two targets of 8,000 documents
/// each survived a commit; targets of 16,000 documents in all that were added in one request didn't. A server
/// that resumes targets, such as production, needs none of this: the documents are read in pages, and the
/// target is resumed from their read time.
struct PolledTarget {
  /// The ID of the notifier on the channel.
  let notifier: Int
  /// Whether the server's handling of resumption is still to be determined: the notifier is resumed, and the
  /// server either sends it again (`reset`) or not.
  var isProbe: Bool
  /// Whether the server has reset the notifier on this channel.
  var wasReset = false
  /// Whether the notifier is current on this channel.
  var isCurrent = false
  /// Whether documents may have changed since they were read.
  var isDirty = true
  /// Whether the documents were read completely at least once.
  var isFilled = false
  /// The update times of the documents that the listener has, in microseconds since 1970, and the number of
  /// the reading in which each was last found.
  var known: [ResourcePath: (updated: Int64, reading: Int)] = [:]
  /// The number of readings that have begun.
  var reading = 0
}
