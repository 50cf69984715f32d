import TenonDocuments
import TenonSQLite
import TenonStoreInterop

extension LocalReader {
  /// Searches the documents of a query.
  ///
  /// - Parameters:
  ///   - text: what is searched for; see ``Queryable/search(_:)``.
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
      let expression = try text.expression(for: index.definition.tokenizer) {
        try trigrams(beginningWith: $0, in: index)
      }
      if let expression { result.hits = try hits(expression, in: index, among: query) }
      return result
    }
  }

  /// Returns the documents of a query that match an FTS5 expression, in the order of the query or by rank.
  private func hits(
    _ expression: String, in index: StoredTextIndex, among query: ResolvedQuery
  ) throws -> [TextSearchResult.Hit] {
    let collections = Set(try collections.numbers(in: query))
    let limit = query.query.limit ?? .max
    let isRanked = query.query.orders.isEmpty
    var hits: [TextSearchResult.Hit] = []
    var keys: [SortedHit] = []
    var rows = 0
    // The index is read first, and its order is that of the result.
    let sql = """
      SELECT \(DocumentTable.columns), d.collection, \(index.table).rank \
      FROM \(index.table) CROSS JOIN documents d ON d.id = \(index.table).rowid \
      WHERE \(index.table) MATCH ?\(isRanked ? " ORDER BY \(index.table).rank" : "")
      """
    try database.forEachRow(sql, [.text(expression)]) { row in
      if rows.isMultiple(of: 16) { try checkCancellation() }
      rows += 1
      let collection = row.integer(6)
      // Saves decoding it; `matches` would refuse it as well.
      guard collections.contains(collection) else { return true }
      let document = try documentTable.document(row, in: self.collections.path(of: collection))
      guard query.matches(document.fields, at: document.path) else { return true }
      let hit = TextSearchResult.Hit(document: document, rank: row.real(7))
      guard isRanked else {
        keys.append(SortedHit(key: query.sortKey(document.fields, at: document.path), hit: hit))
        // Sorted once for as many as are kept, so that memory holds a multiple of the limit.
        if keys.count / 2 > max(limit, 500) { Self.sort(&keys, by: query, limit: limit) }
        return true
      }
      hits.append(hit)
      return hits.count < limit
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

  /// Returns the trigrams of an index that begin with a term of one or two characters.
  ///
  /// - Throws: ``StoreError`` with ``StoreError/Code/invalidArgument`` if there are too many; `SQLiteError`.
  private func trigrams(beginningWith term: String, in index: StoredTextIndex) throws -> [String] {
    let first = String(String.UnicodeScalarView(term.unicodeScalars.map(\.foldedForTrigrams)))
    let found = try database.rows(
      "SELECT term FROM \(index.termTable) WHERE term >= ? AND term < ? LIMIT ?",
      [.text(first), .text(first + "\u{10FFFF}"), .integer(TextQuery.maximumExpansion + 1)]
    ) { $0.text(0) }
    guard found.count <= TextQuery.maximumExpansion else {
      throw StoreError(
        .invalidArgument,
        "\"\(term)\" continues in more than \(TextQuery.maximumExpansion) ways; search for a longer text.")
    }
    return found
  }
}
