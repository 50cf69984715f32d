package import TenonValues

extension WireWriter {
  /// Appends a value (`google.firestore.v1.Value`): an object with a single member, whose name is the type.
  ///
  /// A vector is a map with `__type__` and `value`. Empty arrays and maps are objects without members.
  ///
  /// - Throws: ``DocumentError`` with ``DocumentError/Code/badValue`` for a timestamp outside the years 1 to
  ///   9999, and for values nested so deep that the message has more than ``deepestNesting`` levels. Other
  ///   rules aren't checked; see `Fields.checkDocument(at:)`.
  /// - Complexity: O(*n*) in the size of the value.
  package mutating func value(_ value: Value) throws(DocumentError) {
    try beginObject()
    switch value {
    case .null:
      name("nullValue")
      null()
    case .boolean(let value):
      name("booleanValue")
      boolean(value)
    case .integer(let value):
      name("integerValue")
      integer(value)
    case .double(let value):
      name("doubleValue")
      double(value)
    case .timestamp(let value):
      name("timestampValue")
      try timestamp(value)
    case .string(let value):
      name("stringValue")
      string(value)
    case .bytes(let value):
      name("bytesValue")
      data(value)
    case .reference(let value):
      name("referenceValue")
      path(value)
    case .geoPoint(let point):
      name("geoPointValue")
      try beginObject()
      // Zeros are omitted, as in every message of proto3.
      if point.latitude.bitPattern != 0 {
        name("latitude")
        double(point.latitude)
      }
      if point.longitude.bitPattern != 0 {
        name("longitude")
        double(point.longitude)
      }
      endObject()
    case .array(let elements):
      name("arrayValue")
      try array(elements)
    case .map(let fields):
      name("mapValue")
      try beginObject()
      if !fields.isEmpty {
        name("fields")
        try self.fields(fields)
      }
      endObject()
    case .vector(let components):
      name("mapValue")
      try vector(components)
    }
    endObject()
  }

  /// Appends a `google.firestore.v1.ArrayValue`.
  package mutating func array(_ elements: some Sequence<Value>) throws(DocumentError) {
    try beginObject()
    var isEmpty = true
    for element in elements {
      if isEmpty {
        name("values")
        try beginArray()
        isEmpty = false
      }
      try value(element)
    }
    if !isEmpty { endArray() }
    endObject()
  }

  /// Appends fields: an object with their names and values, also if there are none.
  package mutating func fields(_ fields: Fields) throws(DocumentError) {
    try beginObject()
    for entry in fields.entries {
      name(ofField: entry.name)
      try value(entry.value)
    }
    endObject()
  }

  /// Appends the `google.firestore.v1.MapValue` of a vector.
  private mutating func vector(_ components: [Double]) throws(DocumentError) {
    try beginObject()
    name("fields")
    try beginObject()
    name("__type__")
    try value(.string("__vector__"))
    name("value")
    try beginObject()
    name("arrayValue")
    try array(components.lazy.map(Value.double))
    endObject()
    endObject()
    endObject()
  }
}
