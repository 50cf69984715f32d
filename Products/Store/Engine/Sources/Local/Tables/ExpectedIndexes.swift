import TenonDocuments
import TenonValues

/// Registers the indexes that queries of small collections lacked when many documents arrive, for example from
/// the remote of an app that listens to a query. The first of them are indexed by ``IndexBuilding``, and all
/// others while they arrive, instead of being read again after the next query.
final class ExpectedIndexes {
  private let requests: IndexRequests
  private let changes: ChangeLog
  private let collections: CollectionTable
  /// The indexes of the collections that the open transaction has changed.
  private var due: [FieldIndexKey] = []

  init(_ requests: IndexRequests, changes: ChangeLog, collections: CollectionTable) {
    (self.requests, self.changes, self.collections) = (requests, changes, collections)
  }
}

extension ExpectedIndexes: TransactionParticipant {
  func transactionWillCommit(_ transaction: WriteTransaction) throws {
    due = []
    guard !requests.expected.isEmpty else { return }
    for (number, count) in changes.changeCounts where count > IndexRequests.threshold {
      let collection = ResourcePath(segments: try collections.path(of: number).segments.suffix(1))
      due += requests.expected.filter { $0.collection == collection }
    }
  }

  func transactionCommitted() {
    if !due.isEmpty { requests.documentsHaveArrived(for: due) }
    due = []
  }

  func transactionRolledBack() { due = [] }
}
