import FirestoreProtobuf
import TenonDocuments
import TenonFoundation
import TenonTransportInterop

/// A method of `google.firestore.admin.v1.FirestoreAdmin` or `google.longrunning.Operations`. All are requests
/// of the REST API with the same messages (`google.api.http` of their definitions).
enum AdministrationMethod: String, Sendable {
  case createIndex = "CreateIndex"
  case listIndexes = "ListIndexes"
  case getIndex = "GetIndex"
  case deleteIndex = "DeleteIndex"
  case getField = "GetField"
  case updateField = "UpdateField"
  case listFields = "ListFields"
  case getDatabase = "GetDatabase"
  case listDatabases = "ListDatabases"
  case listOperations = "ListOperations"
  case getOperation = "GetOperation"
  case deleteOperation = "DeleteOperation"
  case cancelOperation = "CancelOperation"
  case waitOperation = "WaitOperation"

  /// Returns the method of a service; `nil` if there is none.
  init?(service: String, name: String) {
    guard let method = AdministrationMethod(rawValue: name) else { return nil }
    let isOperation = name.hasSuffix("Operation") || name == "ListOperations"
    guard
      service == (isOperation ? "google.longrunning.Operations" : "google.firestore.admin.v1.FirestoreAdmin")
    else { return nil }
    self = method
  }

  private var responseName: String {
    switch self {
    case .createIndex, .updateField, .getOperation, .waitOperation: "Operation"
    case .getIndex: "Index"
    case .getField: "Field"
    case .getDatabase: "Database"
    case .deleteIndex, .deleteOperation, .cancelOperation: "Empty"
    case .listIndexes, .listFields, .listDatabases, .listOperations: "\(rawValue)Response"
    }
  }

  /// Returns the bytes of a response.
  ///
  /// - Throws: ``GRPCStatus``.
  func response(_ json: Data) throws(GRPCStatus) -> [UInt8] {
    do {
      return try ProtobufSchema.administration.bytes(try FirestoreJSON(json), of: responseName)
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
    let json: FirestoreJSON
    do {
      json = try FirestoreJSON(try ProtobufSchema.administration.json(message, of: "\(rawValue)Request"))
    } catch { throw GRPCStatus(.invalidArgument, "\(error)") }
    let name = json["name"]?.string ?? ""
    var query = ["filter", "pageToken"].map { ($0, json[$0]?.string) }
    query.append(("pageSize", json["pageSize"]?.integer.map { "\($0)" }))
    let path: String
    request.method = .get
    switch self {
    case .createIndex:
      request.method = .post
      request.body = .data(try member("index", of: message))
      path = try Self.path(json["parent"], below: "collectionGroups", adding: "indexes")
    case .listIndexes: path = try Self.path(json["parent"], below: "collectionGroups", adding: "indexes")
    case .listFields: path = try Self.path(json["parent"], below: "collectionGroups", adding: "fields")
    case .updateField:
      request.method = .patch
      request.body = .data(try member("field", of: message))
      path = try Self.path(json["field"]?["name"], below: "collectionGroups")
      let mask = json["updateMask"]?["paths"]?.array.compactMap(\.string) ?? []
      query.append(("updateMask", mask.isEmpty ? nil : mask.joined(separator: ",")))
    case .getIndex, .getField: path = try Self.path(json["name"], below: "collectionGroups")
    case .deleteIndex:
      request.method = .delete
      path = try Self.path(json["name"], below: "collectionGroups")
    case .getDatabase: path = try Self.path(json["name"])
    case .listDatabases: path = try Self.path(json["parent"], adding: "databases")
    case .listOperations:
      // Clients name the database, or its operations.
      path = try Self.path(json["name"], adding: name.hasSuffix("/operations") ? nil : "operations")
    case .getOperation: path = try Self.path(json["name"], below: "operations")
    case .deleteOperation:
      request.method = .delete
      path = try Self.path(json["name"], below: "operations")
    case .cancelOperation, .waitOperation:
      request.method = .post
      path = try Self.path(json["name"], below: "operations") + (self == .waitOperation ? ":wait" : ":cancel")
    }
    let items = query.compactMap { name, value in value.map { "\(name)=\(DatabaseName.percentEncoded($0))" } }
    let end = items.isEmpty ? "" : "?\(items.joined(separator: "&"))"
    guard let url = URL(string: "http://127.0.0.1/v1/\(path)\(end)") else {
      throw GRPCStatus(.invalidArgument, "The name of the resource can't be read.")
    }
    request.url = url
    return request
  }

  private func member(_ member: String, of message: [UInt8]) throws(GRPCStatus) -> Data {
    do {
      let json = try ProtobufSchema.administration.json(message, of: "\(rawValue)Request", member: member)
      return json ?? Data("{}".utf8)
    } catch {
      throw GRPCStatus(.invalidArgument, error.description)
    }
  }

  /// Returns the path of a URL for a name.
  ///
  /// - Parameters:
  ///   - part: the part of a database to which it belongs; `nil` for a database or a project.
  ///   - end: what is behind the name.
  /// - Throws: ``GRPCStatus`` for a name that doesn't begin with a project, or isn't below that part.
  private static func path(
    _ name: FirestoreJSON?, below part: String? = nil, adding end: String? = nil
  ) throws(GRPCStatus) -> String {
    let name = name?.string ?? ""
    let parts = name.split(separator: "/", omittingEmptySubsequences: false).map(String.init)
    guard parts.count >= 2, parts[0] == "projects", !parts.contains(""),
      part == nil || (parts.count >= 6 && parts[4] == part)
    else {
      let form = part.map { "projects/PROJECT/databases/DATABASE/\($0)/…" } ?? "projects/PROJECT/…"
      throw GRPCStatus(.invalidArgument, "\"\(name.prefix(200))\" isn't a name of the form \(form).")
    }
    return (parts + (end.map { [$0] } ?? [])).map { DatabaseName.percentEncoded($0) }.joined(separator: "/")
  }
}
