package import TenonStoreInterop

/// `google.firestore.v1.ListenRequest`.
///
/// The purpose of a target is the label `goog-listen-tags` of the official clients.
extension ListenRequest: WireMessage {
  package func write(to writer: inout WireWriter) throws(DocumentError) {
    try writer.beginObject()
    writer.member("database", writer.database.name)
    switch self {
    case .add(let target):
      try writer.member("addTarget", target)
      if let label = target.purpose.label {
        writer.name("labels")
        try writer.beginObject()
        writer.member("goog-listen-tags", label)
        writer.endObject()
      }
    case .remove(let target): writer.member("removeTarget", target)
    }
    writer.endObject()
  }

  package init(wire json: FirestoreJSON, in database: DatabasePrefix) throws(WireFailure) {
    try json.checkDatabase(database)
    let target: ListenTarget? = try json.message("addTarget", in: database)
    let removed = try json.member("removeTarget", FirestoreJSON.int32)
    switch (target, removed) {
    case (var target?, nil):
      let label = try json.member("labels") { (json) throws(WireFailure) in
        try json.member("goog-listen-tags", FirestoreJSON.text)
      }
      target.purpose = ListenTarget.Purpose(label: label ?? nil)
      self = .add(target)
    case (nil, let removed?): self = .remove(target: removed)
    default: throw WireFailure("isn't exactly one of addTarget and removeTarget")
    }
  }
}

/// `google.firestore.v1.Target`. Its purpose is part of the request.
extension ListenTarget: WireMessage {
  package func write(to writer: inout WireWriter) throws(DocumentError) {
    try writer.beginObject()
    switch content {
    case .query(let query):
      writer.name("query")
      try writer.beginObject()
      writer.member("parent", query.parent)
      try writer.member("structuredQuery", query)
      writer.endObject()
    case .documents(let paths):
      writer.name("documents")
      try writer.beginObject()
      writer.name("documents")
      try writer.beginArray()
      for path in paths { writer.path(path) }
      writer.endArray()
      writer.endObject()
    }
    writer.member("targetId", id)
    switch resumption {
    case .token(let token): writer.member("resumeToken", token)
    case .readTime(let time): try writer.member("readTime", time)
    case nil: break
    }
    writer.member("once", ifTrue: isOnce)
    writer.member("expectedCount", expectedCount)
    writer.endObject()
  }

  package init(wire json: FirestoreJSON, in database: DatabasePrefix) throws(WireFailure) {
    let query = try json.member("query") { (json) throws(WireFailure) in
      let parent = try json.member("parent") { (json) throws(WireFailure) in try json.path(in: database) }
      return try json.required("structuredQuery") { (json) throws(WireFailure) in
        try json.query(below: parent ?? ResourcePath(segments: []), in: database)
      }
    }
    let documents = try json.member("documents") { (json) throws(WireFailure) in
      try json.list("documents") { (json) throws(WireFailure) in try json.documentPath(in: database) }
    }
    let contents = [query.map(Content.query), documents.map(Content.documents)].compactMap(\.self)
    guard contents.count == 1 else { throw WireFailure("isn't exactly one of query and documents") }
    let resumptions = [
      try json.token("resumeToken").map(Resumption.token),
      try json.member("readTime", FirestoreJSON.time).map(Resumption.readTime),
    ].compactMap(\.self)
    guard resumptions.count <= 1 else { throw WireFailure("has both resumeToken and readTime") }
    let id = try json.required("targetId", FirestoreJSON.int32)
    guard id > 0 else { throw WireFailure("isn't a positive number").inMember("targetId") }
    let isOnce = try json.member("once", FirestoreJSON.flag) ?? false
    self.init(
      id: id, content: contents[0], resumption: resumptions.first,
      expectedCount: try json.member("expectedCount") { (json) throws(WireFailure) in
        // An `Int32Value`, which the official clients write as a number or as an object.
        guard case .object = json else { return try json.count() }
        return try json.member("value", FirestoreJSON.count) ?? 0
      })
    self.isOnce = isOnce
  }
}

extension ListenTarget.Purpose {
  /// The label of the official clients; `nil` for a listener.
  fileprivate var label: String? {
    switch self {
    case .listen: nil
    case .existenceFilterMismatch: "existence-filter-mismatch"
    case .existenceFilterMismatchBloom: "existence-filter-mismatch-bloom"
    case .limboResolution: "limbo-document"
    }
  }

  /// Creates the purpose of a label. An unknown label, which only serves diagnostics, is that of a listener.
  fileprivate init(label: String?) {
    switch label {
    case "existence-filter-mismatch": self = .existenceFilterMismatch
    case "existence-filter-mismatch-bloom": self = .existenceFilterMismatchBloom
    case "limbo-document": self = .limboResolution
    default: self = .listen
    }
  }
}
