import TenonDocuments
import TenonStoreInterop
import TenonValues

extension LocalReader {
  /// Returns the paths of the documents of a query, in any order. Documents aren't kept in memory unless the
  /// query has a limit.
  ///
  /// - Complexity: O(n) in the number of documents that are read; see
  ///   ``QueryReading/forEachMatch(needingDocuments:_:)``.
  func paths(of query: ResolvedQuery) throws -> [ResourcePath] {
    guard query.query.limit == nil else { return try documents(of: query).map(\.path) }
    return try transactions.read {
      let reading = try QueryReading(query, in: self)
      var paths: [ResourcePath] = []
      try reading.forEachMatch { _, match in
        paths.append(match.path)
        return true
      }
      reading.finish()
      return paths
    }
  }
}
