import TenonDocuments
import TenonValues

/// What queries have found out about the indexes of fields since it was last processed: which ones they
/// lacked, and which ones they used. It is in memory only, so that queries don't write.
///
/// It is filled by ``QueryReading`` and processed by ``FieldIndexRegistration/fulfill(at:)``, on the same
/// executor.
final class IndexRequests {
  /// What queries have lacked and used.
  struct Taken: Sendable {
    /// The indexes that queries lacked.
    var wanted: Set<FieldIndexKey> = []
    /// The automatic indexes that queries used, and whose recorded use is old.
    var used: Set<FieldIndexKey> = []
    /// The indexes that queries of small collections lacked, each of which is reported once.
    var expected: Set<FieldIndexKey> = []
    /// Whether there is nothing.
    var isEmpty: Bool { wanted.isEmpty && used.isEmpty && expected.isEmpty }

    /// Adds others, as long as there are fewer than ``capacity``.
    mutating func formUnion(_ other: Taken) {
      if wanted.count < IndexRequests.capacity { wanted.formUnion(other.wanted) }
      if used.count < IndexRequests.capacity { used.formUnion(other.used) }
      if expected.count < IndexRequests.capacity { expected.formUnion(other.expected) }
    }
  }

  /// The number of entries that a query must have read for the indexes that it lacked to be registered.
  /// Smaller collections are scanned, and the indexes are registered when so many documents arrive in one
  /// transaction; see ``ExpectedIndexes``.
  static let threshold = 100
  /// The number of indexes that may wait for being registered; further ones are registered after a later
  /// query.
  static let capacity = 1_000

  private let indexes: IndexTable
  /// The indexes that queries lacked.
  private(set) var wanted: Set<FieldIndexKey> = []
  /// The automatic indexes that queries used, and whose recorded use is old.
  private(set) var used: Set<FieldIndexKey> = []
  /// The indexes that queries of small collections lacked.
  private(set) var expected: Set<FieldIndexKey> = []
  /// Those of ``expected`` that haven't been taken.
  private var unreported: Set<FieldIndexKey> = []
  /// Whether indexes that queries lack are registered.
  var registersIndexes = true
  /// Returns the current time, in microseconds since 1970.
  var now: () -> Int64 = { 0 }
  /// Called when ``wanted`` or ``used`` is no longer empty.
  var onRequest: () -> Void = {}

  init(_ indexes: IndexTable) { self.indexes = indexes }

  /// Whether there is anything to process.
  var isEmpty: Bool { wanted.isEmpty && used.isEmpty }

  /// Adds what a query has lacked and used.
  ///
  /// - Parameters:
  ///   - plan: the plan of the query.
  ///   - entriesRead: the number of entries that it has read.
  func add(_ plan: QueryPlan, entriesRead: Int) {
    add(missing: plan.missing, entriesRead: entriesRead)
    for key in plan.used {
      guard let index = indexes.fieldIndexes.byKey[key], index.origin == .automatic else { continue }
      // A damaged time only leads to a request too many.
      let (age, overflows) = now().subtractingReportingOverflow(index.used)
      if overflows || age >= FieldIndexRegistration.useInterval { request(&used, key) }
    }
  }

  /// Adds the indexes that a query has lacked, if it has read many entries.
  func add(missing: Set<FieldIndexKey>, entriesRead: Int) {
    guard registersIndexes, !missing.isEmpty else { return }
    guard entriesRead > Self.threshold else { return expect(missing) }
    for key in missing { request(&wanted, key) }
  }

  private func expect(_ keys: Set<FieldIndexKey>) {
    guard expected.count < Self.capacity else { return }
    for key in keys where expected.insert(key).inserted { unreported.insert(key) }
  }

  /// Requests expected indexes, because many documents have arrived in their collections.
  func documentsHaveArrived(for keys: [FieldIndexKey]) {
    expected.subtract(keys)
    for key in keys { request(&wanted, key) }
  }

  private func request(_ keys: inout Set<FieldIndexKey>, _ key: FieldIndexKey) {
    guard keys.count < Self.capacity, keys.insert(key).inserted else { return }
    onRequest()
  }

  /// Adds what another connection's queries have lacked and used.
  func add(_ other: Taken) {
    for key in other.wanted { request(&wanted, key) }
    for key in other.used { request(&used, key) }
    expect(other.expected)
  }

  /// Returns everything that is new, and removes it, except for what is expected.
  func take() -> Taken {
    defer { (wanted, used, unreported) = ([], [], []) }
    return Taken(wanted: wanted, used: used, expected: unreported)
  }
}
