import TenonFoundation
import TenonValues

/// The changes of one target since the last consistent snapshot.
///
/// Only the net change of each document is kept. A value counts the requests that the remote hasn't answered:
/// because an ID may be requested again before its end was acknowledged, events are valid only once all
/// requests and ends have been answered.
struct TargetState {
  /// The combined changes. A document is in at most one of the three sets.
  struct Change {
    /// The last resume token; empty if none was sent.
    var token = Data()
    /// Whether the remote has sent the whole target.
    var isCurrent = false
    /// The documents that belong to the target and didn't before.
    var added: Set<ResourcePath> = []
    /// The documents that belonged to the target and have changed.
    var modified: Set<ResourcePath> = []
    /// The documents that no longer belong to the target.
    var removed: Set<ResourcePath> = []
  }

  /// The net change of a document.
  private enum DocumentChange { case added, modified, removed }

  /// The number of requests that the remote hasn't answered. Until then, its events belong to an earlier
  /// request.
  private var unanswered = 0
  /// The net changes since the last consistent snapshot.
  private var documents: [ResourcePath: DocumentChange] = [:]
  /// The last resume token; it survives ``clear()``.
  private var token = Data()
  /// Whether the remote has sent the whole target; it survives ``clear()``.
  private(set) var isCurrent = false
  /// Whether there are changes. A new target has, even if no documents belong to it.
  private(set) var hasChanges = true

  /// Whether a request is unanswered.
  var isPending: Bool { unanswered > 0 }

  /// Counts a request of the target, or of its end, that the remote must answer.
  mutating func requestSent() { unanswered += 1 }
  /// Counts an answer; an unrequested one is ignored.
  mutating func answerReceived() { unanswered = max(0, unanswered - 1) }

  /// Records a resume token; an empty one is ignored.
  mutating func update(token: Data?) {
    guard let token, !token.isEmpty else { return }
    hasChanges = true
    self.token = token
  }

  /// Records that the remote has sent the whole target.
  mutating func markCurrent() {
    hasChanges = true
    isCurrent = true
  }

  /// Records a document that belongs to the target.
  ///
  /// - Parameters:
  ///   - path: the document.
  ///   - isKnown: whether it belonged to the target at the last consistent snapshot.
  mutating func add(_ path: ResourcePath, isKnown: Bool) {
    hasChanges = true
    documents[path] = isKnown ? .modified : .added
  }

  /// Records a document that no longer belongs to the target.
  ///
  /// - Parameters:
  ///   - path: the document.
  ///   - isKnown: whether it belonged to the target at the last consistent snapshot.
  mutating func remove(_ path: ResourcePath, isKnown: Bool) {
    hasChanges = true
    // A document that was added and removed in the meantime hasn't changed.
    documents[path] = isKnown ? .removed : nil
  }

  /// Begins the next consistent snapshot: the changes so far have been reported.
  mutating func clear() {
    hasChanges = false
    documents = [:]
  }

  /// The combined changes since the last consistent snapshot.
  var change: Change {
    var change = Change(token: token, isCurrent: isCurrent)
    for (path, kind) in documents {
      switch kind {
      case .added: change.added.insert(path)
      case .modified: change.modified.insert(path)
      case .removed: change.removed.insert(path)
      }
    }
    return change
  }

  /// The number of documents by which the target has grown since the last consistent snapshot; negative if it
  /// has shrunk.
  ///
  /// - Complexity: O(k) for k changed documents.
  var growth: Int {
    documents.values.reduce(0) { $0 + ($1 == .added ? 1 : $1 == .removed ? -1 : 0) }
  }
}
