import TenonStoreInterop

extension VectorSearch {
  /// A document with its distance.
  private struct Found {
    let document: RemoteDocument
    let distance: Double
  }

  /// Returns the nearest documents among those that match a query, the nearest first; those of one distance in
  /// the order of their paths.
  ///
  /// A document whose distance isn't a number, such as the cosine distance to a vector of length 0, isn't
  /// found.
  ///
  /// - Parameters:
  ///   - query: the query, whose orders only decide which documents match.
  ///   - history: the documents.
  /// - Returns: at most ``limit`` documents, with their distances in the ``distanceField``.
  func documents(of query: ResolvedQuery, in history: some DocumentHistory) throws -> [RemoteDocument] {
    var found: [Found] = []
    try history.forEachMatch(of: query) { document in
      guard case .vector(let components)? = document.fields?[field], components.count == vector.count else {
        return
      }
      let distance = measure(components, vector)
      guard !distance.isNaN, threshold.map({ measure.isWithin($0, distance) }) ?? true else { return }
      found.append(Found(document: document, distance: distance))
      // No more than twice the limit, which is at most 1,000, is kept while the collection is read.
      if found.count >= 2 * limit { found = nearest(of: found) }
    }
    return nearest(of: found).map { found in
      guard let distanceField else { return found.document }
      var document = found.document
      document.fields?[FieldPath([distanceField])] = .double(found.distance)
      return document
    }
  }

  /// Returns the nearest of the documents, sorted.
  private func nearest(of found: [Found]) -> [Found] {
    let sorted = found.sorted { left, right in
      guard left.distance == right.distance else {
        return measure.isNearer(left.distance, than: right.distance)
      }
      return left.document.path.compare(right.document.path) < 0
    }
    // Checked: not negative.
    return Array(sorted.prefix(max(0, limit)))
  }
}
