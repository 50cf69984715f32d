import TenonDocuments
import TenonStoreInterop

extension Queryable {
  /// Returns the documents of the query from those on whose ordered fields have these values: at most one value for each
  /// ``order(by:descending:)``, in their order.
  public func start(at values: [any DocumentValue]) -> Query {
    bounded(by: values, isInclusive: true) { $0.start = $1 }
  }

  /// Returns the documents of the query after those whose ordered fields have these values; see ``start(at:)``.
  public func start(after values: [any DocumentValue]) -> Query {
    bounded(by: values, isInclusive: false) { $0.start = $1 }
  }

  /// Returns the documents of the query up to and including those whose ordered fields have these values; see ``start(at:)``.
  public func end(at values: [any DocumentValue]) -> Query {
    bounded(by: values, isInclusive: true) { $0.end = $1 }
  }

  /// Returns the documents of the query before those whose ordered fields have these values; see ``start(at:)``.
  public func end(before values: [any DocumentValue]) -> Query {
    bounded(by: values, isInclusive: false) { $0.end = $1 }
  }

  /// Returns the documents of the query from one of its documents on.
  ///
  /// The query throws a ``StoreError`` with ``StoreError/Code/invalidArgument`` when it is run if the document lacks an ordered
  /// field.
  public func start(atDocument document: DocumentSnapshot) -> Query {
    bounded(by: document, isInclusive: true) { $0.start = $1 }
  }

  /// Returns the documents of the query after one of its documents, the next page; see ``start(atDocument:)``.
  public func start(afterDocument document: DocumentSnapshot) -> Query {
    bounded(by: document, isInclusive: false) { $0.start = $1 }
  }

  /// Returns the documents of the query up to and including one of its documents; see ``start(atDocument:)``.
  public func end(atDocument document: DocumentSnapshot) -> Query {
    bounded(by: document, isInclusive: true) { $0.end = $1 }
  }

  /// Returns the documents of the query before one of its documents; see ``start(atDocument:)``.
  public func end(beforeDocument document: DocumentSnapshot) -> Query {
    bounded(by: document, isInclusive: false) { $0.end = $1 }
  }

  private func bounded(
    by values: [any DocumentValue], isInclusive: Bool, _ bound: (inout StructuredQuery, QueryCursor) -> Void
  ) -> Query {
    var query = query
    var converted: [Value] = []
    for (index, value) in values.enumerated() {
      do { converted.append(try FieldValue(value).inQuery()) } catch {
        let error = DocumentValueError(converting: error).storeError("The value \(index + 1) of a cursor")
        query.error = query.error ?? error
      }
    }
    bound(&query.structure, QueryCursor(values: converted, isInclusive: isInclusive))
    return query
  }

  /// Bounds the query at a position that no other document has: the values of all orders. The implicit orders become explicit,
  /// so that no order can be inserted before them later.
  private func bounded(
    by document: DocumentSnapshot, isInclusive: Bool, _ bound: (inout StructuredQuery, QueryCursor) -> Void
  ) -> Query {
    var query = query
    do {
      let orders = try checked { () throws(DocumentError) in try ResolvedQuery(query.structure) }.orders
      query.structure.orders = orders
      let path = document.reference.resourcePath
      let values = try orders.map { order in
        guard let value = document.fields?.value(of: order.field, at: path) else {
          throw StoreError(
            .invalidArgument,
            "The document \(path.text) cannot bound the query: it has no field \"\(order.field.text)\"."
          )
        }
        return value
      }
      bound(&query.structure, QueryCursor(values: values, isInclusive: isInclusive))
    } catch { query.error = query.error ?? error as? StoreError }
    return query
  }
}
