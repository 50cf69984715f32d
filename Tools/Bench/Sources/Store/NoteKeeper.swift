/// A contender: keeps notes in its own way, as durably as Store does.
protocol NoteKeeper {
  /// Writes a note, new or over the one with its id.
  func write(_ note: Note) async throws
  /// Writes notes in one transaction.
  func write(_ notes: [Note]) async throws
  func read(_ id: String) async throws -> Note?
  /// So many notes in the order of ranks, from one on.
  func page(from rank: Int, count: Int) async throws -> [Note]
}

extension NoteKeeper {
  func write(_ note: Note) async throws { try await write([note]) }
}
