import TenonDocuments
import TenonFoundation
import TenonStoreInterop
import TenonTransportInterop

/// The methods of Firestore's API that list what there is, in pages.
extension DocumentService {
  /// The greatest number of documents in a page, and the number if the client doesn't say one.
  private static let longestPage = 1_000

  /// Lists a page of the documents of a collection, or of all collections directly below a document or the root,
  /// by default in the order of their names.
  func list(
    _ call: DocumentCall, _ caller: Caller, _ database: DocumentDatabase
  ) async throws -> TransportStreamingResponse {
    guard call.path.isCollection != call.listsAllCollections else {
      throw StoreRemoteError(.notFound, "Documents are listed in a collection. Name one in the URL.")
    }
    let list = try DocumentList(call)
    let point = try call.consistency()
    let name = call.database.database
    let found: [RemoteDocument]
    if list.showsMissing {
      found = try await database.listMissing(
        in: call.path, after: list.after, limit: list.size + 1, name, caller, at: point
      ).result
    } else {
      found = try await database.run(list.query, name, caller, at: point).result
    }
    // Checked: not negative.
    var response = ListDocumentsResponse(documents: Array(found.prefix(max(0, list.size))))
    if found.count > list.size, let last = response.documents.last {
      response.nextPageToken = try list.token(after: last)
    }
    response.documents = response.documents.map { $0.selecting(list.mask) }
    return try Self.response(response, in: call.database)
  }

  func listCollectionIDs(
    _ call: DocumentCall, _ caller: Caller, _ database: DocumentDatabase
  ) async throws -> TransportStreamingResponse {
    try call.checkParent()
    let request: ListCollectionIDsRequest = try message(.listCollectionIDs, of: call)
    let list = "collections \(call.path.text)"
    let after = try PageToken.place(of: request.pageToken, in: list)
    let size = min(max(request.pageSize ?? 10_000, 1), 10_000)
    let ids = try await database.collectionIDs(
      below: call.path, after: after.map { String(decoding: $0, as: UTF8.self) }, limit: size + 1,
      call.database.database, caller, at: request.readTime.map(ReadConsistency.readTime))
    // Checked: not negative.
    var response = ListCollectionIDsResponse(collectionIDs: Array(ids.prefix(max(0, size))))
    if ids.count > size, let last = response.collectionIDs.last {
      response.nextPageToken = PageToken.make(after: Data(last.utf8), in: list)
    }
    return try Self.response(response, in: call.database)
  }

  /// A request for a page of documents.
  private struct DocumentList {
    /// The maximum number of documents.
    let size: Int
    /// Whether documents are listed that don't exist, but have documents below them.
    let showsMissing: Bool
    /// The fields of the documents; `nil` for all.
    let mask: [FieldPath]?
    /// The collection, or the parent of all collections that are listed, and its database.
    private let path: ResourcePath
    private let database: DatabaseName
    /// The orders, with that of the name at the end.
    private let orders: [QueryOrder]
    /// What is listed, for the tokens.
    private let name: String
    /// The values of the orders of the document after which the page begins; `nil` for the first page.
    private let place: [Value]?

    /// Reads the query of a URL.
    init(_ call: DocumentCall) throws {
      (path, database) = (call.path, call.database)
      let requested = try call.number("pageSize") ?? 0
      size = requested == 0 ? DocumentService.longestPage : min(requested, DocumentService.longestPage)
      showsMissing = try call.flag("showMissing") ?? false
      mask = try call.mask("mask")
      let text = call.value("orderBy") ?? ""
      guard !showsMissing || text.isEmpty else {
        throw StoreRemoteError(.invalidArgument, "Cannot specify an order when showMissing is true.")
      }
      guard !showsMissing || path.isCollection else {
        throw StoreRemoteError(
          .invalidArgument, "The collection id must be set when showMissing is true.")
      }
      orders = try Self.orders(text)
      name = "documents \(path.text) \(text) \(showsMissing)"
      place = try PageToken.place(of: call.value("pageToken"), in: name).map { bytes in
        try FirestoreJSON(bytes).array.map { try $0.value(in: call.database) }
      }
    }

    /// Parses the orders of a list, such as `rank desc, name`. Directions may be in upper case.
    private static func orders(_ text: String) throws -> [QueryOrder] {
      var orders: [QueryOrder] = []
      // Firestore permits no space at the beginning, nor at the end behind a direction.
      let isIndented = text.first?.isWhitespace == true
      let hasSpaceAtEnd = text.last?.isWhitespace == true
      for part in text.isEmpty ? [] : text.split(separator: ",", omittingEmptySubsequences: false) {
        let words = part.split(whereSeparator: \.isWhitespace)
        let direction = words.count == 2 ? words[1].lowercased() : "asc"
        let isLast = part.endIndex == text.endIndex
        guard !isIndented, !hasSpaceAtEnd || !isLast || words.count == 1, let name = words.first,
          let field = FieldPath(wire: String(name)), words.count <= 2,
          ["asc", "desc"].contains(direction)
        else {
          throw StoreRemoteError(.invalidArgument, "Invalid order by clause \"\(text.prefix(100))\".")
        }
        orders.append(QueryOrder(field: field, isDescending: direction == "desc"))
      }
      guard orders.last?.field != .documentID() else { return orders }
      return orders + [QueryOrder(field: .documentID(), isDescending: orders.last?.isDescending ?? false)]
    }

    /// The query for the page and one document more.
    var query: StructuredQuery {
      StructuredQuery(
        parent: path.parentOfCollection ?? path, collectionID: path.isCollection ? path.id : "",
        orders: orders,
        start: place.map { QueryCursor(values: $0, isInclusive: false) }, limit: size + 1)
    }

    /// The ID of the document after which the page of a list with missing documents begins.
    var after: String? {
      guard case .reference(let path)? = place?.last else { return nil }
      return path.id
    }

    /// Returns the token of the next page.
    func token(after document: RemoteDocument) throws -> String {
      var writer = WireWriter(database)
      try writer.beginArray()
      for order in orders {
        try writer.value(
          document.fields?.value(of: order.field, at: document.path) ?? .reference(document.path))
      }
      writer.endArray()
      return PageToken.make(after: Data(writer.bytes), in: name)
    }
  }
}
