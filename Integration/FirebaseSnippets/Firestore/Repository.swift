import TenonStore

/// The usual place of a database: a property with a value.
final class HarbourRepository {
  // expect: call can throw, but errors cannot be thrown out of a property initializer
  private let db = Store.store()

  func names() async throws -> [String] {
    try await db.collection("harbours").getDocuments().documents.map(\.documentID)
  }
}
