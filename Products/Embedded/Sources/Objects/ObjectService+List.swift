import Foundation
import TenonTransport
import TenonTransportInterop

extension ObjectService {
  /// How many items and prefixes a page has at most.
  private static let longestPage: Int64 = 1_000

  /// Objects by prefix, in the order of their names' bytes; with a delimiter, what lies deeper is summed up by its
  /// common prefix. Items and prefixes share the pages.
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
      return Int(min(number, Self.longestPage))
    }
    var start = prefix
    if let token = call.query["pageToken"], !token.isEmpty {
      guard let bytes = Base64URL.decode(token) else {
        throw Refusal.badObjectRequest("The pageToken is not valid.")
      }
      start = String(decoding: bytes, as: UTF8.self)
    }
    let walk = ObjectWalk(
      bucket: call.bucket,
      prefix: prefix,
      delimiter: call.query["delimiter"] ?? "",
      start: start,
      limit: limit ?? Int(Self.longestPage)
    )
    let page = try await database.read { try walk.page(from: $0) }
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

/// One page of a listing: which names to visit and where to stop.
struct ObjectWalk: Sendable {
  struct Page: Sendable, Hashable {
    var names: [String] = []
    var prefixes: [String] = []
    /// Where the next page begins; `nil` at the end.
    var next: String?
  }

  let bucket: String
  let prefix: String
  let delimiter: String
  let start: String
  let limit: Int

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
        if !delimiter.isEmpty, let end = rest.range(of: delimiter, options: .literal) {
          let common = String(name[..<end.upperBound])
          // Names with empty segments can't be addressed by paths, so they stay hidden.
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

  /// The first text after all texts that begin with `prefix`, in the order of bytes; `nil` if there is none.
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

  /// The first text behind a name.
  private static func successor(ofName name: String) -> String { name + "\u{1}" }
}
