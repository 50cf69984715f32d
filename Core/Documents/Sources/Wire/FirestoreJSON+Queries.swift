package import TenonStoreInterop

extension FirestoreJSON {
  /// Decodes a `google.firestore.v1.StructuredQuery` of a bundle, with names of any database.
  ///
  /// Validity isn't checked here; see ``ResolvedQuery``. Members that aren't listed in ``StructuredQuery``,
  /// such as `select` and `offset`, are ignored.
  ///
  /// - Parameter parent: the full name of the parent document or of the database's root; `nil` for the root.
  /// - Returns: the query, relative to the root of the database.
  /// - Throws: ``DocumentError`` with ``DocumentError/Code/damaged`` if a member can't be decoded.
  package func query(below parent: FirestoreJSON?) throws(DocumentError) -> StructuredQuery {
    do {
      return try query(
        below: try parent?.path(in: .any) ?? ResourcePath(segments: []), in: .any, ignoresUnsupported: true)
    } catch { throw error.documentError }
  }

  /// Decodes a `google.firestore.v1.StructuredQuery`.
  ///
  /// A query has at most one collection selector. Validity isn't checked here; see ``ResolvedQuery``.
  /// An order is ascending unless its direction is `DESCENDING`. The limit is an `Int32Value`, which the JSON
  /// mapping writes as a number; an object with a `value` is accepted as well.
  ///
  /// - Parameters:
  ///   - parent: the parent of the collection: a document, or the root.
  ///   - database: the database to which references must belong.
  ///   - ignoresUnsupported: whether members are ignored that only servers of documents know: projections,
  ///     offsets and vector searches.
  /// - Throws: ``WireFailure`` if a member can't be decoded.
  func query(
    below parent: ResourcePath, in database: DatabasePrefix, ignoresUnsupported: Bool = false
  ) throws(WireFailure) -> StructuredQuery {
    let sources = try list("from") { (source) throws(WireFailure) in
      StructuredQuery(
        parent: parent, collectionID: try source.member("collectionId", Self.text) ?? "",
        allDescendants: try source.member("allDescendants", Self.flag) ?? false)
    }
    guard sources.count <= 1 else { throw WireFailure("has more than one collection").inMember("from") }
    // Without a collection, the query is over all collections directly below its parent.
    var query = sources.first ?? StructuredQuery(parent: parent, collectionID: "")
    guard !ignoresUnsupported || !query.coversAllCollections else {
      throw WireFailure("isn't exactly one collection").inMember("from")
    }
    query.filter = try member("where") { (json) throws(WireFailure) in try json.filter(in: database) }
    query.orders = try list("orderBy") { (order) throws(WireFailure) in
      QueryOrder(
        field: try order.required("field", WireField.path),
        isDescending: try order.member("direction", Self.direction) ?? false)
    }
    // `before` means that the cursor is before equal documents: a start then includes them, and an end
    // excludes them.
    query.start = try cursor("startAt", in: database).map {
      QueryCursor(values: $0.values, isInclusive: $0.isBefore)
    }
    query.end = try cursor("endAt", in: database).map {
      QueryCursor(values: $0.values, isInclusive: !$0.isBefore)
    }
    query.limit = try member("limit", Self.optionalCount)
    if !ignoresUnsupported {
      try decodeSelection(of: &query, in: database)
      try Self.checkValues(of: query)
    }
    try Self.checkNames(of: query)
    return query
  }

  /// Decodes what the query selects of its result: `select`, `offset` and `findNearest`.
  private func decodeSelection(
    of query: inout StructuredQuery, in database: DatabasePrefix
  ) throws(WireFailure) {
    query.selection = try member("select") { (json) throws(WireFailure) in
      try json.list("fields", WireField.path)
    }
    query.offset = try member("offset", Self.count) ?? 0
    query.nearest = try member("findNearest") { (json) throws(WireFailure) in
      let vector = try json.required("queryVector") { (json) throws(WireFailure) in
        guard case .vector(let components) = try json.value(in: database) else {
          throw WireFailure("isn't a vector")
        }
        guard (1...2_048).contains(components.count) else {
          throw WireFailure("has \(components.count) dimensions, not 1 to 2,048")
        }
        return components
      }
      let name = try json.member("distanceResultField", Self.text)
      return VectorSearch(
        field: try json.required("vectorField", WireField.path), vector: vector,
        measure: try json.required("distanceMeasure") { (json) throws(WireFailure) in
          guard let measure = DistanceMeasure(rawValue: try json.text()) else {
            throw WireFailure("isn't a measure of distance")
          }
          return measure
        },
        limit: try json.member("limit", Self.optionalCount) ?? 0,
        distanceField: name.flatMap { $0.isEmpty ? nil : $0 },
        threshold: try json.member("distanceThreshold", Self.optionalNumber))
    }
  }

