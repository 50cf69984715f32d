/// A contender in the comparison: a storage for notes with the durability of Store.
protocol NoteKeeper {
  /// Inserts a note, or replaces the one with the same ID.
  func write(_ note: Note) async throws
  /// Inserts or replaces notes in one transaction.
  func write(_ notes: [Note]) async throws
  /// Changes the group of an existing note.
  func update(_ id: String, group: Int64) async throws
  /// Returns a note by its ID; `nil` if it doesn't exist.
  func read(_ id: String) async throws -> Note?
  /// Returns the first `count` notes whose rank is at least `rank`, in the order of their ranks.
  func page(from rank: Int, count: Int) async throws -> [Note]
  /// Returns the sum of the ranks of all notes.
  func sum() async throws -> Int64
  /// Returns the sum of the groups of the notes whose rank is at least `rank`.
  func sumOfGroups(from rank: Int) async throws -> Int64
  /// Returns the number of notes whose rank is at least `rank`.
  func count(from rank: Int) async throws -> Int
}

extension NoteKeeper {
  func write(_ note: Note) async throws { try await write([note]) }
}
