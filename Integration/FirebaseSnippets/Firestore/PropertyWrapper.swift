import TenonStore

/// A model.
struct Boat: Codable {
  var name: String
}

/// What a view keeps.
struct BoatsList {
  // expect: 'FirestoreQuery' is unavailable: Observe the query in the view: @State private var boats = LiveQuery(store.collection("boats"), as: Boat.self), and read boats.values.
  @FirestoreQuery(collectionPath: "boats", predicates: [.whereField("isOpen", isEqualTo: true)])
  var boats: [Boat]
}
