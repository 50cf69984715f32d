import TenonStore

/// The restaurants and reviews of the app.
struct Guide: Sendable {
  let store: Store
  private var restaurants: CollectionReference { store.collection("restaurants") }

  /// Returns the query for the restaurants of a choice.
  func query(_ choice: Choice) -> Query {
    var query = restaurants.order(by: choice.order.rawValue, descending: true).limit(to: 50)
    if let category = choice.category { query = query.whereField("category", isEqualTo: category) }
    if let city = choice.city { query = query.whereField("city", isEqualTo: city) }
    if let price = choice.price { query = query.whereField("price", isEqualTo: price) }
    return query
  }

  /// Returns the restaurants of a choice.
  func list(_ choice: Choice) async throws -> [Restaurant] {
    try await query(choice).getDocuments().documents.map { try $0.data(as: Restaurant.self) }
  }

  /// Adds a restaurant without reviews.
  func add(_ restaurant: Restaurant) async throws -> DocumentReference {
    try await restaurants.addDocument(from: restaurant)
  }

  /// Adds a review, and changes the number of reviews and their average in the same transaction, so that
  /// reviews that others add at the same time count, too.
  func add(_ review: Review, to restaurant: DocumentReference) async throws {
    let document = restaurant.collection("ratings").document()
    try await store.runTransaction { transaction in
      let known = try await transaction.getDocument(restaurant).data(as: Restaurant.self)
      let sum = known.avgRating * Double(known.numRatings) + Double(review.rating)
      try transaction.setData(from: review, forDocument: document)
      try transaction.updateData(
        ["numRatings": known.numRatings + 1, "avgRating": sum / Double(known.numRatings + 1)],
        forDocument: restaurant)
    }
  }

  /// Returns the ratings of a restaurant's reviews, read without a model.
  func ratings(of restaurant: DocumentReference) async throws -> [Int] {
    try await restaurant.collection("ratings").getDocuments().documents.compactMap {
      $0.data()["rating"] as? Int
    }
  }
}
