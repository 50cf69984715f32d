import TenonStore

/// Notes in Store.
struct StoreNotes: NoteKeeper {
  let collection: CollectionReference

  func write(_ note: Note) async throws {
    try await collection.document(note.id).setData(note.fields)
  }

  func write(_ notes: [Note]) async throws {
    let batch = collection.store.batch()
    for note in notes { try batch.setData(note.fields, forDocument: collection.document(note.id)) }
    try await batch.commit()
  }

  func update(_ id: String, group: Int64) async throws {
    try await collection.document(id).updateData(["group": group])
  }

  func read(_ id: String) async throws -> Note? {
    Note(try await collection.document(id).getDocument().fields, id: id)
  }

  func page(from rank: Int, count: Int) async throws -> [Note] {
    let query = collection.order(by: "rank").start(at: [rank]).limit(to: count)
    return try await query.getDocuments().documents.compactMap { Note($0.fields, id: $0.documentID) }
  }

  func sum() async throws -> Int64 {
    try await collection.aggregate([.sum("rank")]).getAggregation()[.sum("rank")]?.int64Value ?? 0
  }

  func sumOfGroups(from rank: Int) async throws -> Int64 {
    let query = collection.whereField("rank", isGreaterThanOrEqualTo: rank)
    return try await query.aggregate([.sum("group")]).getAggregation()[.sum("group")]?.int64Value ?? 0
  }

  func count(from rank: Int) async throws -> Int {
    try await collection.whereField("rank", isGreaterThanOrEqualTo: rank).count.getAggregation().count ?? 0
  }
}
