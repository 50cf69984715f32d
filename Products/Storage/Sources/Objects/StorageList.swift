import TenonTransport
import TenonTransportInterop

/// What lies directly in a folder, or a page of it.
public struct StorageList: Sendable {
  /// The folders.
  public var prefixes: [StorageReference] = []
  /// The objects.
  public var items: [StorageReference] = []
  /// Where the next page begins; `nil` at the end.
  public var nextPageToken: String?
}

extension StorageReference {
  /// A page of what lies directly in this folder.
  ///
  /// - Parameters:
  ///   - maxResults: how much at most, 1 to 1,000.
  ///   - pageToken: where the page before ended.
  /// - Throws: ``StorageError``.
  public func list(maxResults: Int = 1000, pageToken: String? = nil) async throws -> StorageList {
    guard (1...1000).contains(maxResults) else {
      throw StorageError(.invalidArgument, "A page has 1 to 1,000 results, not \(maxResults).")
    }
    let prefix = fullPath.isEmpty ? "" : "\(fullPath)/"
    var query = [("prefix", prefix), ("delimiter", "/"), ("maxResults", "\(maxResults)")]
    if let pageToken { query.append(("pageToken", pageToken)) }
    let answer = try await storage.client.json(.get, self, at: .list(query), repeatable: true)
    var list = StorageList(nextPageToken: answer["nextPageToken"]?.string.flatMap { $0.isEmpty ? nil : $0 })
    list.prefixes = try (answer["prefixes"]?.array ?? []).compactMap(\.string).map {
      try storage.reference($0)
    }
    list.items = try (answer["items"]?.array ?? []).compactMap { $0["name"]?.string }.map {
      try storage.reference($0)
    }
    return list
  }

  /// Everything that lies directly in this folder.
  ///
  /// - Throws: ``StorageError``, with ``StorageError/Code/unknown`` if the server's pages don't come to an end.
  public func listAll() async throws -> StorageList {
    var all = StorageList()
    var token: String?
    var seenTokens: Set<String> = []
    var seenPrefixes: Set<StorageReference> = []
    var emptyPages = 0
    repeat {
      let page = try await list(pageToken: token)
      all.items += page.items
      all.prefixes += page.prefixes.filter { seenPrefixes.insert($0).inserted }
      token = page.nextPageToken
      emptyPages = page.items.isEmpty && page.prefixes.isEmpty ? emptyPages + 1 : 0
      let isRepeated = token.map { !seenTokens.insert($0).inserted } ?? false
      guard !isRepeated, emptyPages < Self.emptyPageLimit else {
        throw StorageError(
          .unknown,
          "\(url): the server's listing doesn't end, because \(isRepeated ? "a page token repeats" : "its pages are empty"). "
            + "Try again, or list page by page with list(maxResults:pageToken:)."
        )
      }
    } while token != nil
    return all
  }

  /// How many pages in a row may have nothing on them.
  private static let emptyPageLimit = 1_000
}
