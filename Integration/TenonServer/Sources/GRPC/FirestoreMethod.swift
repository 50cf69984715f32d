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
        resource = try Self.path(database, isDatabase: true) + "/documents"
      } else {
        resource = try Self.path(taken["parent"] ?? "")
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
    let parent = { () throws(GRPCStatus) -> String in
      let collection = json["collectionId"]?.string ?? ""
      return try Self.path(json["parent"]?.string ?? "") + "/" + DatabaseName.percentEncoded(collection)
    }
    let resource: String
    switch self {
    case .listDocuments:
      request.method = .get
      resource = try parent()
      query += [
        ("pageSize", json["pageSize"]?.integer.map { "\($0)" }), ("pageToken", json["pageToken"]?.string),
        ("orderBy", json["orderBy"]?.string), ("transaction", json["transaction"]?.string),
        ("readTime", json["readTime"]?.string), ("showMissing", json["showMissing"]?.boolean.map { "\($0)" }),
      ]
    case .createDocument:
      resource = try parent()
      query += [("documentId", json["documentId"]?.string)]
      request.body = .data(try Self.document(message, requestName))
    case .updateDocument:
      request.method = .patch
      resource = try Self.path(json["document"]?["name"]?.string ?? "")
      query += Self.paths("updateMask", json) + Self.condition(json)
      request.body = .data(try Self.document(message, requestName))
    case .deleteDocument:
      request.method = .delete
      resource = try Self.path(json["name"]?.string ?? "")
      query = Self.condition(json)
    default:
      request.method = .get
      resource = try Self.path(json["name"]?.string ?? "")
      query += [("transaction", json["transaction"]?.string), ("readTime", json["readTime"]?.string)]
    }
    let items = query.compactMap { name, value in value.map { "\(name)=\(DatabaseName.percentEncoded($0))" } }
    return items.isEmpty ? resource : "\(resource)?\(items.joined(separator: "&"))"
  }

  private static func paths(_ mask: String, _ json: FirestoreJSON) -> [(String, String?)] {
    (json[mask]?["fieldPaths"]?.array ?? []).map { ("\(mask).fieldPaths", $0.string) }
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

  /// Returns the path of a URL for a name: that of a database, or of its documents or something below them.
  private static func path(_ name: String, isDatabase: Bool = false) throws(GRPCStatus) -> String {
    let parts = name.split(separator: "/", omittingEmptySubsequences: false)
    guard parts.count >= (isDatabase ? 4 : 5), parts[0] == "projects", parts[2] == "databases",
      isDatabase ? parts.count == 4 : parts[4] == "documents", !parts.contains("")
    else {
      throw GRPCStatus(
        .invalidArgument,
        isDatabase
          ? "The database isn't named as projects/PROJECT/databases/DATABASE."
          : "The resource isn't named as projects/PROJECT/databases/DATABASE/documents.")
    }
    return parts.map { DatabaseName.percentEncoded(String($0)) }.joined(separator: "/")
  }
}
