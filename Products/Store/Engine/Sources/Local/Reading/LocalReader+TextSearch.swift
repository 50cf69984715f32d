import TenonDocuments
import TenonSQLite
import TenonStoreInterop
import TenonValues

extension LocalReader {
  /// Searches the documents of a query.
  ///
  /// - Parameters:
  ///   - text: what is searched for; see ``QuerySource/search(_:)``.
  ///   - query: the query. Without explicit orders, the documents are ordered by rank.
  /// - Returns: the documents; `nil` while the index is being built.
  /// - Throws: ``StoreError`` with ``StoreError/Code/failedPrecondition`` if there is no index, and with
  ///   ``StoreError/Code/invalidArgument`` if the text exceeds a limit; as ``LocalReader``.
  /// - Complexity: see ``TextSearch/getDocuments()``.
  func search(_ text: String, among query: ResolvedQuery) throws -> TextSearchResult? {
    try transactions.read {
      let id = query.query.collectionID
      guard let index = indexes.textIndexes[ResourcePath(segments: [id])] else {
        throw StoreError(
          .failedPrecondition,
          "The collection \"\(id)\" has no text index; declare one: StoreSettings(textIndexes: [TextIndex(\"\(id)\", \"field\")])."
        )
      }
      let text = try TextQuery(text, for: index.definition.tokenizer)
      guard index.state == .complete else { return nil }
      var result = TextSearchResult(index: index.definition, text: text)
      if let condition = text.condition {
        result.hits = try hits(try matches(condition, in: index), among: query)
      }
      return result
    }
  }

  /// Returns the documents of a query among those that a search has found, in the order of the query or by
  /// rank.
  private func hits(_ found: [Match], among query: ResolvedQuery) throws -> [TextSearchResult.Hit] {
    let collections = Set(try collections.numbers(in: query))
    let limit = query.query.limit ?? .max
    let isRanked = query.query.orders.isEmpty
    let found = found.sorted { isRanked ? ($0.rank, $0.id) < ($1.rank, $1.id) : $0.id < $1.id }
    let sql = "SELECT \(DocumentTable.columns), d.collection FROM documents d WHERE d.id = ?"
    var hits: [TextSearchResult.Hit] = []
    var keys: [SortedHit] = []
    for (number, match) in found.enumerated() {
      if number.isMultiple(of: 16) { try checkCancellation() }
      let document: StoredDocument? =
        try database.first(sql, [.integer(match.id)]) { row in
          let collection = row.integer(6)
          // Saves decoding it; `matches` would refuse it as well.
          guard collections.contains(collection) else { return nil }
          return try documentTable.document(row, in: self.collections.path(of: collection))
        } ?? nil
      guard let document, query.matches(document.fields, at: document.path) else { continue }
      let hit = TextSearchResult.Hit(document: document, rank: match.rank)
      if isRanked {
        hits.append(hit)
        guard hits.count < limit else { break }
      } else {
        keys.append(SortedHit(key: query.sortKey(document.fields, at: document.path), hit: hit))
        // Sorted once for as many as are kept, so that memory holds a multiple of the limit.
        if keys.count / 2 > max(limit, 500) { Self.sort(&keys, by: query, limit: limit) }
      }
    }
    if isRanked { return hits }
    Self.sort(&keys, by: query, limit: limit)
    return keys.map(\.hit)
  }

  /// A document with the values by which the query orders it.
  private struct SortedHit {
    let key: ResolvedQuery.SortKey
    let hit: TextSearchResult.Hit
  }

  /// Sorts documents by the orders of a query, and removes those beyond its limit.
  private static func sort(_ hits: inout [SortedHit], by query: ResolvedQuery, limit: Int) {
    hits.sort { query.compare($0.key, $1.key) < 0 }
    // Checked: the number is positive.
    if hits.count > limit { hits.removeLast(hits.count - limit) }
  }

  // MARK: - The index

  /// A document that satisfies a condition.
  private struct Match {
    /// Its row ID.
    let id: Int64
    /// The sum of what its terms contribute, as in FTS5.
    let rank: Double
  }

  /// Returns the documents that satisfy a condition, in any order.
  private func matches(_ condition: TextQuery.Condition, in index: StoredTextIndex) throws -> [Match] {
    guard let expression = condition.expression(for: index.definition.tokenizer) else {
      return try ranks(condition, in: index).map { Match(id: $0.key, rank: $0.value) }
    }
    let table = index.table
    var matches: [Match] = []
    try database.forEachRow("SELECT rowid, rank FROM \(table) WHERE \(table) MATCH ?", [.text(expression)]) {
      if matches.count.isMultiple(of: 16) { try checkCancellation() }
      matches.append(Match(id: $0.integer(0), rank: $0.real(1)))
      return true
    }
    return matches
  }

  /// Returns the row IDs of the documents that satisfy a condition, with their ranks.
  private func ranks(_ condition: TextQuery.Condition, in index: StoredTextIndex) throws -> [Int64: Double] {
    guard condition.expression(for: index.definition.tokenizer) == nil else {
      return Dictionary(try matches(condition, in: index).map { ($0.id, $0.rank) }) { first, _ in first }
    }
    switch condition {
    case .term(let text, _): return try ranks(ofPart: text, in: index)
    case .any(let conditions):
      return try conditions.reduce(into: [:]) { $0.merge(try ranks($1, in: index), uniquingKeysWith: +) }
    case .all(let conditions, let excluded):
      var found: [Int64: Double]?
      for condition in conditions where found?.isEmpty != true {
        let next = try ranks(condition, in: index)
        guard let former = found else {
          found = next
          continue
        }
        found = former.reduce(into: [:]) { both, entry in
          // Checked: these are doubles.
          if let rank = next[entry.key] { both[entry.key] = entry.value + rank }
        }
      }
      var result = found ?? [:]
      for condition in excluded where !result.isEmpty {
        for id in try ranks(condition, in: index).keys { result[id] = nil }
      }
      return result
    }
  }

  /// Returns the row IDs and ranks of the documents that contain a term of one or two characters, in an index
  /// of trigrams.
  ///
  /// These are the documents with a trigram that begins with the term, at each of whose places it occurs. The
  /// rank is that of the function `bm25` for a text of average length.
  ///
  /// - Complexity: O(n) in the number of its occurrences and of all documents, which are counted.
  private func ranks(ofPart term: String, in index: StoredTextIndex) throws -> [Int64: Double] {
    let first = String(String.UnicodeScalarView(TrigramFolding.shared.folded(Array(term.unicodeScalars))))
    let last = first + String(repeating: "\u{10FFFF}", count: 3)
    var occurrences: [Int64: Int] = [:]
    var rows = 0
    try database.forEachRow(
      "SELECT doc FROM \(index.termTable) WHERE term >= ? AND term <= ?", [.text(first), .text(last)]
    ) {
      if rows.isMultiple(of: 16) { try checkCancellation() }
      rows += 1
      occurrences[$0.integer(0), default: 0] += 1
      return true
    }
    let total = try database.first("SELECT count(*) FROM \(index.table)") { Int(clamping: $0.integer(0)) }
    let rank = TermRank(documents: occurrences.count, total: total ?? 0)
    return occurrences.mapValues(rank.rank(occurrences:))
  }
}
