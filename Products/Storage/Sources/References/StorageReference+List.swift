import TenonTransport
import TenonTransportInterop

/// The objects and folders directly below a reference, or one page of them.
public struct StorageListResult: Sendable, Hashable {
  /// The folders: the common prefixes of objects further below. A folder exists only as long as it contains
  /// objects.
  public internal(set) var prefixes: [StorageReference] = []
  /// The objects.
  public internal(set) var items: [StorageReference] = []
  /// The token of the next page; `nil` if this is the last one.
  public internal(set) var pageToken: String?
}

extension StorageReference {
  /// Returns a page of the objects and folders directly below this reference.
  ///
  /// - Parameters:
  ///   - maxResults: the maximum number of objects and folders, 1 to 1,000.
  ///   - pageToken: the token of the page, from the previous result; the first page if `nil`.
  /// - Returns: the page. It may be empty although others follow.
  /// - Throws: ``StorageError``, with ``StorageError/Code/invalidArgument`` if `maxResults` is out of range.
  public func list(maxResults: Int64, pageToken: String? = nil) async throws -> StorageListResult {
    guard (1...1000).contains(maxResults) else {
      throw StorageError(.invalidArgument, "A page has 1 to 1,000 results, not \(maxResults).")
    }
    try checkPath()
    let prefix = fullPath.isEmpty ? "" : "\(fullPath)/"
    var query = [("prefix", prefix), ("delimiter", "/"), ("maxResults", "\(maxResults)")]
    if let pageToken { query.append(("pageToken", pageToken)) }
    let answer = try await storage.client.json(.get, self, at: .list(query), repeatable: true)
    return try page(answer, below: prefix)
  }

  /// Returns the page of a response.
  ///
  /// Objects and folders whose paths have empty segments are left out: a reference would name another object.
  ///
  /// - Parameters:
  ///   - answer: the response.
  ///   - prefix: the prefix of the request, with which all names must begin.
  /// - Throws: ``StorageError/Code/unknown`` if it isn't a page of this listing.
  private func page(_ answer: JSON, below prefix: String) throws(StorageError) -> StorageListResult {
    /// Returns a member that is an array, or none if it is missing.
    func list(_ name: String) throws(StorageError) -> [JSON] {
      guard let value = answer[name], value != .null else { return [] }
      guard let values = value.array else { throw noPage("its \(name) aren't a list") }
      return values
    }
    /// Returns the reference of a name; `nil` if no reference can have it.
    func reference(_ name: String?, _ bucket: JSON? = nil) throws(StorageError) -> StorageReference? {
      guard let name else { throw noPage("it has an entry without a name") }
      guard bucket?.string ?? storage.bucket == storage.bucket else {
        throw noPage("it has objects of another bucket")
      }
      guard name.utf8.starts(with: prefix.utf8) else { throw noPage("it has objects of another folder") }
      // One slash ends the name of a folder.
      let isFolder = bucket == nil && name.utf8.last == UInt8(ascii: "/")
      let path = isFolder ? String(name.unicodeScalars.dropLast()) : name
      let reference = storage.reference(withPath: path)
      let isBelow = path.utf8.count > prefix.utf8.count
      return isBelow && reference.fullPath.utf8.elementsEqual(path.utf8) ? reference : nil
    }
    var page = StorageListResult()
    for value in try list("prefixes") {
      if let folder = try reference(value.string) { page.prefixes.append(folder) }
    }
    for value in try list("items") {
      if let item = try reference(value["name"]?.string, value["bucket"] ?? .null) { page.items.append(item) }
    }
    switch answer["nextPageToken"] {
    case nil, .null, .string(""): break
    case .string(let token): page.pageToken = token
    default: throw noPage("its page token isn't a string")
    }
    return page
  }

  /// The error of a response that isn't a page of this listing.
  private func noPage(_ reason: String) -> StorageError {
    StorageError(
      .unknown,
      "\(self): the response isn't a page of this listing: \(reason). Check that the app uses the intended backend."
    )
  }

  /// Returns all objects and folders directly below this reference, in pages of 1,000.
  ///
  /// Folders that occur in several pages are returned once. The result isn't a snapshot: objects that are
  /// created or deleted during the listing may be missing or included. It is kept in memory as a whole, with
  /// a few hundred bytes per object; for a folder of millions of objects, use
  /// ``list(maxResults:pageToken:)``.
  ///
  /// - Throws: ``StorageError``, with ``StorageError/Code/unknown`` if the server repeats a page token or
  ///   returns 1,000 consecutive empty pages.
  public func listAll() async throws -> StorageListResult {
    var all = StorageListResult()
    var token: String?
    var seenTokens: Set<String> = []
    var seenPrefixes: Set<StorageReference> = []
    var emptyPages = 0
    repeat {
      let page = try await list(maxResults: 1000, pageToken: token)
      all.items += page.items
      all.prefixes += page.prefixes.filter { seenPrefixes.insert($0).inserted }
      token = page.pageToken
      emptyPages = page.items.isEmpty && page.prefixes.isEmpty ? emptyPages + 1 : 0
      let isRepeated = token.map { !seenTokens.insert($0).inserted } ?? false
      guard !isRepeated, emptyPages < Self.emptyPageLimit else {
        throw StorageError(
          .unknown,
          "\(self): the server's listing doesn't end, because \(isRepeated ? "a page token repeats" : "its pages are empty"). "
            + "Try again, or list page by page with list(maxResults:pageToken:)."
        )
      }
    } while token != nil
    return all
  }

  /// The number of consecutive empty pages after which a listing fails.
  private static let emptyPageLimit = 1_000
}
