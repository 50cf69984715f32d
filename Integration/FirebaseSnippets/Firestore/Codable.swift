import Foundation
import TenonStore

/// A model.
struct Harbour: Codable, Identifiable {
  @DocumentID var id: String?
  var name: String
  var berths: Int
  @ServerTimestamp var updated: Timestamp?
  @ExplicitNull var master: String?

  enum CodingKeys: String, CodingKey {
    case id
    case name
    case berths = "berth_count"
    case updated
    case master
  }
}

/// Writes and reads models.
func codableModels() async throws {
  let db = try Store.store()
  let harbour = Harbour(name: "Gothenburg", berths: 420, master: nil)
  // expect: expression is 'async' but is not marked with 'await'
  try db.collection("harbours").document("GOT").setData(from: harbour)
  // expect: expression is 'async' but is not marked with 'await'
  try db.collection("harbours").addDocument(from: harbour)
  let read = try await db.collection("harbours").document("GOT").getDocument(as: Harbour.self)
  print(read.name)
  let all = try await db.collection("harbours").getDocuments().documents.compactMap { document in
    try? document.data(as: Harbour.self)
  }
  print(all.count)
}
