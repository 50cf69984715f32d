import TenonStore

/// Counts, sums and averages on the server.
func aggregate() async throws {
  let query = try Store.store().collection("harbours").whereField("country", isEqualTo: "Sweden")
  do {
    let counted = try await query.count.getAggregation(source: .server)
    // expect: expression implicitly coerced from 'Int?' to 'Any'
    print(counted.count)
    let aggregateQuery = query.aggregate([
      AggregateField.count(),
      AggregateField.sum("berths"),
      AggregateField.average("berths"),
    ])
    let snapshot = try await aggregateQuery.getAggregation(source: .server)
    // expect: expression implicitly coerced from 'Int?' to 'Any'
    print(snapshot.count)
    print(snapshot.get(AggregateField.sum("berths")) as Any)
    print(snapshot.get(AggregateField.average("berths")) as? Double ?? 0)
  } catch {
    print(error)
  }
}

/// Counts, and hears of it in a closure.
func countWithCompletion() throws {
  // expect: 'getAggregation(source:completion:)' is unavailable: The call is asynchronous: try await query.getAggregation(), in a Task { … } if need be.
  try Store.store().collection("harbours").count.getAggregation(source: .server) { snapshot, error in
    print(snapshot?.count ?? 0, error as Any)
  }
}
