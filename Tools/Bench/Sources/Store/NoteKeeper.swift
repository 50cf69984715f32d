/// A contender: keeps notes in its own way, as durably as Store does.
protocol NoteKeeper {
  /// Writes a note, new or over the one with its id.
  func write(_ note: Note) async throws
  /// Writes notes in one transaction.
  func write(_ notes: [Note]) async throws
  func read(_ id: String) async throws -> Note?
  /// So many notes in the order of ranks, from one on.
  func page(from rank: Int, count: Int) async throws -> [Note]
  /// The sum of the ranks of all notes.
  func sum() async throws -> Int64
  /// The sum of the groups of the notes from a rank on.
  func sumOfGroups(from rank: Int) async throws -> Int64
  /// How many notes there are from a rank on.
  func count(from rank: Int) async throws -> Int
}

extension NoteKeeper {
  func write(_ note: Note) async throws { try await write([note]) }
}
