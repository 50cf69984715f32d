import Synchronization
import TenonStore

/// A listener whose result is large, and documents that don't belong to it.
final class LargeResult {
  private let notes: CollectionReference
  private let others: CollectionReference
  private let size: Int
  private var iterator: AsyncThrowingStream<QuerySnapshot, any Error>.Iterator?
  private var numbers: Numbers
  /// Counted for all of them, from where no other measurement gets to: of a write that repeats what the document has, no
  /// listener hears.
  private static let revisions = Atomic<Int>(1 << 40)

  /// - Parameters:
  ///   - notes: a collection that has more documents than the result.
  ///   - others: a collection that nobody listens to.
  ///   - size: how many documents the result has.
  init(_ notes: CollectionReference, besides others: CollectionReference, size: Int) {
    (self.notes, self.others, self.size) = (notes, others, size)
    numbers = Numbers(below: size)
  }

  private var query: Query { notes.whereField("rank", isLessThan: size).order(by: "rank") }

  private func check(_ snapshot: QuerySnapshot?, changes: Int? = nil) throws {
    guard let snapshot, snapshot.count == size, changes == nil || snapshot.documentChanges.count == changes
    else {
      throw Unexpected(description: "a snapshot of \(snapshot?.count ?? 0) notes, not \(size)")
    }
  }

  // MARK: - The whole result

  func get(_ count: Int) async throws {
    for _ in 0..<count {
      let snapshot = try await query.getDocuments()
      try check(snapshot)
      keep(snapshot.documents)
    }
  }

  func listenForFirst(_ count: Int) async throws {
    for _ in 0..<count {
      var iterator = query.snapshots.makeAsyncIterator()
      let snapshot = try await iterator.next(isolation: #isolation)
      try check(snapshot)
      keep(snapshot?.documents)
    }
  }

  // MARK: - Changes

  func open() async throws {
    var iterator = query.snapshots.makeAsyncIterator()
    try check(try await iterator.next(isolation: #isolation))
    self.iterator = iterator
  }

  func close() { iterator = nil }

  /// Changes a document and waits for the snapshot with the change.
  func change(_ count: Int) async throws {
    for _ in 0..<count {
      try await write(to: notes)
      try check(try await iterator?.next(isolation: #isolation), changes: 1)
    }
  }

  /// Writes into the result while it is listened to. Snapshots are read only in the end, so that none is waited for.
  func writeInside(_ count: Int) async throws {
    for _ in 0..<count { try await write(to: notes) }
    try check(try await iterator?.next(isolation: #isolation))
  }

  /// Writes the same documents where nobody listens.
  func writeOutside(_ count: Int) async throws {
    for _ in 0..<count { try await write(to: others) }
  }

  private func write(to collection: CollectionReference) async throws {
    let number = numbers.next()
    let revision = Self.revisions.add(1, ordering: .relaxed).newValue
    try await collection.document(Note.id(number)).setData(Note(number, revision: revision).fields)
  }
}
