import TenonDocuments
import TenonStoreEngine
import TenonStoreInterop

extension QuerySource {
  /// Returns the query beginning with the documents whose ordered fields have the given values, inclusive. It
  /// replaces a start set before.
  ///
  /// - Parameter values: at most one value for each ``order(by:descending:)``, in the same order. With fewer
  ///   values, the later orders aren't compared. The query throws a ``StoreError`` with
  ///   ``StoreError/Code/invalidArgument`` when it is run if there are more, or if one can't be stored.
  public func start(at values: [any DocumentValue]) -> Refined {
    bounded(by: values, isInclusive: true) { $0.start = $1 }
  }

  /// Returns the query beginning after the documents whose ordered fields have the given values; see
  /// `start(at:)`.
  public func start(after values: [any DocumentValue]) -> Refined {
    bounded(by: values, isInclusive: false) { $0.start = $1 }
  }

  /// Returns the query ending with the documents whose ordered fields have the given values, inclusive; see
  /// `start(at:)`.
  public func end(at values: [any DocumentValue]) -> Refined {
    bounded(by: values, isInclusive: true) { $0.end = $1 }
  }

  /// Returns the query ending before the documents whose ordered fields have the given values; see
  /// `start(at:)`.
  public func end(before values: [any DocumentValue]) -> Refined {
    bounded(by: values, isInclusive: false) { $0.end = $1 }
  }

  // MARK: - Values as arguments

  /// Returns the query beginning with the documents whose ordered fields have the given values, inclusive:
  /// `start(at: 5, "tea")` is `start(at: [5, "tea"])`.
  ///
  /// A single array as the argument is the list of values; to begin at a field that contains an array, pass
  /// the array in a list: `start(at: [["hot", "new"]])`.
  @_disfavoredOverload
  public func start(at values: any DocumentValue...) -> Refined { start(at: values) }

  /// Returns the query beginning after the documents whose ordered fields have the given values; see
  /// `start(at:)`.
  @_disfavoredOverload
  public func start(after values: any DocumentValue...) -> Refined { start(after: values) }

  /// Returns the query ending with the documents whose ordered fields have the given values, inclusive; see
  /// `start(at:)`.
  @_disfavoredOverload
  public func end(at values: any DocumentValue...) -> Refined { end(at: values) }

  /// Returns the query ending before the documents whose ordered fields have the given values; see
  /// `start(at:)`.
  @_disfavoredOverload
  public func end(before values: any DocumentValue...) -> Refined { end(before: values) }

  // MARK: - Documents

  /// Returns the query beginning with one of its documents, inclusive. Unlike with values, the position is
  /// unambiguous if several documents have equal values.
  ///
  /// The query throws a ``StoreError`` with ``StoreError/Code/invalidArgument`` when it is run if the
  /// document lacks an ordered field.
  ///
  /// - Parameter document: a document of the result, usually of an earlier page. Its values at the time when
  ///   it was read determine the position.
  public func start(atDocument document: some DocumentSnapshotConvertible) -> Refined {
    bounded(by: document.documentSnapshot, isInclusive: true) { $0.start = $1 }
  }

  /// Returns the query beginning after one of its documents, for example with the next page; see
  /// ``start(atDocument:)``.
  ///
  /// ```swift
  /// let page = try await query.limit(to: 20).getDocuments()
  /// if let last = page.documents.last {
  ///   let next = try await query.limit(to: 20).start(afterDocument: last).getDocuments()
  /// }
  /// ```
  public func start(afterDocument document: some DocumentSnapshotConvertible) -> Refined {
    bounded(by: document.documentSnapshot, isInclusive: false) { $0.start = $1 }
  }

  /// Returns the query ending with one of its documents, inclusive; see ``start(atDocument:)``.
  public func end(atDocument document: some DocumentSnapshotConvertible) -> Refined {
    bounded(by: document.documentSnapshot, isInclusive: true) { $0.end = $1 }
  }

  /// Returns the query ending before one of its documents; see ``start(atDocument:)``.
  public func end(beforeDocument document: some DocumentSnapshotConvertible) -> Refined {
    bounded(by: document.documentSnapshot, isInclusive: false) { $0.end = $1 }
  }

  /// Returns the query with a cursor at the given values. A value that can't be stored becomes the query's
  /// error.
  ///
  /// - Parameters:
  ///   - values: the values.
  ///   - isInclusive: whether documents with these values are part of the result.
  ///   - bound: sets the start or the end of the query.
  private func bounded(
    by values: [any DocumentValue], isInclusive: Bool, _ bound: (inout StructuredQuery, QueryCursor) -> Void
  ) -> Refined {
    var query = query
    var converted: [Value] = []
    for (index, value) in values.enumerated() {
      do { converted.append(try FieldValue(value).inQuery()) } catch {
        let error = DocumentValueError(converting: error).storeError("The value \(index + 1) of a cursor")
        query.error = query.error ?? error
      }
    }
    bound(&query.structure, QueryCursor(values: converted, isInclusive: isInclusive))
    return refined(query)
  }

  /// Returns the query with a cursor at a document. The cursor has a value for every order, so that no other
  /// document is at the same position. The implicit orders become explicit, so that no order can be inserted
  /// before them later.
  ///
  /// - Parameters:
  ///   - document: the document.
  ///   - isInclusive: whether the document is part of the result.
  ///   - bound: sets the start or the end of the query.
  private func bounded(
    by document: DocumentSnapshot, isInclusive: Bool, _ bound: (inout StructuredQuery, QueryCursor) -> Void
  ) -> Refined {
    var query = query
    do {
      let orders = try checked { () throws(DocumentError) in try ResolvedQuery(query.structure) }.orders
      query.structure.orders = orders
      let path = document.reference.resourcePath
      let values = try orders.map { order in
        guard let value = document.fields?.value(of: order.field, at: path) else {
          throw StoreError(
            .invalidArgument,
            "The document \(path.text) can't bound the query: it has no field \"\(order.field.text)\"."
          )
        }
        return value
      }
      bound(&query.structure, QueryCursor(values: values, isInclusive: isInclusive))
    } catch { query.error = query.error ?? error as? StoreError }
    return refined(query)
  }
}
