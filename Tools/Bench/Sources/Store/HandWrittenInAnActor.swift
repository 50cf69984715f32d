import TenonFoundation

/// Notes in hand-written SQLite that doesn't block the cooperative thread pool: an actor on a dedicated
/// dispatch queue, like Store's engine.
actor HandWrittenInAnActor: NoteKeeper {
  private let executor = QueueExecutor(label: "hand-written")
  private let table: HandWritten

  nonisolated var unownedExecutor: UnownedSerialExecutor { executor.asUnownedSerialExecutor() }

  init(_ path: String, indexes: HandWritten.Indexes) throws {
    table = try HandWritten(path, indexes: indexes)
  }

  func write(_ notes: [Note]) throws { try table.write(notes) }

  func update(_ id: String, group: Int64) throws { try table.update(id, group: group) }

  func read(_ id: String) throws -> Note? { try table.read(id) }

  func page(from rank: Int, count: Int) throws -> [Note] { try table.page(from: rank, count: count) }

  func sum() throws -> Int64 { try table.sum() }

  func sumOfGroups(from rank: Int) throws -> Int64 { try table.sumOfGroups(from: rank) }

  func count(from rank: Int) throws -> Int { try table.count(from: rank) }
}
