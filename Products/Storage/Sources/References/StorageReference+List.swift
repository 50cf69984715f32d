import TenonTransport
import TenonTransportInterop

/// The objects and folders directly below a reference, or one page of them.
public struct StorageListResult: Sendable, Hashable {
  /// The folders: the common prefixes of objects further below. A folder exists only as long as it contains objects.
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
    return StorageListResult(
      prefixes: (answer["prefixes"]?.array ?? []).compactMap(\.string).map(storage.reference(withPath:)),
      items: (answer["items"]?.array ?? []).compactMap { $0["name"]?.string }.map(
        storage.reference(withPath:)),
      pageToken: answer["nextPageToken"]?.string.flatMap { $0.isEmpty ? nil : $0 }
    )
  }

  /// Returns all objects and folders directly below this reference, in pages of 1,000.
  ///
  /// Folders that occur in several pages are returned once. The result isn't a snapshot: objects that are created or deleted
  /// meanwhile may be missing or included.
  ///
  /// - Throws: ``StorageError``, with ``StorageError/Code/unknown`` if the server repeats a page token or returns 1,000
  ///   consecutive empty pages.
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
