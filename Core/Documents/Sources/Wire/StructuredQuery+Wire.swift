package import TenonStoreInterop

/// `google.firestore.v1.StructuredQuery`. Its parent isn't part of the message; see
/// `FirestoreJSON.query(below:in:)` for the other direction.
extension StructuredQuery: WireEncodable {
  /// Appends the query. A limit beyond the 32 bits of the protocol is the greatest one. A filter that holds
  /// for all documents, an `and` without conditions, is omitted.
  package func write(to writer: inout WireWriter) throws(DocumentError) {
    try writer.beginObject()
    if let selection {
      writer.name("select")
      try writer.beginObject()
      try writer.member("fields", selection.map(WireField.init))
      writer.endObject()
    }
    writer.name("from")
    try writer.beginArray()
    try writer.beginObject()
    writer.member("collectionId", collectionID)
    writer.member("allDescendants", ifTrue: allDescendants)
    writer.endObject()
    writer.endArray()
    if let filter, filter != .and([]) { try writer.member("where", filter) }
    try writer.member("orderBy", orders)
    // `before` means that the cursor is before equal documents: a start then includes them, and an end
    // excludes them.
    if let start {
      try writer.member("startAt", WireCursor(values: start.values, isBefore: start.isInclusive))
    }
    if let end { try writer.member("endAt", WireCursor(values: end.values, isBefore: !end.isInclusive)) }
    if offset > 0 { writer.member("offset", Int(clamping: Int32(clamping: offset))) }
    writer.member("limit", limit.map { Int(clamping: Int32(clamping: $0)) })
    if let nearest { try writer.member("findNearest", nearest) }
    writer.endObject()
  }
}

/// `StructuredQuery.FindNearest`.
extension VectorSearch: WireEncodable {
  package func write(to writer: inout WireWriter) throws(DocumentError) {
    try writer.beginObject()
    try writer.member("vectorField", WireField(field))
    writer.name("queryVector")
    try writer.value(.vector(vector))
    writer.member("distanceMeasure", measure.rawValue)
    writer.member("limit", Int(clamping: Int32(clamping: limit)))
    writer.member("distanceResultField", distanceField)
    if let threshold {
      writer.name("distanceThreshold")
      writer.double(threshold)
    }
    writer.endObject()
  }
}

/// `StructuredQuery.Filter`.
extension QueryFilter: WireEncodable {
  /// Appends the condition. Comparisons of `equal` and `notEqual` with null and NaN are unary filters.
  package func write(to writer: inout WireWriter) throws(DocumentError) {
    try writer.beginObject()
    switch self {
    case .field(let field, let comparison, let value):
      if let unary = Self.unaryOperator(comparison, value) {
        writer.name("unaryFilter")
        try writer.beginObject()
        try writer.member("field", WireField(field))
        writer.member("op", unary)
      } else {
        writer.name("fieldFilter")
        try writer.beginObject()
        try writer.member("field", WireField(field))
        writer.member("op", comparison.rawValue)
        writer.name("value")
        try writer.value(value)
      }
    case .and(let filters):
      writer.name("compositeFilter")
      try writer.beginObject()
      writer.member("op", "AND")
      try writer.member("filters", filters)
    case .or(let filters):
      writer.name("compositeFilter")
      try writer.beginObject()
      writer.member("op", "OR")
      try writer.member("filters", filters)
    }
    writer.endObject()
    writer.endObject()
  }

  /// Returns the operator of the unary filter that a comparison is; `nil` for others.
  private static func unaryOperator(_ comparison: QueryComparison, _ value: Value) -> String? {
    switch (comparison, value) {
    case (.equal, .null): "IS_NULL"
    case (.notEqual, .null): "IS_NOT_NULL"
    case (.equal, .double(let number)) where number.isNaN: "IS_NAN"
    case (.notEqual, .double(let number)) where number.isNaN: "IS_NOT_NAN"
    default: nil
    }
  }
}

/// `StructuredQuery.Order`.
extension QueryOrder: WireEncodable {
  package func write(to writer: inout WireWriter) throws(DocumentError) {
    try writer.beginObject()
    try writer.member("field", WireField(field))
    writer.member("direction", isDescending ? "DESCENDING" : "ASCENDING")
    writer.endObject()
  }
}

/// `StructuredQuery.FieldReference`, also within an aggregation: an object with the path of a field.
struct WireField: WireEncodable {
  /// The field.
  let field: FieldPath

  /// Creates a reference.
  init(_ field: FieldPath) { self.field = field }

  func write(to writer: inout WireWriter) throws(DocumentError) {
    try writer.beginObject()
    writer.name("fieldPath")
    writer.field(field)
    writer.endObject()
  }

  /// Decodes the reference of an aggregation, which is in its `field`.
  static func decode(_ json: FirestoreJSON) throws(WireFailure) -> FieldPath {
    try json.required("field", Self.path)
  }

  /// Decodes a reference.
  static func path(_ json: FirestoreJSON) throws(WireFailure) -> FieldPath {
    try json.required("fieldPath", FirestoreJSON.field)
  }
}

/// `google.firestore.v1.Cursor`: a position just before or just after the documents with some values.
struct WireCursor: WireEncodable {
  /// The values of the first orders.
  let values: [Value]
  /// Whether the position is before the documents with exactly these values.
  let isBefore: Bool

  func write(to writer: inout WireWriter) throws(DocumentError) {
    try writer.beginObject()
    writer.name("values")
    try writer.beginArray()
    for value in values { try writer.value(value) }
    writer.endArray()
    writer.member("before", ifTrue: isBefore)
    writer.endObject()
  }
}
