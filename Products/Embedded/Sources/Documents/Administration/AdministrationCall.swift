import TenonDocuments
import TenonFoundation
import TenonJSON
import TenonStoreInterop
import TenonTransport
import TenonTransportInterop

/// A parsed request of Firestore's administration: databases, indexes, fields and operations
/// (https://firebase.google.com/docs/firestore/reference/rest, `v1.projects.databases`).
struct AdministrationCall: Sendable {
  /// What a request is about.
  enum Resource: Sendable, Hashable {
    case databases
    case database
    /// The indexes of a collection group; `-` for those of all groups.
    case indexes(group: String)
    case index(group: String, id: String)
    /// The settings of a group's fields; `-` for those of all groups.
    case fields(group: String)
    case field(group: String, path: String)
    case operations
    case operation(id: String)
    /// What the backend doesn't have, by its name.
    case unknown(String)
  }

  let resource: Resource
  let project: String
  /// The ID of the database; empty for all of them.
  let database: String
  let method: HTTPMethod
  /// The custom method behind a colon, for example `wait`; `nil` for the methods of HTTP.
  let verb: String?
  /// The values of the URL's query by their names in lower camel case.
  let query: [String: String]
  /// The body, once it has been read.
  var body: JSON = .object([:])

  /// The name of the database, with which all names below it begin.
  var databaseName: String { "projects/\(project)/databases/\(database)" }

  init(_ request: TransportRequest, route: Route) {
    // A host may be in front of the version.
    let text = route.encodedPath
    let path = text.firstRange(of: "/v1/").map { text[$0.upperBound...] } ?? ""
    var parts = path.split(separator: "/", omittingEmptySubsequences: false).map { part in
      PercentEncoding.decode(String(part)) ?? String(part)
    }
    method = request.method
    var verb: String?
    if let last = path.split(separator: "/").last, let colon = last.lastIndex(of: ":"), parts.count != 8 {
      verb = String(last[last.index(after: colon)...])
      parts[parts.count - 1] = PercentEncoding.decode(String(last[..<colon])) ?? ""
    }
    self.verb = verb
    project = parts.count > 1 ? parts[1] : ""
    database = parts.count > 3 ? parts[3] : ""
    resource = Self.resource(Array(parts.dropFirst(4)), hasDatabase: parts.count > 3)
    query = FormFields(route.encodedQuery).values.reduce(into: [:]) { $0[$1.key.lowerCamelCased] = $1.value }
  }

  private static func resource(_ parts: [String], hasDatabase: Bool) -> Resource {
    guard !parts.contains("") else { return .unknown(parts.joined(separator: "/")) }
    return switch (parts.count, parts.first) {
    case (0, _): hasDatabase ? .database : .databases
    case (1, "operations"): .operations
    case (2, "operations"): .operation(id: parts[1])
    case (3, "collectionGroups") where parts[2] == "indexes": .indexes(group: parts[1])
    case (3, "collectionGroups") where parts[2] == "fields": .fields(group: parts[1])
    case (4, "collectionGroups") where parts[2] == "indexes": .index(group: parts[1], id: parts[3])
    case (4, "collectionGroups") where parts[2] == "fields": .field(group: parts[1], path: parts[3])
    default: .unknown(parts.joined(separator: "/"))
    }
  }

  /// Returns the name of a group's part.
  func name(_ group: String, _ part: String, _ id: String) -> String {
    "\(databaseName)/collectionGroups/\(group)/\(part)/\(id)"
  }

  /// The greatest number of elements of a page, of which all are sent if the client doesn't say one.
  ///
  /// - Throws: `StoreRemoteError` with `invalidArgument` for anything but a number of at least 0.
  func pageSize() throws(StoreRemoteError) -> Int {
    guard let text = query["pageSize"], !text.isEmpty else { return Self.longestPage }
    guard let size = Int(decimal: text), size >= 0 else {
      throw StoreRemoteError(.invalidArgument, "The page size isn't a number of at least 0.")
    }
    return size == 0 ? Self.longestPage : min(size, Self.longestPage)
  }

  private static let longestPage = 1_000

  /// The error for a method that the backend doesn't have.
  var unimplemented: StoreRemoteError {
    let path =
      switch resource {
      case .unknown(let path): path
      default: verb.map { ":\($0)" } ?? ""
      }
    let place = [database.isEmpty ? "databases" : "databases/\(database)", path].filter { !$0.isEmpty }
    return StoreRemoteError(
      .unimplemented,
      "The embedded backend doesn't support \(method.rawValue) \(place.joined(separator: "/").prefix(200)) of Firestore's administration."
    )
  }
}
