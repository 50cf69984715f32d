import TenonFoundation
import TenonTransport
import TenonTransportInterop

extension ObjectService {
  /// Handles `GET` of a bucket: returns a page of its objects in the order of their names' UTF-8 bytes. With
  /// a delimiter, names that contain it behind the prefix are grouped by their common prefixes.
  ///
  /// - Parameter call: the request, with `prefix`, `delimiter`, `maxResults` (1 to 1,000, the default) and
  ///   `pageToken`.
  /// - Returns: `items`, `prefixes`, and `nextPageToken` unless it is the last page.
  /// - Throws: ``Refusal`` with status 400, 401 or 403.
  func list(_ call: ObjectCall) async throws -> TransportStreamingResponse {
    let caller = try admit(call, "LIST")
    let prefix = call.query["prefix"] ?? ""
    try await checking { check in try check(.list, prefix, in: call.bucket, by: caller) }
    guard prefix.isEmpty || prefix.hasSuffix("/") else {
      throw Refusal.badObjectRequest(
        "The prefix parameter is required to be empty or ends with a single / character."
      )
    }
    let listing = ObjectListing(
      bucket: call.bucket,
      prefix: prefix,
      delimiter: call.query["delimiter"] ?? "",
      start: try call.pageStart?.name ?? prefix,
      limit: try call.pageLimit
    )
    let page = try await database.read { try listing.page(from: $0) }
    let bucket = call.bucket
    return try Self.answer(
      200,
      json: .members([
        "prefixes": .array(page.prefixes.map(JSON.string)),
        "items": .array(page.names.map { ["name": .string($0), "bucket": .string(bucket)] }),
        "nextPageToken": page.next.map { ObjectCall.pageToken($0) },
      ])
    )
  }
}

extension ObjectCall {
  /// The greatest number of items and prefixes of a page, together.
  private static let longestPage: Int64 = 1_000

  /// The number of items and prefixes that the query's `maxResults` allows for a page: 1 to 1,000, the
  /// default.
  ///
  /// - Throws: ``Refusal`` with status 400 if it isn't a whole number of at least 1.
  var pageLimit: Int {
    get throws {
      guard let text = query["maxResults"] else { return Int(clamping: Self.longestPage) }
      guard let number = Int64(decimal: text), number > 0 else {
        throw Refusal.badObjectRequest("maxResults must be a whole number of at least 1.")
      }
      return Int(clamping: min(number, Self.longestPage))
    }
  }

  /// The place at which a page begins.
  struct PageStart: Sendable, Hashable {
    /// The name, inclusive.
    var name: String
    /// The generation of that name, inclusive.
    var generation: Int64 = 0
  }

  /// The place at which the page begins, according to the query's `pageToken`; `nil` for the first page.
  ///
  /// - Throws: ``Refusal`` with status 400 if the token isn't one of ``pageToken(_:generation:)``.
  var pageStart: PageStart? {
    get throws { try start(token: query["pageToken"]) }
  }

  /// Returns the place at which the page of a token begins; `nil` without a token.
  ///
  /// - Throws: ``Refusal`` with status 400 if the token isn't one of ``pageToken(_:generation:)``.
  func start(token: String?) throws -> PageStart? {
    guard let token, !token.isEmpty else { return nil }
    let mark = Self.tokenMark
    let bytes = Base64URL.decode(token).flatMap { $0.starts(with: mark) ? $0.dropFirst(mark.count) : nil }
    let parts = bytes.flatMap { String(validating: $0, as: UTF8.self) }?
      .split(separator: Self.tokenSeparator, maxSplits: 1, omittingEmptySubsequences: false)
    guard let parts, let name = parts.first,
      let generation = Int64(decimal: parts.count > 1 ? parts[1] : "0")
    else { throw Refusal.badObjectRequest("The pageToken is not valid.") }
    return PageStart(name: String(name), generation: generation)
  }

  /// What the bytes of tokens begin with, because words such as `next` are Base64, too.
  private static let tokenMark = Data("page:".utf8)
  /// What separates a name from a generation. No name has it.
  private static let tokenSeparator: Character = "\u{0}"

  /// Returns the token for the page that begins with a name.
  ///
  /// - Parameters:
  ///   - name: the name.
  ///   - generation: the generation of that name with which it begins.
  static func pageToken(_ name: String, generation: Int64 = 0) -> JSON {
    let suffix = generation == 0 ? "" : "\(tokenSeparator)\(generation)"
    var bytes = tokenMark
    bytes.append(contentsOf: "\(name)\(suffix)".utf8)
    return .string(Base64URL.encode(bytes))
  }

  /// Returns whether a parameter is `true`.
  func isTrue(_ parameter: String) -> Bool { query[parameter]?.lowercased() == "true" }
}
