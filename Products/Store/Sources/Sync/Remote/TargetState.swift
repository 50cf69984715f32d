import Foundation
import TenonDocuments
import TenonStoreInterop

/// What the remote has sent for one target since the last consistent snapshot.
struct TargetState {
  /// The combined change.
  struct Change {
    var token = Data()
    var isCurrent = false
    var added: Set<ResourcePath> = []
    var modified: Set<ResourcePath> = []
    var removed: Set<ResourcePath> = []
  }

  private enum DocumentChange { case added, modified, removed }

  /// The number of requests that the remote hasn't answered yet. Until then, what it sends belongs to an earlier request.
  private var unanswered = 0
  private var documents: [ResourcePath: DocumentChange] = [:]
  private var token = Data()
  private(set) var isCurrent = false
  /// A new target has changes, even if no documents belong to it.
  private(set) var hasChanges = true

  var isPending: Bool { unanswered > 0 }

  mutating func requestSent() { unanswered += 1 }
  /// An unrequested answer is ignored.
  mutating func answerReceived() { unanswered = max(0, unanswered - 1) }

  mutating func update(token: Data?) {
    guard let token, !token.isEmpty else { return }
    hasChanges = true
    self.token = token
  }

  mutating func markCurrent() {
    hasChanges = true
    isCurrent = true
  }

  mutating func add(_ path: ResourcePath, isKnown: Bool) {
    hasChanges = true
    documents[path] = isKnown ? .modified : .added
  }

  mutating func remove(_ path: ResourcePath, isKnown: Bool) {
    hasChanges = true
    // A document that was added and removed in between is no change.
    documents[path] = isKnown ? .removed : nil
  }

  mutating func clear() {
    hasChanges = false
    documents = [:]
  }

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

  /// The number of documents by which the target has grown.
  var growth: Int {
    documents.values.reduce(0) { $0 + ($1 == .added ? 1 : $1 == .removed ? -1 : 0) }
  }
}
