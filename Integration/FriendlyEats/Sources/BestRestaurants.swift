import TenonStore

/// The names of a query's restaurants, as a view would show them.
@MainActor final class BestRestaurants {
  /// The names, and each change of them.
  let names: AsyncStream<[String]>
  private let registration: ListenerRegistration

  init(_ query: Query) {
    let (names, continuation) = AsyncStream.makeStream(of: [String].self)
    self.names = names
    registration = query.addSnapshotListener { snapshot, error in
      guard let snapshot else { return continuation.finish() }
      continuation.yield(snapshot.documents.compactMap { $0.data()["name"] as? String })
    }
  }

  func stop() { registration.remove() }
}
