package import TenonValues

/// A change of one document (`google.firestore.v1.Write`).
///
/// A set is an `update` without a mask; an update has a mask, also if it is empty. The older form of
/// transforms, a `transform` instead of an `update`, is decoded as an update with an empty mask, which has
/// the same effect.
extension DocumentWrite: WireMessage {
  package func write(to writer: inout WireWriter) throws(DocumentError) {
    try writer.beginObject()
    switch operation {
    case _ where isVerification: writer.member("verify", document)
    case .set(let fields): try update(fields, to: &writer)
    case .update(let fields, let mask):
      try update(fields, to: &writer)
      writer.name("updateMask")
      try writer.beginObject()
      if !mask.isEmpty {
        writer.name("fieldPaths")
        try writer.beginArray()
        for field in mask { writer.field(field) }
        writer.endArray()
      }
      writer.endObject()
    case .delete: writer.member("delete", document)
    }
    try writer.member("updateTransforms", transforms)
    if let precondition { try writer.member("currentDocument", precondition) }
    writer.endObject()
  }

  /// Appends the document with its new fields.
  private func update(_ fields: Fields, to writer: inout WireWriter) throws(DocumentError) {
    writer.name("update")
    try writer.beginObject()
    writer.member("name", document)
    if !fields.isEmpty {
      writer.name("fields")
      try writer.fields(fields)
    }
    writer.endObject()
  }

  package init(wire json: FirestoreJSON, in database: DatabasePrefix) throws(WireFailure) {
    guard ["update", "delete", "verify", "transform"].count(where: { json[$0] != nil }) == 1 else {
      throw WireFailure("isn't exactly one of update, delete, verify and transform")
    }
    let name = { (json: FirestoreJSON) throws(WireFailure) in try json.documentPath(in: database) }
    let transform = { (json: FirestoreJSON) throws(WireFailure) in
      try FieldTransform(wire: json, in: database)
    }
    var transforms = try json.list("updateTransforms", transform)
    let mask = try json.member("updateMask") { (json) throws(WireFailure) in
      try json.list("fieldPaths", FirestoreJSON.field)
    }
    let condition: WritePrecondition? = try json.member("currentDocument", WritePrecondition.decode) ?? nil
    if let path = try json.member("verify", name) {
      guard transforms.isEmpty, mask == nil else {
        throw WireFailure("is a verification with a mask or transforms")
      }
      guard let condition else { throw WireFailure("is a verification without a precondition") }
      self.init(verifying: path, condition)
    } else if let path = try json.member("delete", name) {
      guard transforms.isEmpty, mask == nil else {
        throw WireFailure("is a deletion with a mask or transforms")
      }
      self.init(path, .delete)
    } else if let update = try json.member(
      "update", { (json) throws(WireFailure) in try Update(json, database) })
    {
      self.init(update.path, mask.map { .update(update.fields, mask: $0) } ?? .set(update.fields))
    } else {
      let path = try json.required("transform") { (json) throws(WireFailure) in
        let listed = try json.list("fieldTransforms", transform)
        guard !listed.isEmpty else { throw WireFailure("has no transforms").inMember("fieldTransforms") }
        transforms += listed
        return try json.required("document", name)
      }
      self.init(path, .update(Fields(), mask: []))
    }
    self.transforms = transforms
    precondition = condition
  }

  /// The document of an update, which has no times.
  private struct Update {
    let path: ResourcePath
    let fields: Fields

    init(_ json: FirestoreJSON, _ database: DatabasePrefix) throws(WireFailure) {
      path = try json.required("name") { (json) throws(WireFailure) in try json.documentPath(in: database) }
      fields =
        try json.member("fields") { (json) throws(WireFailure) in try json.fields(in: database) } ?? Fields()
    }
  }
}

/// `google.firestore.v1.Precondition`.
extension WritePrecondition: WireMessage {
  package func write(to writer: inout WireWriter) throws(DocumentError) {
    try writer.beginObject()
    switch self {
    case .exists(let exists):
      writer.name("exists")
      writer.boolean(exists)
    case .updated(let time): try writer.member("updateTime", time)
    }
    writer.endObject()
  }

  package init(wire json: FirestoreJSON, in database: DatabasePrefix) throws(WireFailure) {
    guard let condition = try Self.decode(json) else {
      throw WireFailure("isn't exactly one of exists and updateTime")
    }
    self = condition
  }

  /// Decodes a precondition; `nil` for an empty one, which always holds.
  static func decode(_ json: FirestoreJSON) throws(WireFailure) -> WritePrecondition? {
    let exists = try json.member("exists", FirestoreJSON.flag)
    let time = try json.member("updateTime", FirestoreJSON.time)
    switch (exists, time) {
    case (let exists?, nil): return .exists(exists)
    case (nil, let time?): return .updated(time)
    case (nil, nil): return nil
    default: throw WireFailure("has both exists and updateTime")
    }
  }
}

/// `google.firestore.v1.DocumentTransform.FieldTransform`.
extension FieldTransform: WireMessage {
  package func write(to writer: inout WireWriter) throws(DocumentError) {
    try writer.beginObject()
    writer.name("fieldPath")
    writer.field(field)
    switch kind {
    case .serverTimestamp: writer.member("setToServerValue", "REQUEST_TIME")
    case .increment(let value):
      writer.name("increment")
      try writer.value(value)
    case .minimum(let value):
      writer.name("minimum")
      try writer.value(value)
    case .maximum(let value):
      writer.name("maximum")
      try writer.value(value)
    case .union(let values):
      writer.name("appendMissingElements")
      try writer.array(values)
    case .remove(let values):
      writer.name("removeAllFromArray")
      try writer.array(values)
    }
    writer.endObject()
  }

  package init(wire json: FirestoreJSON, in database: DatabasePrefix) throws(WireFailure) {
    let value = { (json: FirestoreJSON) throws(WireFailure) in try json.value(in: database) }
    let values = { (json: FirestoreJSON) throws(WireFailure) in try json.elements(in: database) }
    let kinds: [Kind?] = [
      try json.member("setToServerValue", Self.serverValue),
      try json.member("increment", value).map { .increment($0) },
      try json.member("minimum", value).map { .minimum($0) },
      try json.member("maximum", value).map { .maximum($0) },
      try json.member("appendMissingElements", values).map { .union($0) },
      try json.member("removeAllFromArray", values).map { .remove($0) },
    ]
    let present = kinds.compactMap(\.self)
    guard present.count == 1 else { throw WireFailure("isn't exactly one transform that Tenon supports") }
    self.init(try json.required("fieldPath", FirestoreJSON.field), present[0])
  }

  /// Decodes a `ServerValue`, of which only the time of the request is known.
  private static func serverValue(_ json: FirestoreJSON) throws(WireFailure) -> Kind {
    guard json.string == "REQUEST_TIME" else { throw WireFailure("isn't REQUEST_TIME") }
    return .serverTimestamp
  }
}
