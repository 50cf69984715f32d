import Synchronization
import TenonStore

/// A listener with a large result, and documents outside of it.
final class LargeResult {
  private let notes: CollectionReference
  private let others: CollectionReference
  private let size: Int
  private var iterator: AsyncThrowingStream<QuerySnapshot, any Error>.Iterator?
  private var numbers: Numbers
  /// The revision of the latest write, shared by all instances. It begins above the revisions of all other
  /// measurements, because a write that doesn't change a document produces no snapshot.
  private static let revisions = Atomic<Int>(1 << 40)

  /// Creates a result without listening to it.
  ///
  /// - Parameters:
  ///   - notes: a collection with more documents than the result.
  ///   - others: a collection without listeners.
  ///   - size: the number of documents in the result.
  init(_ notes: CollectionReference, besides others: CollectionReference, size: Int) {
    (self.notes, self.others, self.size) = (notes, others, size)
    numbers = Numbers(below: size)
  }

  private var query: Query { notes.whereField("rank", isLessThan: size).order(by: "rank") }

  /// Checks the size of a snapshot, and the number of its changes if it is given.
  private func check(_ snapshot: QuerySnapshot?, changes: Int? = nil) throws {
    guard let snapshot, snapshot.count == size, changes == nil || snapshot.documentChanges.count == changes
    else {
      throw Unexpected(description: "a snapshot of \(snapshot?.count ?? 0) notes, not \(size)")
    }
  }

  // MARK: - The whole result

  /// Reads the whole result, `count` times.
  func get(_ count: Int) async throws {
    for _ in 0..<count {
      let snapshot = try await query.getDocuments()
      try check(snapshot)
      keep(snapshot.documents)
    }
  }

  /// Waits for the first snapshot of a new listener, `count` times.
  func listenForFirst(_ count: Int) async throws {
    for _ in 0..<count {
      var iterator = query.snapshots.makeAsyncIterator()
      let snapshot = try await iterator.next(isolation: #isolation)
      try check(snapshot)
      keep(snapshot?.documents)
    }
  }

  // MARK: - Changes

  /// Begins to listen and waits for the first snapshot.
  func open() async throws {
    var iterator = query.snapshots.makeAsyncIterator()
    try check(try await iterator.next(isolation: #isolation))
    self.iterator = iterator
  }

  /// Stops listening.
  func close() { iterator = nil }

  /// Changes a document and waits for the snapshot that contains the change, `count` times.
  func change(_ count: Int) async throws {
    for _ in 0..<count {
      try await write(to: notes)
      try check(try await iterator?.next(isolation: #isolation), changes: 1)
    }
  }

  /// Changes documents of the result while it is listened to. Only the last snapshot is read, so that no
  /// write waits for a snapshot.
  func writeInside(_ count: Int) async throws {
    for _ in 0..<count { try await write(to: notes) }
    try check(try await iterator?.next(isolation: #isolation))
  }

  /// Writes the same documents to the collection without listeners.
  func writeOutside(_ count: Int) async throws {
    for _ in 0..<count { try await write(to: others) }
  }

  /// Writes a document with a new revision.
  private func write(to collection: CollectionReference) async throws {
    let number = numbers.next()
    let revision = Self.revisions.add(1, ordering: .relaxed).newValue
    try await collection.document(Note.id(number)).setData(Note(number, revision: revision).fields)
  }
}
