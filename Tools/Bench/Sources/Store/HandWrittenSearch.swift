import TenonFoundation
import TenonSQLite

/// Articles in SQLite with a full-text index (FTS5), as an app would write it without a document store. On a
/// dedicated queue, like Store's engine.
actor HandWrittenSearch {
  private let executor = QueueExecutor(label: "hand-written-search")
  private let connection: Connection

  nonisolated var unownedExecutor: UnownedSerialExecutor { executor.asUnownedSerialExecutor() }

  init(_ path: String) throws {
    // Without checksums, like plain SQLite.
    connection = try Connection.open(path, disk: nil, checksums: false)
    // The index refers to the table for the texts, so that they are stored once.
    try connection.execute(
      """
      CREATE TABLE articles (number INTEGER PRIMARY KEY, id TEXT NOT NULL UNIQUE, title TEXT NOT NULL, body TEXT NOT NULL);
      CREATE VIRTUAL TABLE words USING fts5(title, body, content='articles', content_rowid='number');
      """)
  }

  /// Inserts articles in one transaction.
  func insert(_ articles: [Article]) throws {
    try connection.transaction {
      for article in articles {
        try connection.run(
          "INSERT INTO articles (id, title, body) VALUES (?, ?, ?)",
          [.text(article.id), .text(article.title), .text(article.body)])
        try connection.run(
          "INSERT INTO words (rowid, title, body) VALUES (last_insert_rowid(), ?, ?)",
          [.text(article.title), .text(article.body)])
      }
    }
  }

  /// Returns the articles that match best.
  func search(_ term: String, count: Int) throws -> [Article] {
    try connection.rows(
      """
      SELECT a.id, a.title, a.body FROM words CROSS JOIN articles a ON a.number = words.rowid
      WHERE words MATCH ? ORDER BY words.rank LIMIT ?
      """, [.text(term), .integer(count)]
    ) { Article(id: $0.text(0), title: $0.text(1), body: $0.text(2)) }
  }
}
