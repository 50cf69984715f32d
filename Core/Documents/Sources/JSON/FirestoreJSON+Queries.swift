package import TenonStoreInterop

extension FirestoreJSON {
  /// Decodes a `google.firestore.v1.StructuredQuery`.
  ///
  /// The query must have exactly one collection selector. Validity is not checked here; see ``ResolvedQuery``. Members
  /// that are not listed in ``StructuredQuery``, such as `select` and `offset`, are ignored. An order is ascending
  /// unless its direction is `DESCENDING`. The limit is an `Int32Value`, which the JSON mapping writes as a number; an
  /// object with a `value` is accepted as well, and a limit that is not an integer is ignored.
  ///
  /// - Parameter parent: the full name of the parent document or of the database's root; `nil` for the root.
  /// - Returns: the query, relative to the root of the database.
  /// - Throws: ``DocumentError`` with ``DocumentError/Code/damaged`` if the collection, a condition, a field path, a
  ///   cursor's value or the parent cannot be decoded.
  package func query(below parent: FirestoreJSON?) throws(DocumentError) -> StructuredQuery {
    let sources = self["from"]?.array ?? []
    guard sources.count == 1, let collection = sources[0]["collectionId"]?.string else {
      throw Self.damaged("A query's collection")
    }
    var query = StructuredQuery(
      parent: try parent?.documentPath() ?? ResourcePath(segments: []), collectionID: collection,
      allDescendants: sources[0]["allDescendants"]?.boolean ?? false)
    if let filter = self["where"] { query.filter = try filter.filter() }
    for order in self["orderBy"]?.array ?? [] {
      query.orders.append(
        QueryOrder(
          field: try order["field"].path(), isDescending: order["direction"]?.string == "DESCENDING"))
    }
    // `before` means that the cursor is before equal documents: a start then includes them, and an end excludes them.
    query.start = try self["startAt"].cursor { $0 }
    query.end = try self["endAt"].cursor { !$0 }
    query.limit = (self["limit"]?["value"] ?? self["limit"])?.integer.map { Int(clamping: $0) }
    return query
  }

  /// Decodes a `StructuredQuery.Filter`.
  ///
  /// Unary filters become comparisons with null or NaN: `IS_NULL` becomes `equal` with null, and `IS_NOT_NAN` becomes
  /// `notEqual` with NaN. The operator of a `fieldFilter` is kept as it is, so an unknown one is rejected only when the
  /// query is resolved. A `compositeFilter` is an `or` if its operator is `OR`, otherwise an `and`.
  ///
  /// - Throws: ``DocumentError`` with ``DocumentError/Code/damaged`` if it is none of the three kinds, or a part of it
  ///   cannot be decoded.
  private func filter() throws(DocumentError) -> QueryFilter {
    if let composite = self["compositeFilter"] {
      let filters = try (composite["filters"]?.array ?? []).map { part throws(DocumentError) in
        try part.filter()
      }
      return composite["op"]?.string == "OR" ? .or(filters) : .and(filters)
    }
    if let field = self["fieldFilter"], let comparison = field["op"]?.string, let value = field["value"] {
      return .field(try field["field"].path(), QueryComparison(rawValue: comparison), try value.value())
    }
    if let unary = self["unaryFilter"] {
      let field = try unary["field"].path()
      switch unary["op"]?.string {
      case "IS_NULL": return .field(field, .equal, .null)
      case "IS_NOT_NULL": return .field(field, .notEqual, .null)
      case "IS_NAN": return .field(field, .equal, .double(.nan))
      case "IS_NOT_NAN": return .field(field, .notEqual, .double(.nan))
      default: break
      }
    }
    throw Self.damaged("A condition")
  }
}

extension FirestoreJSON? {
  /// Decodes a `StructuredQuery.FieldReference`.
  ///
  /// - Throws: ``DocumentError`` with ``DocumentError/Code/damaged``.
  fileprivate func path() throws(DocumentError) -> FieldPath {
    guard let text = self?["fieldPath"]?.string else { throw FirestoreJSON.damaged("A field's path") }
    return FieldPath(wire: text)
  }

  /// Decodes a `google.firestore.v1.Cursor`; `nil` if there is none.
  ///
  /// In the protocol, a cursor is a position just before or just after the documents with its values; `before` is false
  /// by default.
  ///
  /// - Parameter isInclusive: whether the cursor includes equal documents, given its `before`.
  /// - Throws: ``DocumentError`` with ``DocumentError/Code/damaged`` if a value cannot be decoded.
  fileprivate func cursor(_ isInclusive: (_ before: Bool) -> Bool) throws(DocumentError) -> QueryCursor? {
    guard let self else { return nil }
    let values = try (self["values"]?.array ?? []).map { value throws(DocumentError) in try value.value() }
    return QueryCursor(values: values, isInclusive: isInclusive(self["before"]?.boolean ?? false))
  }
}

extension FieldPath {
  /// Creates a path from the notation of Firestore's protocol (`google.firestore.v1.StructuredQuery.FieldReference`).
  ///
  /// Names are separated by dots. Names that are not simple identifiers are in backticks, in which a backslash escapes
  /// backticks and backslashes. The path is not checked; see ``check()``.
  ///
  /// - Parameter text: the path, for example `` address.`zip code` ``. A backtick without a counterpart quotes the rest
  ///   of the text; an empty text yields one empty name.
  /// - Complexity: O(*n*) in the length of the text.
  package init(wire text: String) {
    var segments: [String] = []
    var name = String.UnicodeScalarView()
    var isQuoted = false
    var isEscaped = false
    for scalar in text.unicodeScalars {
      switch scalar {
      case _ where isEscaped:
        name.append(scalar)
        isEscaped = false
      case "\\" where isQuoted: isEscaped = true
      case "`": isQuoted.toggle()
      case "." where !isQuoted:
        segments.append(String(name))
        name = .init()
      default: name.append(scalar)
      }
    }
    self.init(segments + [String(name)])
  }
}
