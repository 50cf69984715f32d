import FirestoreProtobuf
import TenonDocuments
import TenonFoundation
import TenonTransportInterop
import TenonValues

/// A method of `google.firestore.v1.Firestore`. All but the two streams of a client are requests of the REST
/// API with the same messages (`google/firestore/v1/firestore.proto`, `google.api.http`).
enum FirestoreMethod: String, Sendable {
  case getDocument = "GetDocument"
  case listDocuments = "ListDocuments"
  case createDocument = "CreateDocument"
  case updateDocument = "UpdateDocument"
  case deleteDocument = "DeleteDocument"
  case batchGetDocuments = "BatchGetDocuments"
  case beginTransaction = "BeginTransaction"
  case commit = "Commit"
  case rollback = "Rollback"
  case runQuery = "RunQuery"
  case runAggregationQuery = "RunAggregationQuery"
  case partitionQuery = "PartitionQuery"
  case listCollectionIds = "ListCollectionIds"
  case batchWrite = "BatchWrite"
  case write = "Write"
  case listen = "Listen"

  /// Whether the response is a stream.
  var isStreaming: Bool {
    [.batchGetDocuments, .runQuery, .runAggregationQuery, .write, .listen].contains(self)
  }

  /// The name of the message of a request.
  var requestName: String { "\(rawValue)Request" }

  /// The name of the message of a response.
  var responseName: String {
    switch self {
    case .getDocument, .createDocument, .updateDocument: "Document"
    case .deleteDocument, .rollback: "Empty"
    default: "\(rawValue)Response"
    }
  }

  /// The method's name in URLs; `nil` for those that are methods of HTTP.
  private var verb: String? {
    switch self {
    case .batchGetDocuments: "batchGet"
    case .beginTransaction, .commit, .rollback, .runQuery, .runAggregationQuery, .partitionQuery,
      .listCollectionIds, .batchWrite:
      rawValue.prefix(1).lowercased() + rawValue.dropFirst()
    default: nil
    }
  }

  /// Returns the bytes of a response.
  ///
  /// - Throws: ``GRPCStatus``.
  func response(_ json: Data) throws(GRPCStatus) -> [UInt8] {
    do {
      return try ProtobufSchema.firestore.bytes(try FirestoreJSON(json), of: responseName)
    } catch {
      throw GRPCStatus(.internal, "The response can't be encoded: \(error)")
    }
  }

  /// Returns the request of the REST API.
  ///
  /// - Parameters:
  ///   - message: the bytes of the message.
  ///   - request: a request with the credentials.
  /// - Throws: ``GRPCStatus`` for a message that can't be read.
  func request(_ message: [UInt8], _ request: TransportRequest) throws(GRPCStatus) -> TransportRequest {
    var request = request
    let url: String
    if let verb {
      let (body, taken) = try Self.json(
        message, requestName, taking: ["database", "parent", "requestOptions"])
      let resource: String
      if let database = taken["database"] {
        resource = try Self.path(database, of: .database) + "/documents"
      } else {
        resource = try Self.path(taken["parent"] ?? "", of: .parent)
      }
      url = "\(resource):\(verb)"
      request.body = .data(body)
    } else {
      url = try resourceURL(message, &request)
    }
    guard let url = URL(string: "http://127.0.0.1/v1/\(url)") else {
      throw GRPCStatus(.invalidArgument, "The name of the resource can't be read.")
    }
    request.url = url
    return request
  }

