package import TenonFoundation
package import TenonValues

/// A message of `google.firestore.v1` that can be written as JSON.
package protocol WireEncodable: Sendable {
  /// Appends the message, an object.
  ///
  /// - Throws: ``DocumentError`` with ``DocumentError/Code/badValue`` if a value has no JSON form, for
  ///   example a timestamp outside the years 1 to 9999.
  func write(to writer: inout WireWriter) throws(DocumentError)
}

/// A message of `google.firestore.v1` that can be read from JSON.
///
/// Decoding is strict about the types of the members that it knows and ignores all others. It accepts
/// everything that the JSON mapping of protobuf (https://protobuf.dev/programming-guides/json/) permits.
package protocol WireDecodable: Sendable {
  /// Decodes the message.
  ///
  /// - Parameters:
  ///   - json: the message.
  ///   - database: the database to which all names in the message must belong.
  /// - Throws: ``WireFailure`` with the member that can't be decoded.
  init(wire json: FirestoreJSON, in database: DatabasePrefix) throws(WireFailure)
}

/// A message of `google.firestore.v1` that can be written as JSON and read from it.
package typealias WireMessage = WireEncodable & WireDecodable

extension WireEncodable {
  /// Returns the message as JSON in UTF-8.
  ///
  /// - Parameter database: the database to which paths in the message belong.
  /// - Throws: ``DocumentError`` with ``DocumentError/Code/badValue``.
  /// - Complexity: O(*n*) in the size of the JSON.
  package func encoded(in database: DatabaseName) throws(DocumentError) -> Data {
    var writer = WireWriter(database)
    try write(to: &writer)
    return Data(writer.bytes)
  }
}

extension WireDecodable {
  /// Decodes a message.
  ///
  /// - Parameters:
  ///   - bytes: JSON in UTF-8.
  ///   - database: the database to which all names in the message must belong.
  ///   - limit: the maximum number of bytes.
  /// - Throws: ``DocumentError`` with ``DocumentError/Code/damaged``; ``DocumentError/Code/otherDatabase``
  ///   for a name of another database; ``DocumentError/Code/unsupported`` for a feature that Tenon doesn't
  ///   have.
  /// - Complexity: O(*n*), apart from sorting the names of fields.
  package init(
    decoding bytes: Data, in database: DatabaseName, limit: Int = FirestoreJSON.largestMessage
  ) throws(DocumentError) {
    try self.init(try FirestoreJSON(bytes, limit: limit), in: database)
  }

  /// Decodes a message that was parsed already.
  ///
  /// - Parameters:
  ///   - json: the message.
  ///   - database: the database to which all names in the message must belong.
  /// - Throws: ``DocumentError``, as ``init(decoding:in:limit:)``.
  package init(_ json: FirestoreJSON, in database: DatabaseName) throws(DocumentError) {
    do { try self.init(wire: json, in: DatabasePrefix(database)) } catch { throw error.documentError }
  }
}

extension FirestoreJSON {
  /// The maximum size of one message in bytes if the caller sets no smaller one, 32 MiB. The largest document
  /// has 1 MiB, which escapes can extend sixfold; a commit has at most 10 MiB.
  package static let largestMessage = 32 << 20
}

/// A message without members, such as the response to a rollback (`google.protobuf.Empty`).
package struct EmptyMessage: WireMessage, Hashable {
  /// Creates the message.
  package init() {}

  package func write(to writer: inout WireWriter) throws(DocumentError) {
    try writer.beginObject()
    writer.endObject()
  }

  package init(wire json: FirestoreJSON, in database: DatabasePrefix) throws(WireFailure) {
    _ = try json.member("")
  }
}
