import TenonStore

/// Listeners to disjoint results in one collection.
final class Listening {
  private let documents: CollectionReference
  private var iterators: [AsyncThrowingStream<QuerySnapshot, any Error>.Iterator] = []
  private var step = 0

  /// Creates two documents for each listener and waits for all first snapshots.
  init(_ store: Store, _ name: String, listeners: Int) async throws {
    documents = store.collection(name)
    let batch = store.batch()
    for listener in 0..<listeners {
      for place in 0..<2 {
        try batch.setData(
          ["listener": listener, "n": 0], forDocument: documents.document("\(listener)-\(place)"))
      }
    }
    try await batch.commit()
    for listener in 0..<listeners {
      let query = documents.whereField("listener", isEqualTo: listener).limit(to: 20)
      var iterator = query.snapshots.makeAsyncIterator()
      _ = try await iterator.next(isolation: #isolation)
      iterators.append(iterator)
    }
  }

  /// Changes a document and waits for the snapshot of its listener, `count` times.
  func deliver(_ count: Int) async throws {
    for _ in 0..<count {
      step += 1
      let listener = step % iterators.count
      try await documents.document("\(listener)-0").updateData(["n": step])
      var iterator = iterators[listener]
      guard let snapshot = try await iterator.next(isolation: #isolation), snapshot.count == 2 else {
        throw Unexpected(description: "no snapshot for the listener \(listener)")
      }
    }
  }
}
