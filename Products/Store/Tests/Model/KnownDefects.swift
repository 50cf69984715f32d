@testable import TenonStore

/// Situations in which Store is known to differ from the model. Programs are run without the steps that lead
/// to one, unless they show the defect.
///
/// One more is excluded from the grammar: a batch that writes twice to a document, because a server that
/// compares the contents before and after may not keep the version with which it has answered.
enum KnownDefects {
  /// Returns whether a step leads to a situation in which Store is known to be wrong.
  static func isMet(by step: ModelStep, in model: OfflineModel) -> Bool {
    var next = model
    _ = next.run(step)
    switch step {
    case .transaction(let reads, _):
      // The condition of a transaction that has only read a document counts as a write to it, on which later
      // transactions depend.
      return reads.contains { document in model.queue.contains { $0.onlyReads(document) } }
    case .cancel(let position):
      guard position < model.queue.count else { return false }
      // That a write was sent is forgotten with the connection.
      if model.isCommitted(model.queue[position]) { return true }
      let later = model.queue.dropFirst(position + 1)
      // Later increments stay at the sum with the cancelled write.
      let isIncremented = later.contains { batch in
        batch.changes.contains { change in
          change.isIncrement && model.queue[position].writes(to: change.document)
        }
      }
      // What depends on the cancelled write stays visible.
      return isIncremented || next.queue.count < later.count + position || !next.canBeShown
    case .signIn:
      // What can't succeed any more, because somebody else was online in the meantime, stays half visible.
      return !model.isOnline && (next.queue.count < model.queues[next.user].count || !next.canBeShown)
    default: return false
    }
  }

  /// The documents of which Store says that they have pending writes, although the current user's queue only
  /// reads them.
  static func falselyPending(in model: OfflineModel) -> Set<Int> {
    Set(model.queue.flatMap { batch in batch.guards.keys.filter { batch.onlyReads($0) } })
  }
}

extension OfflineModel.Batch {
  /// Whether it is a transaction that has read a document and doesn't write it.
  fileprivate func onlyReads(_ document: Int) -> Bool { guards[document] != nil && !writes(to: document) }
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
