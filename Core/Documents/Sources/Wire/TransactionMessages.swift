package import TenonFoundation
package import TenonValues

/// The kind of a transaction (`google.firestore.v1.TransactionOptions`).
package enum TransactionOptions: WireMessage, Hashable {
  /// A transaction that reads and writes; if it repeats one that was aborted, that one's ID.
  case readWrite(retrying: Data?)
  /// A transaction that only reads, at a time or at the present (`nil`).
  case readOnly(at: Timestamp?)

  package func write(to writer: inout WireWriter) throws(DocumentError) {
    try writer.beginObject()
    switch self {
    case .readWrite(let previous):
      writer.name("readWrite")
      try writer.beginObject()
      writer.member("retryTransaction", previous)
      writer.endObject()
    case .readOnly(let time):
      writer.name("readOnly")
      try writer.beginObject()
      try writer.member("readTime", time)
      writer.endObject()
    }
    writer.endObject()
  }

  package init(wire json: FirestoreJSON, in database: DatabasePrefix) throws(WireFailure) {
    let readOnly = try json.member("readOnly") { (json) throws(WireFailure) in
      TransactionOptions.readOnly(at: try json.member("readTime", FirestoreJSON.time))
    }
    let readWrite = try json.member("readWrite") { (json) throws(WireFailure) in
      TransactionOptions.readWrite(retrying: try json.token("retryTransaction"))
    }
    guard readOnly == nil || readWrite == nil else { throw WireFailure("is both readOnly and readWrite") }
    self = readOnly ?? readWrite ?? .readWrite(retrying: nil)
  }
}

/// The state of the database that a request reads, if it isn't the present (`consistency_selector`).
package enum ReadConsistency: Sendable, Hashable {
  /// The state that a transaction sees.
  case transaction(Data)
  /// The state that a new transaction sees, whose ID comes with the first response.
  case newTransaction(TransactionOptions)
  /// The state at an earlier time. The time of a first page, used for the others, makes them parts of one
  /// result.
  case readTime(Timestamp)

  /// Appends the member of a request; nothing for `nil`.
  static func write(_ consistency: ReadConsistency?, to writer: inout WireWriter) throws(DocumentError) {
    switch consistency {
    case .transaction(let id): writer.member("transaction", id)
    case .newTransaction(let options): try writer.member("newTransaction", options)
    case .readTime(let time): try writer.member("readTime", time)
    case nil: break
    }
  }

  /// Decodes the member of a request; `nil` if there is none.
  static func decode(
    in json: FirestoreJSON, _ database: DatabasePrefix
  ) throws(WireFailure) -> ReadConsistency? {
    let options: TransactionOptions? = try json.message("newTransaction", in: database)
    let selectors = [
      try json.token("transaction").map(ReadConsistency.transaction),
      options.map(ReadConsistency.newTransaction),
      try json.member("readTime", FirestoreJSON.time).map(ReadConsistency.readTime),
    ].compactMap(\.self)
    guard selectors.count <= 1 else {
      throw WireFailure("has more than one of transaction, newTransaction and readTime")
    }
    return selectors.first
  }
}

/// Begins a transaction (`google.firestore.v1.BeginTransactionRequest`, `POST documents:beginTransaction`).
package struct BeginTransactionRequest: WireMessage, Hashable {
  /// The kind of the transaction.
  package var options: TransactionOptions

  /// Creates a request, by default for a transaction that reads and writes.
  package init(options: TransactionOptions = .readWrite(retrying: nil)) { self.options = options }

  package func write(to writer: inout WireWriter) throws(DocumentError) {
    try writer.beginObject()
    try writer.member("options", options)
    writer.endObject()
  }

  package init(wire json: FirestoreJSON, in database: DatabasePrefix) throws(WireFailure) {
    self.init(options: try json.message("options", in: database) ?? .readWrite(retrying: nil))
  }
}

/// The ID of a transaction: the response to its beginning (`google.firestore.v1.BeginTransactionResponse`),
/// and the request that ends it without a commit (`google.firestore.v1.RollbackRequest`,
/// `POST documents:rollback`). The response to the latter is ``EmptyMessage``.
package struct TransactionReference: WireMessage, Hashable {
  /// The ID.
  package var transaction: Data

  /// Creates a message.
  package init(transaction: Data) { self.transaction = transaction }

  package func write(to writer: inout WireWriter) throws(DocumentError) {
    try writer.beginObject()
    writer.member("transaction", transaction)
    writer.endObject()
  }

  package init(wire json: FirestoreJSON, in database: DatabasePrefix) throws(WireFailure) {
    guard let id = try json.token("transaction") else {
      throw WireFailure("is missing").inMember("transaction")
    }
    self.init(transaction: id)
  }
}
