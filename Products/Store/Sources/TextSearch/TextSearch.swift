import TenonStoreEngine
import TenonValues

extension QuerySource {
  /// Returns a search for the documents of the query that contain words.
  ///
  /// ```swift
  /// let search = notes.whereField("isArchived", isEqualTo: false).limit(to: 20).search("green tea -matcha")
  /// for found in try await search.getDocuments() {
  ///   print(found.document["title"] ?? "", found.snippets().first ?? "")
  /// }
  /// ```
  ///
  /// It requires a ``TextIndex`` of the collection. The text may contain:
  ///
  /// | text | finds documents with |
  /// | --- | --- |
  /// | `green tea`, `green AND tea` | both words, anywhere |
  /// | `"green tea"` | the phrase |
  /// | `gre*`, `"green te"*` | a word, or the last word of the phrase, that begins so |
  /// | `tea OR coffee` | at least one of them; `OR` binds weaker than the space |
  /// | `tea -matcha`, `tea NOT matcha` | the first, but not the second |
  /// | `(tea OR coffee) milk` | a combination |
  ///
  /// Operators are written in capital letters. A word with punctuation inside, such as `half-full`, is a
  /// phrase of its parts; in an index of trigrams, any character is compared. The text may be searched for
  /// while it is being typed: what is open at its end is closed, and operators without an operand are
  /// ignored, as are terms without a letter or digit in an index of words. A text that names nothing, or only
  /// what must not occur, finds nothing; so does one of several alternatives.
  ///
  /// Without an order, the documents are ordered by rank, best first; with ``order(by:descending:)``, in the
  /// order of the query. The limit counts from there. The documents on this device are searched, with pending
  /// writes applied; the remote isn't asked.
  ///
  /// - Parameter text: what is searched for: at most 4,096 bytes, 128 words and phrases, and 16 open
  ///   parentheses.
  public func search(_ text: String) -> TextSearch { TextSearch(query: query, text: text) }
}

/// A search for the documents of a query that contain words; see ``QuerySource/search(_:)``.
public struct TextSearch: Sendable {
  /// The query whose documents are searched.
  public let query: Query
  /// What is searched for.
  public let text: String

  /// Returns the documents that are found.
  ///
  /// While the index is being built, this continues building it, and returns when it is complete. Other
  /// operations of the database run in between; see ``Store/textIndexes()`` for the progress.
  ///
  /// - Returns: the documents, best first unless the query has an order.
  /// - Throws: ``StoreError`` with ``StoreError/Code/failedPrecondition`` if the collection has no
  ///   ``TextIndex``; with ``StoreError/Code/invalidArgument`` if the text exceeds a limit or the query
  ///   breaks a rule; with ``StoreError/Code/dataLoss`` if a document can't be decoded; `CancellationError`.
  /// - Complexity: O(n log n) in the number of documents that contain one of the words, plus those that are
  ///   decoded: without an order, decoding stops at the limit; with an order, all of them are. In an index of
  ///   trigrams, a term of one or two characters adds O(n) in the number of its occurrences.
  public func getDocuments() async throws -> [FoundDocument] {
    let runnable = try query.runnable(isSent: false)
    return found(try await query.store.engine.search(text, among: runnable.run), runnable)
  }

  /// The documents that are found now, and each time they change.
  ///
  /// A slow reader skips states. An element includes every write of this process that returned before it was
  /// asked for. The search ends with the iteration. Changes of other processes are included. An error, as of
  /// ``getDocuments()``, ends the stream.
  ///
  /// - Complexity: each change of a document in a collection with the ID costs one search, and isn't
  ///   delivered if it hasn't changed the result or its order.
  public var snapshots: AsyncThrowingStream<[FoundDocument], any Error> {
    let runnable: RunnableQuery
    do { runnable = try query.runnable(isSent: false) } catch { return AsyncThrowingStream { throw error } }
    let reader = TextSearchReader(query.store.engine, text, runnable.run)
    return AsyncThrowingStream { try await reader.next().map { found($0, runnable) } }
  }

  private func found(_ result: TextSearchResult, _ runnable: RunnableQuery) -> [FoundDocument] {
    let store = query.store
    let highlighter = TextHighlighter(result)
    return runnable.inOrder(result.hits).map {
      FoundDocument(
        document: $0.document.snapshot(in: store, isFromCache: result.isFromCache), rank: $0.rank,
        highlighter: highlighter)
    }
  }
}
