import Foundation
import TenonCore
import TenonTransport
import TenonTransportInterop
import Testing

@testable import TenonEmbedded

/// A client that sends plain requests to the documents of a backend, as bytes that the test can see.
struct WireClient: Sendable {
  let embedded: Embedded
  /// The value of `Authorization`; `nil` for none.
  var authorization: String?
  var database = "(default)"
  var project = "demo"

  /// The full name of the database.
  var name: String { "projects/\(project)/databases/\(database)" }

  /// Sends a request.
  func send(
    _ method: HTTPMethod, _ path: String, _ body: Data? = nil, headers: [String: String] = [:]
  ) async throws -> (status: Int, text: String) {
    let response = try await embedded.send(request(method, path, body, headers: headers))
    return (response.status, String(decoding: response.body, as: UTF8.self))
  }

  func request(
    _ method: HTTPMethod, _ path: String, _ body: Data? = nil, headers: [String: String] = [:]
  ) throws -> TransportRequest {
    var fields = headers
    if let authorization { fields["Authorization"] = authorization }
    return TransportRequest(
      method, try #require(URL(string: "http://127.0.0.1:8080\(path)")),
      headers: HTTPHeaders(fields.map { HTTPHeader(name: $0.key, value: $0.value) }),
      body: body.map { .data($0) } ?? .none)
  }

  /// Calls a method of the root, or of a document or collection below it. `@` in the body is replaced by the
  /// root's full name.
  func call(
    _ method: String, _ body: String, at path: String = "", headers: [String: String] = [:]
  ) async throws -> (status: Int, text: String) {
    try await send(
      .post, "/v1/\(name)/documents\(path):\(method)",
      Data(body.replacing("@", with: "\(name)/documents").utf8),
      headers: headers)
  }

  /// Calls a method that succeeds, and returns the JSON of its response.
  func result(_ method: String, _ body: String, at path: String = "") async throws -> JSON {
    let (status, text) = try await call(method, body, at: path)
    #expect(status == 200, "\(text)")
    return try JSON(parsing: Data(text.utf8))
  }

  /// Sends a request to a document or a collection.
  func document(
    _ method: HTTPMethod, _ path: String, _ body: String? = nil
  ) async throws -> (status: Int, text: String) {
    try await send(method, "/v1/\(name)/documents/\(path)", body.map { Data($0.utf8) })
  }
}

/// A session of a channel, opened by plain requests.
struct WireChannel: Sendable {
  let client: WireClient
  let method: String
  let id: String
  /// The body of the response to the handshake.
  let greeting: String

  private static func path(_ method: String) -> String { "/google.firestore.v1.Firestore/\(method)/channel" }

  /// The body of a POST with messages, in which `@` is replaced by the root's full name.
  static func form(_ messages: [String], first: Int, client: WireClient, headers: String? = nil) -> Data {
    func encoded(_ text: String) -> String {
      text.addingPercentEncoding(withAllowedCharacters: .alphanumerics) ?? ""
    }
    var parts = headers.map { ["headers=\(encoded($0))"] } ?? []
    parts += ["count=\(messages.count)", "ofs=\(first)"]
    for (index, message) in messages.enumerated() {
      let text = message.replacing("@", with: "\(client.name)/documents")
      parts.append("req\(index)___data__=\(encoded(text))")
    }
    return Data(parts.joined(separator: "&").utf8)
  }

  /// Sends a handshake.
  static func handshake(
    _ client: WireClient, to method: String = "Listen", _ messages: [String], headers: String? = nil
  ) async throws -> (status: Int, text: String) {
    let database = client.name.addingPercentEncoding(withAllowedCharacters: .alphanumerics) ?? ""
    return try await client.send(
      .post, "\(path(method))?VER=8&database=\(database)&RID=7&CVER=22",
      form(messages, first: 0, client: client, headers: headers))
  }

  /// Opens a session.
  init(_ client: WireClient, to method: String = "Listen", _ messages: [String], headers: String? = nil)
    async throws
  {
    let (status, text) = try await Self.handshake(client, to: method, messages, headers: headers)
    #expect(status == 200, "\(text)")
    let entry = try #require(try Self.entries(in: text).first)
    id = try #require(entry.array?[1].array?[1].string)
    self.client = client
    self.method = method
    greeting = text
  }

  /// Returns the path with the query of a request of the session.
  func path(_ query: String) -> String { "\(Self.path(method))?VER=8&SID=\(id)&\(query)" }

  /// Sends messages.
  func post(_ messages: [String], first: Int, acknowledging last: Int = 0) async throws -> (
    status: Int, text: String
  ) {
    try await client.send(
      .post, path("RID=\(first + 8)&AID=\(last)"), Self.form(messages, first: first, client: client))
  }

  /// Opens a back channel.
  func stream(after last: Int = 0, polls: Bool = false) async throws -> TransportStreamingResponse {
    try await client.embedded.stream(
      client.request(.get, path("RID=rpc&AID=\(last)&CI=\(polls ? 1 : 0)&TYPE=xmlhttp")))
  }

  func terminate() async throws {
    let (status, _) = try await client.send(.post, path("RID=99&TYPE=terminate"))
    #expect(status == 200)
  }

  /// Reads entries, opening back channels one after another, until one fulfils a condition.
  ///
  /// - Returns: all entries but `noop`, as their numbers and contents.
  func read(after last: Int = 0, until isEnough: (JSON) -> Bool) async throws -> [(
    number: Int, content: JSON
  )] {
    var read: [(number: Int, content: JSON)] = []
    var last = last
    while true {
      let response = try await stream(after: last)
      try #require(response.status == 200)
      var text = ""
      for try await piece in response.body {
        text += String(decoding: piece, as: UTF8.self)
        let (entries, rest) = try Self.split(text)
        text = rest
        for entry in entries {
          guard case .int(let number)? = entry.array?[0], let content = entry.array?[1].array?[0] else {
            Issue.record("An entry isn't a number and a content.")
            continue
          }
          guard Int(number) > last else { continue }
          #expect(Int(number) == last + 1, "Entries are numbered.")
          last = Int(number)
          if content == .string("noop") { continue }
          read.append((last, content))
          if isEnough(content) { return read }
        }
      }
    }
  }

  /// The entries of whole frames, whose lengths count UTF-16 units.
  static func entries(in text: String) throws -> [JSON] {
    let (entries, rest) = try split(text)
    #expect(rest.isEmpty)
    return entries
  }

  /// Returns the entries of the whole frames of a text, and the rest.
  private static func split(_ text: String) throws -> (entries: [JSON], rest: String) {
    var entries: [JSON] = []
    var units = Array(text.utf16)[...]
    while let end = units.firstIndex(of: 10) {
      let length = try #require(Int(String(decoding: units[..<end], as: UTF16.self)))
      guard units.endIndex - end - 1 >= length else { break }
      let frame = units[(end + 1)..<(end + 1 + length)]
      entries += try JSON(parsing: Data(String(decoding: frame, as: UTF16.self).utf8)).array ?? []
      units = units[(end + 1 + length)...]
    }
    return (entries, String(decoding: units, as: UTF16.self))
  }
}

extension JSON {
  /// Whether this is the event of a consistent snapshot: a change of all targets with a read time.
  var isSnapshot: Bool {
    guard let change = self["targetChange"] else { return false }
    return change["targetIds"] == nil && change["readTime"] != nil
  }
}
