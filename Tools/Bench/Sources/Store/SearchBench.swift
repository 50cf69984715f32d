import Foundation
import TenonCore
import TenonStore

/// The benchmarks of full-text searches: a collection with a text index, beside FTS5 in hand-written SQLite.
struct SearchBench {
  private let articles: CollectionReference
  private let handWritten: HandWrittenSearch
  private let documents: Int
  private let comparison: Comparison
  /// The time in nanoseconds in which the store was filled.
  private var importTime = 0.0

  /// Creates the databases and fills them.
  ///
  /// - Parameters:
  ///   - app: the app of the store.
  ///   - directory: the folder for the hand-written database.
  ///   - documents: the number of articles in each.
  ///   - comparison: takes the measurements.
  init(_ app: App, _ directory: URL, documents: Int, _ comparison: Comparison) async throws {
    let settings = StoreSettings(
      textIndexes: [TextIndex("articles", "title", "body")], isLocalOnly: true)
    articles = try Store.store(app: app, database: "search", settings: settings).collection("articles")
    handWritten = try HandWrittenSearch(directory.appending(path: "search.sqlite").path)
    (self.documents, self.comparison) = (documents, comparison)
    for first in stride(from: 0, to: documents, by: 500) {
      let some = (first..<min(first + 500, documents)).map(Article.init)
      let start = ContinuousClock.now
      try await insert(some)
      importTime += (ContinuousClock.now - start) / .nanoseconds(1)
      try await handWritten.insert(some)
    }
    try await articles.store.buildIndexes()
  }

  private func insert(_ some: [Article]) async throws {
    let batch = articles.store.batch()
    for article in some { try batch.setData(article.fields, forDocument: articles.document(article.id)) }
    try await batch.commit()
  }

  /// Measures the search for the 20 best of the articles that contain a word, about one in 25.
  func searches() async throws -> Measurement {
    var numbers = [Numbers(below: documents), Numbers(below: documents)]
    return try await comparison(
      "search-of-\(documents)",
      [
        WaitingContender(name: "store") { count in
          for _ in 0..<count {
            let term = Article.term(numbers[0].next())
            let found = try await articles.limit(to: 20).search(term).getDocuments()
            try Self.check(found.compactMap { $0.document.fields["body"]?.stringValue }, term)
          }
        },
        WaitingContender(name: "sqlite-in-an-actor") { count in
          for _ in 0..<count {
            let term = Article.term(numbers[1].next())
            try Self.check(try await handWritten.search(term, count: 20).map(\.body), term)
          }
        },
      ])
  }

  /// Measures batches of new articles, whose words are indexed in the same transaction.
  func inserts() async throws -> Measurement {
    let size = 500
    var next = [10_000_000, 10_000_000]
    func more(_ contender: Int) -> [Article] {
      defer { next[contender] += size }
      return (next[contender]..<next[contender] + size).map(Article.init)
    }
    return try await comparison(
      "search-insert-\(size)-of-\(documents)", per: size,
      [
        WaitingContender(name: "store") { for _ in 0..<$0 { try await insert(more(0)) } },
        WaitingContender(name: "sqlite-in-an-actor") {
          for _ in 0..<$0 { try await handWritten.insert(more(1)) }
        },
      ])
  }

  /// Measures the deletion of all articles once, compared with their import, and the deletion of their rows in
  /// the background.
  func deletion() async throws -> Measurement {
    let start = ContinuousClock.now
    let count = Double(try await articles.store.deleteCollection("articles"))
    let deleted = ContinuousClock.now
    try await articles.store.buildIndexes()
    let time = (deleted - start) / .nanoseconds(1) / count
    var measurement = Measurement(
      name: "deletion-searchable-of-\(documents)", nanoseconds: time,
      ratios: ["import": time / (importTime / Double(documents))])
    measurement.details = [
      Measurement.Detail(
        unit: "ns in the background", value: (ContinuousClock.now - deleted) / .nanoseconds(1) / count,
        others: [:])
    ]
    return measurement
  }

  /// Checks that a search has found as much as it should. A word may be in the title alone, so not every body
  /// contains it.
  private static func check(_ bodies: [String], _ term: String) throws {
    guard bodies.count == 20, bodies.contains(where: { $0.contains(term) }) else {
      throw Unexpected(description: "\(bodies.count) articles with \(term)")
    }
  }
}
