import TenonStore

/// A restaurant: a document of the collection `restaurants`, whose reviews are in the collection `ratings` below
/// it.
struct Restaurant: Codable, Sendable {
  @DocumentID var id: String?
  var name: String
  var category: String
  var city: String
  /// From 1 for a cheap one to 3.
  var price: Int
  /// The number of reviews.
  var numRatings = 0
  /// The average of the reviews' ratings; 0 without reviews.
  var avgRating = 0.0
}

/// A review of a restaurant.
struct Review: Codable, Sendable {
  /// From 1 to 5.
  var rating: Int
  var userName: String
  var text: String
  @ServerTimestamp var timestamp: Timestamp?
}

/// What a list of restaurants shows; `nil` for all.
struct Choice: Sendable {
  /// The field by which the list is sorted, the greatest value first.
  enum Order: String { case avgRating, numRatings }

  var category: String?
  var city: String?
  var price: Int?
  var order = Order.avgRating
}
