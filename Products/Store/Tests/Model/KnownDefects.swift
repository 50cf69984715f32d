@testable import TenonStore

/// Situations in which Store is known to differ from the model: a batch that can't be applied as a whole to
/// what is visible before it, and may still succeed, is shown in part. Programs are run without the steps
/// that lead to one.
///
/// One more is excluded from the grammar: a batch that writes twice to a document, because a server that
/// compares the contents before and after may not keep the version with which it has answered.
enum KnownDefects {
  /// Returns whether a step leads to such a situation.
  static func isMet(by step: ModelStep, in model: OfflineModel) -> Bool {
    var next = model
    _ = next.run(step)
    switch step {
    case .cancel(let position):
      guard position < model.queue.count else { return false }
      return !next.canBeShown
    case .signIn: return !model.isOnline && !next.canBeShown
    default: return false
    }
  }
}

extension OfflineModel {
  /// Whether each queued batch of the current user can be applied as a whole to what is visible before it.
  /// Otherwise it may be shown in part, although it is committed as a whole or not at all.
  fileprivate var canBeShown: Bool {
    var before = self
    before.queues[user] = []
    for batch in queue {
      var shown = before.shown
      for (document, condition) in batch.guards {
        switch condition {
        case .version(let number): if base[document]?.number != number { return false }
        case .missing: if shown[document]?.contents != nil { return false }
        case .after: if shown[document]?.contents == nil { return false }
        }
      }
      for change in batch.changes {
        let old = shown[change.document]?.contents
        if let required = change.requiredExistence, required != (old != nil) { return false }
        shown[change.document] = Shown(contents: change.result(on: old))
      }
      before.queues[user].append(batch)
    }
    return true
  }
}
