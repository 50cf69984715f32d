// The model of Firebase's sample app for Firestore, on the embedded backend: restaurants, reviews in collections
// below them, and averages that transactions keep. Prints each restaurant, and ends with exit code 1 if the
// number or the average of its reviews is wrong.
import TenonCore
import TenonEmbedded
import TenonFoundation
import TenonStore

struct WrongAverage: Error, CustomStringConvertible {
  let description: String
}

let seeds: [(restaurant: Restaurant, ratings: [Int])] = [
  (Restaurant(name: "Salt and Smoke", category: "Grill", city: "Austin", price: 2), [5, 4, 4, 3]),
  (Restaurant(name: "Green Fork", category: "Salads", city: "Austin", price: 1), [5, 5, 2, 5]),
  (Restaurant(name: "Il Forno", category: "Pizza", city: "Boston", price: 2), [1, 2, 3, 4, 5, 5, 4, 4]),
  (Restaurant(name: "Night Market", category: "Noodles", city: "Boston", price: 1), [3]),
  (Restaurant(name: "Casa Luna", category: "Tapas", city: "Denver", price: 3), [4, 5]),
  (Restaurant(name: "The Empty Table", category: "Grill", city: "Denver", price: 1), []),
]

let app = try App.configure(
  options: AppOptions(projectID: "demo", backend: .embedded(directory: nil), data: .memory))
let guide = Guide(store: try Store.store())
let best = BestRestaurants(guide.query(Choice()))

// Two guests review at the same time, each a half of the restaurant's ratings.
let references = try await withThrowingTaskGroup(of: Void.self) { group in
  var references: [DocumentReference] = []
  for (restaurant, ratings) in seeds {
    let reference = try await guide.add(restaurant)
    references.append(reference)
    for (guest, name) in ["Ada", "Alan"].enumerated() {
      group.addTask {
        for (index, rating) in ratings.enumerated() where index % 2 == guest {
          let review = Review(rating: rating, userName: name, text: "Visit \(index + 1)")
          try await guide.add(review, to: reference)
        }
      }
    }
  }
  try await group.waitForAll()
  return references
}

for (reference, seed) in zip(references, seeds) {
  let ratings = try await guide.ratings(of: reference)
  let restaurant = try await reference.getDocument(as: Restaurant.self)
  let average = ratings.isEmpty ? 0 : Double(ratings.reduce(0, +)) / Double(ratings.count)
  guard ratings.sorted() == seed.ratings.sorted(), restaurant.numRatings == ratings.count,
    abs(restaurant.avgRating - average) < 1e-9
  else {
    throw WrongAverage(description: "\(restaurant.name) has the ratings \(ratings): \(restaurant)")
  }
  let shown = (restaurant.avgRating * 100).rounded() / 100
  print("\(restaurant.name): \(restaurant.numRatings) reviews, average \(shown)")
}

func show(_ title: String, _ choice: Choice) async throws {
  print("\(title): \(try await guide.list(choice).map(\.name).joined(separator: ", "))")
}
try await show("Austin", Choice(city: "Austin"))
try await show("Boston, by reviews", Choice(city: "Boston", order: .numRatings))
try await show("Cheap grills", Choice(category: "Grill", price: 1))

for await names in best.names where names.count == seeds.count && names.first == "Casa Luna" {
  print("Best: \(names[0])")
  break
}
best.stop()
await app.delete()
