import TenonTransport
import TenonTransportInterop

#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif

extension ObjectService {
  /// The greatest number of items and prefixes of a page, together.
  private static let longestPage: Int64 = 1_000

  /// Handles `GET` of a bucket: returns a page of its objects in the order of their names' UTF-8 bytes. With
  /// a delimiter, names that contain it behind the prefix are grouped by their common prefixes.
  ///
  /// - Parameter call: The request, with `prefix`, `delimiter`, `maxResults` (1 to 1,000, the default) and
  ///   `pageToken`.
  /// - Returns: `items`, `prefixes`, and `nextPageToken` unless it is the last page.
  /// - Throws: ``Refusal`` with status 400, 401 or 403.
  func list(_ call: ObjectCall) async throws -> HTTPStreamingResponse {
    try authorize(call, "LIST")
    let prefix = call.query["prefix"] ?? ""
    guard prefix.isEmpty || prefix.hasSuffix("/") else {
      throw Refusal.badObjectRequest(
        "The prefix parameter is required to be empty or ends with a single / character."
      )
    }
    let limit = try call.query["maxResults"].map { text in
      guard let number = Int64(decimal: text), number > 0 else {
        throw Refusal.badObjectRequest("maxResults must be a whole number of at least 1.")
      }
      return Int(clamping: min(number, Self.longestPage))
    }
    var start = prefix
    if let token = call.query["pageToken"], !token.isEmpty {
      guard let bytes = Base64URL.decode(token) else {
        throw Refusal.badObjectRequest("The pageToken is not valid.")
      }
      start = String(decoding: bytes, as: UTF8.self)
    }
    let listing = ObjectListing(
      bucket: call.bucket,
      prefix: prefix,
      delimiter: call.query["delimiter"] ?? "",
      start: start,
      limit: limit ?? Int(clamping: Self.longestPage)
    )
    let page = try await database.read { try listing.page(from: $0) }
    let bucket = call.bucket
    return try Self.answer(
      200,
      json: .members([
        "prefixes": .array(page.prefixes.map(JSON.string)),
        "items": .array(page.names.map { ["name": .string($0), "bucket": .string(bucket)] }),
        "nextPageToken": page.next.map { .string(Base64URL.encode(Data($0.utf8))) },
      ])
    )
  }
}

/// The range of names that a page of a list covers.
struct ObjectListing: Sendable {
  /// A page of a list.
  struct Page: Sendable, Hashable {
    /// The names of the objects.
    var names: [String] = []
    /// The common prefixes, each with its delimiter.
    var prefixes: [String] = []
    /// The name with which the next page begins; `nil` if this is the last page.
    var next: String?
  }

  /// The bucket.
  let bucket: String
  /// The prefix of all names.
  let prefix: String
  /// The text by which names are grouped; empty for no grouping.
  let delimiter: String
  /// The name with which the page begins, inclusive.
  let start: String
  /// The greatest number of items and prefixes, together.
  let limit: Int

  /// Returns the page. Names behind a common prefix are skipped without reading them.
  ///
  /// - Complexity: O(*k* log *n*), where *k* is the number of items and prefixes and *n* the number of
  ///   objects.
  func page(from database: isolated EmbeddedDatabase) throws -> Page {
    var page = Page()
    var start = start
    while true {
      let names = try database.objectNames(in: bucket, from: start, limit: 256)
      guard !names.isEmpty else { return page }
      var jump: String?
      for name in names {
        guard name.utf8.starts(with: prefix.utf8) else { return page }
        let rest = Substring(name.utf8.dropFirst(prefix.utf8.count))
        guard page.names.count + page.prefixes.count < limit else {
          page.next = name
          return page
        }
        if !delimiter.isEmpty, let end = rest.utf8.firstRange(of: delimiter.utf8) {
          let common = String(name[..<end.upperBound])
          // Paths can't address names with empty segments, so they aren't listed.
          if !rest.hasPrefix("/") { page.prefixes.append(common) }
          jump = Self.successor(of: common)
          break
        }
        if !rest.isEmpty, !rest.hasPrefix("/"), !rest.contains("//") { page.names.append(name) }
        jump = Self.successor(ofName: name)
      }
      guard let next = jump else { return page }
      start = next
    }
  }

  /// Returns the first text after all those that begin with a prefix, in the order of UTF-8 bytes; `nil` if
  /// there is none.
  private static func successor(of prefix: String) -> String? {
    var scalars = Array(prefix.unicodeScalars)
    while let last = scalars.popLast() {
      if let next = Unicode.Scalar(last.value + 1) ?? (last.value == 0xD7FF ? Unicode.Scalar(0xE000) : nil) {
        scalars.append(next)
        return scalars.reduce(into: "") { $0.unicodeScalars.append($1) }
      }
    }
    return nil
  }

  /// Returns the first text after a name, in the order of UTF-8 bytes.
  private static func successor(ofName name: String) -> String { name + "\u{1}" }
}