  /// Decodes an `Int32Value`, which official clients write as a number or as an object.
  static func optionalCount(_ json: FirestoreJSON) throws(WireFailure) -> Int {
    guard case .object = json else { return try json.count() }
    return try json.member("value", Self.count) ?? 0
  }

  /// Decodes a `DoubleValue`, as ``optionalCount(_:)``.
  private static func optionalNumber(_ json: FirestoreJSON) throws(WireFailure) -> Double {
    guard case .object = json else { return try json.number() }
    return try json.member("value", Self.number) ?? 0
  }

  /// Checks the values of a query that a server receives.
  private static func checkValues(of query: StructuredQuery) throws(WireFailure) {
    do throws(DocumentError) {
      for condition in query.filter?.fieldConditions ?? [] {
        try condition.operand.checkConversion(at: condition.field.segments, allowsNestedArrays: true)
      }
      for cursor in [query.start, query.end].compactMap(\.self) {
        for (order, value) in zip(query.orders, cursor.values) {
          try value.checkConversion(at: order.field.segments, allowsNestedArrays: true)
        }
      }
    } catch { throw WireFailure(sentence: error.message) }
  }

  /// Checks that the values for the document ID aren't IDs, which ``ResolvedQuery`` accepts: on the wire,
  /// they are references.
  private static func checkNames(of query: StructuredQuery) throws(WireFailure) {
    for condition in query.filter?.fieldConditions ?? [] where condition.field == .documentID() {
      let isText = condition.operand.stringValue != nil
      guard !isText, !(condition.operand.arrayValue ?? []).contains(where: { $0.stringValue != nil }) else {
        throw WireFailure("compares __name__ with a string, not with a reference").inMember("where")
      }
    }
    for (name, cursor) in [("startAt", query.start), ("endAt", query.end)] {
      for (order, value) in zip(query.orders, cursor?.values ?? []) where order.field == .documentID() {
        guard value.stringValue == nil else {
          throw WireFailure("has a string, not a reference, for __name__").inMember(name)
        }
      }
    }
  }

  /// Returns whether a direction is descending.
  private static func direction(_ json: FirestoreJSON) throws(WireFailure) -> Bool {
    switch try json.text() {
    case "DESCENDING": return true
    case "ASCENDING", "DIRECTION_UNSPECIFIED": return false
    default: throw WireFailure("isn't ASCENDING or DESCENDING")
    }
  }

  /// Decodes a `StructuredQuery.Filter`.
  ///
  /// Unary filters become comparisons with null or NaN: `IS_NULL` becomes `equal` with null, and `IS_NOT_NAN`
  /// becomes `notEqual` with NaN. The operator of a `fieldFilter` is kept as it is, so an unknown one is
  /// rejected only when the query is resolved.
  ///
  /// - Throws: ``WireFailure`` if it isn't exactly one of the three kinds, or a part of it can't be decoded.
  private func filter(in database: DatabasePrefix) throws(WireFailure) -> QueryFilter {
    let kinds = [
      try member("compositeFilter") { (json) throws(WireFailure) in try json.compositeFilter(in: database) },
      try member("fieldFilter") { (json) throws(WireFailure) in try json.fieldFilter(in: database) },
      try member("unaryFilter", Self.unaryFilter),
    ].compactMap(\.self)
    guard kinds.count == 1 else { throw WireFailure("isn't a condition") }
    return kinds[0]
  }

  /// Decodes a `StructuredQuery.FieldFilter`.
  ///
  /// A comparison by `EQUAL` with null or NaN matches nothing on Firestore's server, and one by `NOT_EQUAL`
  /// what `NOT_IN` with the value matches, unlike the unary filters, which are comparisons with null and NaN in
  /// ``QueryFilter``.
  private func fieldFilter(in database: DatabasePrefix) throws(WireFailure) -> QueryFilter {
    let field = try required("field", WireField.path)
    let comparison = QueryComparison(rawValue: try required("op", Self.text))
    let value = try required("value") { (json) throws(WireFailure) in try json.value(in: database) }
    guard !value.isMatched, field != .documentID() else { return .field(field, comparison, value) }
    switch comparison {
    case .equal: return .field(field, .in, .array([value]))
    case .notEqual: return .field(field, .notIn, .array([value]))
    default: return .field(field, comparison, value)
    }
  }

