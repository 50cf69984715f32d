import TenonDocuments
import TenonFoundation
import TenonStoreInterop
import TenonTransport
import TenonTransportInterop

/// A parsed request for documents.
struct DocumentCall: Sendable {
  /// The request.
  let request: TransportRequest
  /// The body of the request, once it has been read.
  var body = Data()
  /// The database.
  let database: DatabaseName
  /// The path of the document or collection; without segments, the root.
  let path: ResourcePath
  /// The custom method behind a colon, for example `commit`; `nil` for the methods of HTTP.
  let method: String?
  /// The names, in lower camel case, and values of the URL's query, in their order.
  let query: [(name: String, value: String)]

  /// Finds out the resource and the method of a request.
  ///
  /// - Parameters:
  ///   - request: the request.
  ///   - route: the parts of its URL.
  /// - Throws: `StoreRemoteError` with `notFound` for a URL that names no resource; `DocumentError` for an ID
  ///   that no resource can have.
  init(_ request: TransportRequest, route: Route) throws {
    let text = route.encodedPath
    // A host or `emulator` may be in front of the version.
    var path = text.firstRange(of: "/v1/").map { text[$0.upperBound...] } ?? ""
    query = Self.items(of: route.encodedQuery)
    method =
      request.method == .post
      ? path.lastIndex(of: ":").flatMap { colon in
        let name = path[colon...].dropFirst()
        // A colon in an ID is percent-encoded in the URL of a custom method.
        guard !name.contains("/") else { return nil }
        path = path[..<colon]
        return String(name)
      } : nil
    let parts = path.split(separator: "/", omittingEmptySubsequences: false)
    guard parts.count >= 5, parts[0] == "projects", parts[2] == "databases", parts[4] == "documents" else {
      throw StoreRemoteError(.notFound, "Firestore's API has no such method.")
    }
    let (database, resource) = try DatabaseName.parse(urlPath: String(path))
    if resource.isDocument {
      try resource.checkDocument()
    } else if !resource.segments.isEmpty {
      try resource.checkCollection()
    }
    self.request = request
    self.database = database
    self.path = resource
  }

  /// Returns the names and values of a query, decoded, in their order.
  private static func items(of query: String) -> [(name: String, value: String)] {
    query.split(separator: "&").map { item in
      let parts = item.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false).map { part in
        let spaced = String(part.replacing("+", with: " "))
        return PercentEncoding.decode(spaced) ?? spaced
      }
      return (parts[0].lowerCamelCased, parts.count == 2 ? parts[1] : "")
    }
  }

  /// Returns the first value of an item of the query; `nil` if there is none.
  func value(_ name: String) -> String? { query.first { $0.name == name }?.value }

  /// Whether the documents of all collections directly below the path are meant: `collectionId=` without a
  /// value, which only calls of gRPC express.
  var listsAllCollections: Bool { value("collectionId") == "" }

  /// Returns a number of the query; `nil` if there is none.
  ///
  /// - Throws: `StoreRemoteError` with `invalidArgument` for anything but a decimal number of at least 0.
  func number(_ name: String) throws -> Int? {
    guard let text = value(name) else { return nil }
    guard let number = Int(decimal: text), number >= 0 else {
      throw StoreRemoteError(.invalidArgument, "The parameter \(name) isn't a number of at least 0.")
    }
    return number
  }

  /// Returns a Boolean of the query; `nil` if there is none.
  ///
  /// - Throws: `StoreRemoteError` with `invalidArgument` for anything but `true` and `false`.
  func flag(_ name: String) throws -> Bool? {
    guard let text = value(name) else { return nil }
    guard ["true", "false"].contains(text) else {
      throw StoreRemoteError(.invalidArgument, "\(name) must be true or false.")
    }
    return text == "true"
  }

  /// Returns the paths of fields of a mask, which is in the query as `NAME.fieldPaths`, once for each path, or as
  /// `NAME=` if it has no paths, which only calls of gRPC express; `nil` if there is none.
  ///
  /// - Throws: `DocumentError` for what isn't the path of a field.
  func mask(_ mask: String) throws -> [FieldPath]? {
    let name = "\(mask).fieldPaths"
    let paths = query.filter { $0.name == name }.map(\.value)
    guard !paths.isEmpty else { return value(mask) == "" ? [] : nil }
    let fields = try paths.map { text in
      guard let path = FieldPath(wire: text) else {
        throw StoreRemoteError(
          .invalidArgument, "\"\(text.prefix(100))\" in \(name) isn't the path of a field.")
      }
      return path
    }
    try QueryRules.checkSelection(fields)
    return fields
  }

  /// Returns the state that the query selects for reading; `nil` for the present.
  ///
  /// - Throws: `StoreRemoteError` with `invalidArgument`; `DocumentError`.
  func consistency() throws -> ReadConsistency? {
    let time = value("readTime")
    guard let transaction = value("transaction") else {
      return try time.map { .readTime(try FirestoreJSON.string($0).timestamp()) }
    }
    guard time == nil else {
      throw StoreRemoteError(.invalidArgument, "A request has either a readTime or a transaction.")
    }
    // In a query that isn't encoded, the plus sign of Base64 is a space.
    guard let id = Data(wireBase64: transaction.replacing(" ", with: "+")) else {
      throw StoreRemoteError(.invalidArgument, "The transaction isn't Base64.")
    }
    return .transaction(id)
  }

  /// Returns the message in the body; one without members if there is no body.
  ///
  /// - Parameter name: the message.
  /// - Throws: `DocumentError` for anything else.
  func message(_ name: RequestMessage) throws -> FirestoreJSON {
    guard !body.isEmpty else { return .object([:]) }
    let json = try FirestoreJSON(body, limit: FirestoreJSON.largestMessage)
    guard case .object = json else { throw DocumentError(.damaged, "The body isn't an object.") }
    return try json.request(name)
  }

  /// Checks that the method is called on the root, as those of whole databases are.
  func checkRoot() throws {
    guard path.segments.isEmpty else {
      throw StoreRemoteError(
        .invalidArgument, "The method \(method ?? "") belongs to documents, not to a path.")
    }
  }

  /// Checks that the method is called on a document or on the root.
  func checkParent() throws {
    guard path.segments.isEmpty || path.isDocument else {
      throw StoreRemoteError(
        .invalidArgument, "The method \(method ?? "") belongs to the root or to a document.")
    }
  }
}

extension ResourcePath {
  /// Whether this can be the path of a document.
  var isDocument: Bool { !segments.isEmpty && segments.count.isMultiple(of: 2) }

  /// Whether this can be the path of a collection.
  var isCollection: Bool { !segments.count.isMultiple(of: 2) }

  /// The document of a collection, without segments at the root; `nil` if this isn't the path of a
  /// collection.
  var parentOfCollection: ResourcePath? {
    isCollection ? ResourcePath(segments: Array(segments.dropLast())) : nil
  }
}
