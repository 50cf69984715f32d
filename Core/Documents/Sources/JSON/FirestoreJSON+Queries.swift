package import TenonStoreInterop

extension FirestoreJSON {
  /// A `StructuredQuery` below a parent, which is a full name.
  ///
  /// - Throws: ``DocumentError`` with ``DocumentError/Code/damaged``.
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
    // Where a result begins, the cursor stands before what equals it; where it ends, too.
    query.start = try self["startAt"].cursor { $0 }
    query.end = try self["endAt"].cursor { !$0 }
    query.limit = (self["limit"]?["value"] ?? self["limit"])?.integer.map(Int.init)
    return query
  }

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
  fileprivate func path() throws(DocumentError) -> FieldPath {
    guard let text = self?["fieldPath"]?.string else { throw FirestoreJSON.damaged("A field's path") }
    return FieldPath(wire: text)
  }

  fileprivate func cursor(_ isInclusive: (_ before: Bool) -> Bool) throws(DocumentError) -> QueryCursor? {
    guard let self else { return nil }
    let values = try (self["values"]?.array ?? []).map { value throws(DocumentError) in try value.value() }
    return QueryCursor(values: values, isInclusive: isInclusive(self["before"]?.boolean ?? false))
  }
}

extension FieldPath {
  /// A path as Firestore's protocol writes it: names separated by dots, those with other characters in backticks, in which
  /// a backslash stands before a backtick or a backslash.
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