  /// Sets the method and the body of a request for a document or a collection.
  ///
  /// - Returns: the end of its URL.
  private func resourceURL(_ message: [UInt8], _ request: inout TransportRequest) throws(GRPCStatus) -> String
  {
    let (body, _) = try Self.json(message, requestName)
    let json: FirestoreJSON
    do { json = try FirestoreJSON(body) } catch { throw GRPCStatus(.invalidArgument, error.message) }
    var query: [(String, String?)] = Self.paths("mask", json)
    let parent = json["parent"]?.string ?? ""
    let resource: String
    switch self {
    case .listDocuments:
      request.method = .get
      // Without an ID, the documents of all collections below the parent are listed.
      let id = try Self.collectionID(json)
      resource =
        try Self.path(parent, of: .parent) + (id.isEmpty ? "" : "/\(DatabaseName.percentEncoded(id))")
      query += [
        ("collectionId", id.isEmpty ? "" : nil),
        ("pageSize", json["pageSize"]?.integer.map { "\($0)" }), ("pageToken", json["pageToken"]?.string),
        ("orderBy", json["orderBy"]?.string), ("transaction", json["transaction"]?.string),
        ("readTime", json["readTime"]?.string), ("showMissing", json["showMissing"]?.boolean.map { "\($0)" }),
      ]
    case .createDocument:
      let id = try Self.collectionID(json)
      guard !id.isEmpty else { throw GRPCStatus(.invalidArgument, "collectionId is the empty string.") }
      resource = try Self.path(parent, of: .parent) + "/\(DatabaseName.percentEncoded(id))"
      query += [("documentId", json["documentId"]?.string)]
      request.body = .data(try Self.document(message, requestName))
    case .updateDocument:
      request.method = .patch
      resource = try Self.path(json["document"]?["name"]?.string ?? "", of: .document)
      query += Self.paths("updateMask", json) + Self.condition(json)
      request.body = .data(try Self.document(message, requestName))
    case .deleteDocument:
      request.method = .delete
      resource = try Self.path(json["name"]?.string ?? "", of: .document)
      query = Self.condition(json)
    default:
      request.method = .get
      resource = try Self.path(json["name"]?.string ?? "", of: .document)
      query += [("transaction", json["transaction"]?.string), ("readTime", json["readTime"]?.string)]
    }
    let items = query.compactMap { name, value in value.map { "\(name)=\(DatabaseName.percentEncoded($0))" } }
    return items.isEmpty ? resource : "\(resource)?\(items.joined(separator: "&"))"
  }

  /// Returns the parameters for a mask. One without paths isn't the absence of a mask.
  private static func paths(_ mask: String, _ json: FirestoreJSON) -> [(String, String?)] {
    guard let json = json[mask] else { return [] }
    let paths = json["fieldPaths"]?.array ?? []
    return paths.isEmpty ? [(mask, "")] : paths.map { ("\(mask).fieldPaths", $0.string) }
  }

  private static func condition(_ json: FirestoreJSON) -> [(String, String?)] {
    [
      ("currentDocument.exists", json["currentDocument"]?["exists"]?.boolean.map { "\($0)" }),
      ("currentDocument.updateTime", json["currentDocument"]?["updateTime"]?.string),
    ]
  }

  /// Returns the document of a request as JSON.
  private static func document(_ message: [UInt8], _ name: String) throws(GRPCStatus) -> Data {
    do {
      return try ProtobufSchema.firestore.json(message, of: name, member: "document") ?? Data("{}".utf8)
    } catch {
      throw GRPCStatus(.invalidArgument, error.description)
    }
  }

  /// Returns a message as JSON, without some of its strings.
  private static func json(
    _ message: [UInt8], _ name: String, taking names: Set<String> = []
  ) throws(GRPCStatus) -> (Data, [String: String]) {
    do { return try ProtobufSchema.firestore.json(message, of: name, taking: names) } catch {
      throw GRPCStatus(.invalidArgument, error.description)
    }
  }

  /// What a name in a request must be the name of.
  private enum Resource: String {
    case database = "projects/PROJECT/databases/DATABASE"
    /// The root, or a document.
    case parent = "projects/PROJECT/databases/DATABASE/documents or the name of a document below it"
    case document = "projects/PROJECT/databases/DATABASE/documents/COLLECTION/DOCUMENT"

    /// Whether a name with a number of IDs below the root is such a name.
    func fits(_ count: Int) -> Bool {
      switch self {
      case .database: count == -1
      case .parent: count >= 0 && count.isMultiple(of: 2)
      case .document: count > 0 && count.isMultiple(of: 2)
      }
    }
  }

  /// Returns the path of a URL for a name.
  ///
  /// - Throws: ``GRPCStatus`` for the name of another kind of resource, which would be the URL of another method.
  private static func path(_ name: String, of resource: Resource) throws(GRPCStatus) -> String {
    let parts = name.split(separator: "/", omittingEmptySubsequences: false)
    guard parts.count >= 4, parts[0] == "projects", parts[2] == "databases",
      parts.count == 4 || parts[4] == "documents", !parts.contains(""), resource.fits(parts.count - 5)
    else {
      throw GRPCStatus(
        .invalidArgument, "The name \"\(name.prefix(200))\" isn't of the form \(resource.rawValue).")
    }
    return parts.map { DatabaseName.percentEncoded(String($0)) }.joined(separator: "/")
  }

  /// Returns the ID of a request's collection; empty if there is none.
  private static func collectionID(_ json: FirestoreJSON) throws(GRPCStatus) -> String {
    let id = json["collectionId"]?.string ?? ""
    guard !id.utf8.contains(UInt8(ascii: "/")) else {
      throw GRPCStatus(
        .invalidArgument, "Collection id \"\(id.prefix(100))\" is invalid because it contains \"/\".")
    }
    return id
  }
}
