import TenonDocuments
package import TenonFoundation
package import TenonStoreInterop

/// A parsed bundle: documents and named queries packaged by a server for many clients
/// (https://firebase.google.com/docs/firestore/bundles).
///
/// A bundle is a sequence of JSON elements, each preceded by its length in bytes as a decimal number, without
/// separators. The first element contains the metadata. Named queries and documents follow; the metadata of a
/// document precedes the document, with no other document in between. Values are encoded as in Firestore's
/// REST API.
package struct Bundle {
  /// A document of the bundle with its metadata.
  package struct Document {
    /// The path of the document.
    let path: ResourcePath
    /// The document; `nil` if it doesn't exist, or hasn't been read yet.
    var content: BaseDocument?
    /// The time at which the server read the document.
    let readTime: Timestamp
    /// The names of the queries whose results contain the document.
    let queries: [String]
    /// Whether the metadata states that the document doesn't exist.
    let isMissing: Bool
    /// The offset of the end of the document, in bytes from the end of the bundle's metadata.
    package var end: Int

    /// The document as it is stored in the cache, also if it doesn't exist.
    var base: BaseDocument { content ?? .missing(at: readTime) }
  }

  /// A named query. It is decoded when it is used; ``checkQueries()`` decodes all of them in advance.
  struct Query {
    /// The name by which the app requests the query.
    let name: String
    /// The time at which the server read the result of the query, from which a listener resumes.
    let readTime: Timestamp
    /// The JSON of the query's element in the bundle.
    let json: Data
  }

  /// The bundle's ID. A bundle with the same ID and the same or an older time isn't loaded again.
  let id: String
  /// The time at which the bundle was built.
  let createTime: Timestamp
  /// The number of documents, according to the metadata, including those that don't exist.
  package let totalDocuments: Int
  /// The number of bytes after the metadata, according to it.
  package let totalBytes: Int
  /// The documents, in the order of the bundle.
  package private(set) var documents: [Document] = []
  /// The named queries, in the order of the bundle.
  private(set) var queries: [Query] = []

  /// Parses a bundle, and checks that the counts in its metadata match its contents.
  ///
  /// - Parameter bytes: the whole bundle.
  /// - Throws: ``StoreError`` with ``StoreError/Code/invalidArgument`` and the byte offset at which the
  ///   bundle is malformed: an element is truncated or of an unknown kind, the metadata is missing,
  ///   incomplete or of another version than 1, a document has no metadata or the reverse, or a count
  ///   differs.
  /// - Complexity: O(n) in the number of bytes.
  package init(_ bytes: Data) throws {
    var reader = Reader(bytes: [UInt8](bytes))
    guard let first = try reader.next(), let metadata = first.json["metadata"] else {
      throw Self.broken("doesn't begin with its metadata", at: 0)
    }
    guard let id = metadata["id"]?.string, let created = metadata["createTime"] else {
      throw Self.broken("has no id or no time", at: 0)
    }
    guard metadata["version"]?.integer ?? 1 == 1 else {
      throw Self.broken("has a version other than 1", at: 0)
    }
    self.id = id
    do throws(DocumentError) { createTime = try created.timestamp() } catch {
      throw Self.broken("has an invalid time", at: 0)
    }
    totalDocuments = Int(clamping: metadata["totalDocuments"]?.integer ?? 0)
    totalBytes = Int(clamping: metadata["totalBytes"]?.integer ?? 0)
    let start = reader.position
    while let element = try reader.next() {
      do { try add(element.json, element.bytes, end: reader.position - start) } catch {
        throw Self.broken(error.message, at: reader.position)
      }
    }
    guard reader.position - start == totalBytes else {
      throw Self.broken(
        "has \(reader.position - start) bytes, not \(totalBytes) as it says", at: reader.position)
    }
    let found = documents.filter { $0.content != nil || $0.isMissing }.count
    guard found == documents.count, documents.count == totalDocuments else {
      throw Self.broken("has \(found) documents, not \(totalDocuments) as it says", at: reader.position)
    }
  }

  /// Adds an element of the bundle.
  ///
  /// - Parameters:
  ///   - json: the element.
  ///   - bytes: the bytes of the element.
  ///   - end: the offset of its end, in bytes from the end of the bundle's metadata.
  /// - Throws: `DocumentError` if the element is malformed, of an unknown kind, or a document without its
  ///   metadata.
  private mutating func add(_ json: FirestoreJSON, _ bytes: Data, end: Int) throws(DocumentError) {
    if let query = json["namedQuery"], let name = query["name"]?.string, let time = query["readTime"] {
      queries.append(Query(name: name, readTime: try time.timestamp(), json: bytes))
    } else if let metadata = json["documentMetadata"], let name = metadata["name"] {
      documents.append(
        Document(
          path: try name.documentPath(), readTime: try (metadata["readTime"] ?? .null).timestamp(),
          queries: (metadata["queries"]?.array ?? []).compactMap(\.string),
          isMissing: !(metadata["exists"]?.boolean ?? false), end: end))
    } else if let content = json["document"], let name = content["name"] {
      let path = try name.documentPath()
      guard documents.last?.path == path, documents.last?.isMissing == false else {
        throw DocumentError(.damaged, "has the document \(path.text) without its metadata")
      }
      documents[documents.count - 1].content = BaseDocument(
        content: .found(try content["fields"]?.fields() ?? Fields()),
        createTime: try content["createTime"]?.timestamp() ?? .zero,
        version: try (content["updateTime"] ?? .null).timestamp(), isCommitted: false)
      documents[documents.count - 1].end = end
    } else {
      throw DocumentError(.damaged, "has an element of an unknown kind")
    }
  }

  /// Returns the error for a malformed bundle.
  ///
  /// - Parameters:
  ///   - what: the defect, as a predicate of "The bundle".
  ///   - position: the offset from the beginning of the bundle, in bytes.
  private static func broken(_ what: String, at position: Int) -> StoreError {
    StoreError(
      .invalidArgument, "The bundle \(what), at byte \(position). Nothing was loaded; download it again.")
  }

  /// Reads elements one by one. Each is a decimal length followed by that many bytes of JSON.
  private struct Reader {
    /// The whole bundle.
    let bytes: [UInt8]
    /// The offset of the next element, in bytes.
    private(set) var position = 0

    init(bytes: [UInt8]) { self.bytes = bytes }

    /// Returns the next element, parsed and as it is in the bundle; `nil` at the end.
    ///
    /// - Throws: ``StoreError`` with ``StoreError/Code/invalidArgument`` if the element is truncated or
    ///   malformed.
    mutating func next() throws -> (json: FirestoreJSON, bytes: Data)? {
      guard position < bytes.count else { return nil }
      let start = position
      var length = 0
      while position < bytes.count, (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(bytes[position]) {
        length = length &* 10 &+ Int(clamping: bytes[position] - UInt8(ascii: "0"))
        position += 1
        guard length <= bytes.count else { break }
      }
      guard position > start, position < bytes.count, bytes[position] == UInt8(ascii: "{") else {
        throw broken("has no length before an element", at: start)
      }
      guard length <= bytes.count - position else {
        throw broken("ends in the middle of an element", at: start)
      }
      // Checked: the length was compared.
      let element = Data(bytes[position..<position + length])
      position += length
      do throws(DocumentError) { return (try FirestoreJSON(element), element) } catch {
        throw broken("has an element that isn't JSON", at: start)
      }
    }
  }
}

/// A named query of a bundle in executable form.
///
/// A limit to the last documents is stated beside the query, as its `limitType`; the orders of the query are
/// those in which the app receives the result.
package struct BundledQuery {
  /// The query, whose limit counts from the beginning or the end.
  package let structure: StructuredQuery
  /// Whether the limit counts from the end.
  package let isLimitedToLast: Bool

  /// - Parameter json: the query's element in the bundle.
  /// - Throws: ``StoreError``, with ``StoreError/Code/dataLoss`` if the element contains no query.
  init(_ json: Data) throws {
    let query = try checked { () throws(DocumentError) in try FirestoreJSON(json) }["namedQuery"]?[
      "bundledQuery"]
    guard let query, let structured = query["structuredQuery"] else {
      throw StoreError(.dataLoss, "A named query can't be read; load its bundle again.")
    }
    structure = try checked { () throws(DocumentError) in try structured.query(below: query["parent"]) }
    isLimitedToLast = query["limitType"]?.string == "LAST"
  }
}
