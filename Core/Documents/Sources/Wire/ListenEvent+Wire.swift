import TenonFoundation
package import TenonStoreInterop

/// `google.firestore.v1.ListenResponse`.
extension ListenEvent: WireMessage {
  package func write(to writer: inout WireWriter) throws(DocumentError) {
    try writer.beginObject()
    switch self {
    case .target(let change): try writer.member("targetChange", change)
    case .document(let document, let added, let removed):
      let isDeleted = document.fields == nil
      writer.name(isDeleted ? "documentDelete" : "documentChange")
      try writer.beginObject()
      if isDeleted {
        writer.member("document", document.path)
        try writer.member("readTime", document.updateTime)
      } else {
        try writer.member("document", document)
        try writer.member("targetIds", added)
      }
      try writer.member("removedTargetIds", removed)
      writer.endObject()
    case .removed(let path, let targets):
      writer.name("documentRemove")
      try writer.beginObject()
      writer.member("document", path)
      try writer.member("removedTargetIds", targets)
      writer.endObject()
    case .existenceFilter(let filter): try writer.member("filter", filter)
    }
    writer.endObject()
  }

  package init(wire json: FirestoreJSON, in database: DatabasePrefix) throws(WireFailure) {
    let change: TargetChange? = try json.message("targetChange", in: database)
    let filter: ExistenceFilter? = try json.message("filter", in: database)
    let events = [
      change.map(ListenEvent.target),
      try json.member("documentChange") { (json) throws(WireFailure) in
        ListenEvent.document(
          try json.required("document") { (json) throws(WireFailure) in
            try RemoteDocument(wire: json, in: database)
          },
          added: try json.targets("targetIds"), removed: try json.targets("removedTargetIds"))
      },
      try json.member("documentDelete") { (json) throws(WireFailure) in
        let document = RemoteDocument(
          path: try json.documentName(in: database), fields: nil,
          // A server that doesn't know when a document was deleted sends no time.
          updateTime: try json.member("readTime", FirestoreJSON.time) ?? Timestamp(seconds: 0))
        return ListenEvent.document(document, added: [], removed: try json.targets("removedTargetIds"))
      },
      try json.member("documentRemove") { (json) throws(WireFailure) in
        ListenEvent.removed(
          try json.documentName(in: database), from: try json.targets("removedTargetIds"))
      },
      filter.map(ListenEvent.existenceFilter),
    ].compactMap(\.self)
    guard events.count == 1 else { throw WireFailure("isn't exactly one event of a listener") }
    self = events[0]
  }
}

extension FirestoreJSON {
  /// Decodes the IDs of targets.
  fileprivate func targets(_ name: String) throws(WireFailure) -> [Int] { try list(name, Self.int32) }

  /// Decodes the name of a document that is gone.
  fileprivate func documentName(in database: DatabasePrefix) throws(WireFailure) -> ResourcePath {
    try required("document") { (json) throws(WireFailure) in try json.documentPath(in: database) }
  }
}

/// `google.firestore.v1.TargetChange`.
extension TargetChange: WireMessage {
  package func write(to writer: inout WireWriter) throws(DocumentError) {
    try writer.beginObject()
    switch kind {
    // The default, which is omitted.
    case .noChange: break
    case .added: writer.member("targetChangeType", "ADD")
    case .removed: writer.member("targetChangeType", "REMOVE")
    case .current: writer.member("targetChangeType", "CURRENT")
    case .reset: writer.member("targetChangeType", "RESET")
    }
    try writer.member("targetIds", targets)
    if case .removed(let error?) = kind {
      try writer.member("cause", WireStatus(StoreRemoteError(reporting: error)))
    }
    writer.member("resumeToken", token)
    try writer.member("readTime", readTime)
    writer.endObject()
  }

  package init(wire json: FirestoreJSON, in database: DatabasePrefix) throws(WireFailure) {
    // Decoded for every kind, so that a wrong one is noticed.
    let cause: WireStatus? = try json.message("cause", in: database)
    let kind = try json.member("targetChangeType") { (json) throws(WireFailure) in
      switch try json.text() {
      case "NO_CHANGE": return Kind.noChange
      case "ADD": return .added
      case "REMOVE": return .removed(cause.map { $0.error ?? StoreRemoteError(.unknown, $0.message) })
      case "CURRENT": return .current
      case "RESET": return .reset
      default: throw WireFailure("isn't a target change")
      }
    }
    self.init(
      kind ?? .noChange, targets: try json.list("targetIds", FirestoreJSON.int32),
      token: try json.token("resumeToken"), readTime: try json.member("readTime", FirestoreJSON.time))
  }
}

/// `google.firestore.v1.ExistenceFilter`. The full names in its bloom filter are those of the database.
extension ExistenceFilter: WireMessage {
  package func write(to writer: inout WireWriter) throws(DocumentError) {
    try writer.beginObject()
    writer.member("targetId", target)
    writer.member("count", count)
    if let names {
      writer.name("unchangedNames")
      try writer.beginObject()
      writer.name("bits")
      try writer.beginObject()
      writer.member("bitmap", names.bitmap)
      writer.member("padding", names.padding)
      writer.endObject()
      writer.member("hashCount", names.hashCount)
      writer.endObject()
    }
    writer.endObject()
  }

  package init(wire json: FirestoreJSON, in database: DatabasePrefix) throws(WireFailure) {
    self.init(
      target: try json.required("targetId", FirestoreJSON.int32),
      count: try json.member("count", FirestoreJSON.count) ?? 0,
      names: try json.member("unchangedNames") { (json) throws(WireFailure) in
        let bits = try json.member("bits") { (json) throws(WireFailure) in
          (bitmap: try json.token("bitmap"), padding: try json.member("padding", FirestoreJSON.int32))
        }
        return BloomFilterBits(
          bitmap: bits?.bitmap ?? Data(), padding: bits?.padding ?? 0,
          hashCount: try json.member("hashCount", FirestoreJSON.int32) ?? 0,
          prefix: database.database?.prefix ?? "")
      })
  }
}
