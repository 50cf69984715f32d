import TenonStore

/// Notes in Store.
struct StoreNotes: NoteKeeper {
  let collection: CollectionReference

  func write(_ note: Note) async throws {
    try await collection.document(note.id).set(note.fields)
  }

  func write(_ notes: [Note]) async throws {
    let batch = collection.store.batch()
    for note in notes { try batch.set(note.fields, at: collection.document(note.id)) }
    try await batch.commit()
  }

  func read(_ id: String) async throws -> Note? {
    Note(try await collection.document(id).get().fields, id: id)
  }

  func page(from rank: Int, count: Int) async throws -> [Note] {
    let query = collection.order(by: "rank").start(at: .integer(Int64(rank))).limit(to: count)
    return try await query.get().documents.compactMap { Note($0.fields, id: $0.documentID) }
  }

  func sum() async throws -> Int64 {
    try await collection.aggregate(.sum("rank"))[.sum("rank")]?.integerValue ?? 0
  }

  func sumOfGroups(from rank: Int) async throws -> Int64 {
    let query = collection.where("rank", .greaterThanOrEqual, .integer(Int64(rank)))
    return try await query.aggregate(.sum("group"))[.sum("group")]?.integerValue ?? 0
  }

  func count(from rank: Int) async throws -> Int {
    try await collection.where("rank", .greaterThanOrEqual, .integer(Int64(rank))).count()
  }
}
