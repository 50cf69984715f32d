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
    var list = StorageList(nextPageToken: answer["nextPageToken"]?.string)
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
  /// - Throws: ``StorageError``.
  public func listAll() async throws -> StorageList {
    var all = StorageList()
    var token: String?
    repeat {
      let page = try await list(pageToken: token)
      all.items += page.items
      all.prefixes += page.prefixes.filter { !all.prefixes.contains($0) }
      token = page.nextPageToken
    } while token != nil
    return all
  }
}
