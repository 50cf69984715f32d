package import TenonStoreInterop

/// A document that exists (`google.firestore.v1.Document`): its full name, its fields, and its times.
extension RemoteDocument: WireMessage {
  package func write(to writer: inout WireWriter) throws(DocumentError) {
    try writer.beginObject()
    writer.member("name", path)
    if let fields, !fields.isEmpty {
      writer.name("fields")
      try writer.fields(fields)
    }
    // A document that doesn't exist, in a list of those that are missing, has its name only.
    if fields != nil {
      try writer.member("createTime", createTime)
      try writer.member("updateTime", updateTime)
    }
    writer.endObject()
  }

  package init(wire json: FirestoreJSON, in database: DatabasePrefix) throws(WireFailure) {
    self.init(
      path: try json.required("name") { (json) throws(WireFailure) in try json.documentPath(in: database) },
      fields: try json.member("fields") { (json) throws(WireFailure) in try json.fields(in: database) }
        ?? Fields(),
      createTime: try json.member("createTime", FirestoreJSON.time),
      updateTime: try json.required("updateTime", FirestoreJSON.time))
  }
}

/// One page of a collection (`google.firestore.v1.ListDocumentsResponse`).
package struct ListDocumentsResponse: WireMessage, Hashable {
  /// The documents.
  package var documents: [RemoteDocument]
  /// The token of the next page; empty for the last page.
  package var nextPageToken: String

  /// Creates a page.
  package init(documents: [RemoteDocument] = [], nextPageToken: String = "") {
    self.documents = documents
    self.nextPageToken = nextPageToken
  }

  package func write(to writer: inout WireWriter) throws(DocumentError) {
    try writer.beginObject()
    try writer.member("documents", documents)
    writer.member("nextPageToken", nextPageToken)
    writer.endObject()
  }

  package init(wire json: FirestoreJSON, in database: DatabasePrefix) throws(WireFailure) {
    self.init(
      documents: try json.messages("documents", in: database),
      nextPageToken: try json.member("nextPageToken", FirestoreJSON.text) ?? "")
  }
}