  /// Decodes a `StructuredQuery.CompositeFilter`.
  private func compositeFilter(in database: DatabasePrefix) throws(WireFailure) -> QueryFilter {
    let filters = try list("filters") { (json) throws(WireFailure) in try json.filter(in: database) }
    return try required("op") { (json) throws(WireFailure) in
      switch try json.text() {
      case "AND": return .and(filters)
      case "OR": return .or(filters)
      default: throw WireFailure("isn't AND or OR")
      }
    }
  }

  /// Decodes a `StructuredQuery.UnaryFilter`.
  private static func unaryFilter(_ json: FirestoreJSON) throws(WireFailure) -> QueryFilter {
    let field = try json.required("field", WireField.path)
    return try json.required("op") { (json) throws(WireFailure) in
      switch try json.text() {
      case "IS_NULL": return .field(field, .equal, .null)
      case "IS_NOT_NULL": return .field(field, .notEqual, .null)
      case "IS_NAN": return .field(field, .equal, .double(.nan))
      case "IS_NOT_NAN": return .field(field, .notEqual, .double(.nan))
      default: throw WireFailure("isn't an operator of a unary filter")
      }
    }
  }

  /// Decodes a `google.firestore.v1.Cursor`; `nil` if there is none.
  ///
  /// In the protocol, a cursor is a position just before or just after the documents with its values;
  /// `before` is false by default.
  private func cursor(_ name: String, in database: DatabasePrefix) throws(WireFailure) -> WireCursor? {
    try member(name) { (json) throws(WireFailure) in
      WireCursor(
        values: try json.list("values") { (json) throws(WireFailure) in try json.value(in: database) },
        isBefore: try json.member("before", Self.flag) ?? false)
    }
  }
}

extension FieldPath {
  /// Creates a path from the notation of Firestore's protocol
  /// (`google.firestore.v1.StructuredQuery.FieldReference`).
  ///
  /// Names are separated by dots. Names that aren't simple identifiers are in backticks, in which a backslash
  /// escapes backticks and backslashes. The path isn't checked; see ``check()``.
  ///
  /// - Parameter text: the path, for example `` address.`zip code` ``.
  /// - Returns: `nil` if a name is empty, or isn't quoted although it isn't a simple identifier, or if the
  ///   quotation doesn't end.
  /// - Complexity: O(*n*) in the length of the text.
  package init?(wire text: String) {
    var segments: [String] = []
    var rest = text.utf8[...]
    repeat {
      guard let name = Self.name(&rest) else { return nil }
      segments.append(name)
    } while rest.popFirst() == UInt8(ascii: ".")
    guard rest.isEmpty else { return nil }
    self.init(segments)
  }

  /// Reads a name, up to a dot or the end; `nil` if it isn't one.
  private static func name(_ rest: inout Substring.UTF8View) -> String? {
    let mark = UInt8(ascii: "`")
    guard rest.first == mark else {
      let end = rest.firstIndex(of: UInt8(ascii: ".")) ?? rest.endIndex
      let name = rest[..<end]
      guard let first = name.first, isLetter(first), name.allSatisfy({ isLetter($0) || isDigit($0) }) else {
        return nil
      }
      rest = rest[end...]
      return String(Substring(name))
    }
    rest.removeFirst()
    var bytes: [UInt8] = []
    while let byte = rest.popFirst() {
      switch byte {
      case mark:
        guard rest.isEmpty || rest.first == UInt8(ascii: "."), !bytes.isEmpty else { return nil }
        return String(decoding: bytes, as: UTF8.self)
      case UInt8(ascii: "\\"):
        guard let escaped = rest.popFirst() else { return nil }
        bytes.append(escaped)
      default: bytes.append(byte)
      }
    }
    return nil
  }

  private static func isLetter(_ byte: UInt8) -> Bool {
    switch byte {
    case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"), UInt8(ascii: "_"): true
    default: false
    }
  }

  private static func isDigit(_ byte: UInt8) -> Bool {
    (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(byte)
  }
}
