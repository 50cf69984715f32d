import Foundation
import TenonCore
import TenonDocuments
import TenonJSON
import TenonStoreInterop
import TenonTestSupport
import TenonTransportInterop
import Testing

@testable import TenonEmbedded

/// Parts of documents, lists and results, where Google's emulator can't be the judge: it doesn't have them, or
/// doesn't check who asks. `RecordedRequestTests` has the others.
@Suite(.limited) struct DocumentSelectionTests {
  private let backend = Backend()
  private var client: WireClient { WireClient(embedded: backend.embedded) }
  private var owner: WireClient { WireClient(embedded: backend.embedded, authorization: "Bearer owner") }

  private func json(_ path: String, _ client: WireClient? = nil) async throws -> (status: Int, json: JSON) {
    let answer = try await (client ?? self.client).document(.get, path)
    return (answer.status, try JSON(parsing: Data(answer.text.utf8)))
  }

  private func ids(_ json: JSON, in list: String = "documents") -> [String] {
    (json[list]?.array ?? []).compactMap { $0["name"]?.string?.split(separator: "/").last.map(String.init) }
  }

  @Test func aDocumentIsReadInThePastAndInATransaction() async throws {
    let documents = backend.embedded.documents()
    let first = try await documents.commit([.set("rooms/den", ["n": 1, "m": 1])])
    try await documents.set("rooms/den", ["n": 2, "m": 1])
    let time = "2023-11-14T22:13:20.00000\(first.microsecondsSince1970 % 10)Z"
    let past = try await json("rooms/den?readTime=\(time)&mask.fieldPaths=n")
    #expect(past.json["fields"] == ["n": ["integerValue": "1"]])
    let list = try await json("rooms?read_time=\(time)")
    #expect(list.json["documents"]?.array?.first?["fields"]?["n"] == ["integerValue": "1"])
    let begun = try await client.result("beginTransaction", "{}")
    let id = try #require(begun["transaction"]?.string)
    try await documents.set("rooms/den", ["n": 3])
    let encoded = try #require(id.addingPercentEncoding(withAllowedCharacters: .alphanumerics))
    for text in [encoded, id] {
      let read = try await json("rooms/den?transaction=\(text)")
      #expect(read.json["fields"]?["n"] == ["integerValue": "2"])
    }
    let listed = try await json("rooms?transaction=\(encoded)&pageSize=1")
    #expect(listed.json["documents"]?.array?.first?["fields"]?["n"] == ["integerValue": "2"])
    let refused = try await client.call(
      "commit",
      #"{"writes":[{"verify":"@/rooms/den","currentDocument":{"exists":true}}],"transaction":"\#(id)"}"#)
    #expect(refused.status == 409, "What the transaction has read was changed.")
    for query in [
      "readTime=x", "transaction=*", "readTime=\(time)&transaction=\(encoded)", "transaction=AAAA",
    ] {
      #expect(try await json("rooms/den?\(query)").status == 400, "\(query)")
    }
  }

  /// Only calls of gRPC have such lists and masks. REST has no URL for them, so they have parameters.
  @Test func allCollectionsBelowADocumentAreListedInPages() async throws {
    for path in ["rooms/den/x/b", "rooms/den/y/a", "rooms/den/x/b/z/c", "rooms/hall/x/d"] {
      try await backend.embedded.documents().set(path, ["n": 1])
    }
    let first = try await json("rooms/den?collectionId=&pageSize=1&mask=")
    #expect(ids(first.json) == ["b"] && first.json["documents"]?.array?[0]["fields"] == nil)
    let token = try #require(first.json["nextPageToken"]?.string)
    let second = try await json("rooms/den?collectionId=&pageSize=1&pageToken=\(token)")
    #expect(ids(second.json) == ["a"] && second.json["nextPageToken"] == nil)
    #expect(try await json("rooms/den?collectionId=&showMissing=true").status == 400)
    #expect(try await json("rooms/den?collectionId=&orderBy=n").status == 400)
    #expect(try await json("rooms?collectionId=").status == 404)
  }

  @Test func anEmptyMaskUpdatesNothing() async throws {
    try await backend.embedded.documents().set("rooms/den", ["n": 1])
    let answer = try await client.document(
      .patch, "rooms/den?updateMask=", #"{"fields":{"m":{"nullValue":null}}}"#)
    #expect(answer.status == 200)
    #expect(try await backend.embedded.documents().get("rooms/den")?.names == ["n"])
  }

  @Test(
    arguments: [
      ("n", 200), ("N%20DESC,s", 200), ("n%20,%20s%20asc", 200), ("n%09desc", 200), ("%20n", 400),
      ("n%20", 200), ("n%20desc%20", 400), ("n%20desc%20,s", 200), ("n,", 400),
      ("n%20up", 400), ("n%20desc%20desc", 400),
    ])
  func ordersOfListsHaveTheFormOfFirestore(order: String, status: Int) async throws {
    #expect(try await json("rooms?orderBy=\(order)").status == status)
  }

  @Test(
    arguments: [
      ("n", "n", "Cannot apply property masks when aggregation fields are present."),
      ("m", "m.n", "Cannot apply property masks when aggregation fields are present."),
      ("m.n", "m", "The aggregation property m is not present in the base query's property mask."),
      (
        "__name__", "n",
        "Aggregation over non-key properties is not supported for base query that only returns keys."
      ),
    ])
  func onlyWholeDocumentsAreAggregated(selected: String, summed: String, text: String) async throws {
    let query =
      #"{"structuredQuery":{"from":[{"collectionId":"rooms"}],"select":{"fields":[{"fieldPath":"\#(selected)"}]}},"#
    let answer = try await client.call(
      "runAggregationQuery",
      #"{"structuredAggregationQuery":\#(query)"aggregations":[{"sum":{"field":{"fieldPath":"\#(summed)"}}}]}}"#
    )
    #expect(answer.status == 400 && answer.text.contains(text), "\(answer.text)")
    let count = try await client.call(
      "runAggregationQuery", #"{"structuredAggregationQuery":\#(query)"aggregations":[{"count":{}}]}}"#)
    #expect(count.status == 200)
  }

  @Test func listsAreContinuedInEveryOrder() async throws {
    for (id, n) in [("a", 3), ("b", 1), ("c", 2), ("d", 1)] {
      try await backend.embedded.documents().set("rooms/\(id)", ["n": .integer(Int64(n))])
    }
    for (order, expected) in [
      ("", "abcd"), ("n", "bdca"), ("n%20desc", "acdb"), ("__name__%20desc", "dcba"),
      ("n,__name__%20desc", "dbca"),
    ] {
      var found: [String] = []
      var token: String?
      repeat {
        let page = try await json(
          "rooms?pageSize=1&orderBy=\(order)&mask.fieldPaths=__name__\(token.map { "&pageToken=\($0)" } ?? "")"
        )
        #expect(page.json["documents"]?.array?.first?["fields"] == nil, "A mask doesn't change the order.")
        found += ids(page.json)
        token = page.json["nextPageToken"]?.string
      } while token != nil
      #expect(found.joined() == expected, "\(order)")
    }
    let token = try #require(try await json("rooms?pageSize=1&orderBy=n").json["nextPageToken"]?.string)
    #expect(try await json("rooms?orderBy=n%20desc&pageToken=\(token)").status == 400)
    #expect(try await json("halls?orderBy=n&pageToken=\(token)").status == 400)
  }

  @Test func whatHasNoKindOfAccessIsForAdministratorsIfThereAreRules() async throws {
    try await backend.embedded.documents().set("rooms/den/chairs/one", [:])
    let group = #""from":[{"collectionId":"chairs","allDescendants":true}]"#
    let bodies = [
      ("runQuery", #"{"structuredQuery":{"from":[{"allDescendants":true}]}}"#),
      ("runQuery", #"{"structuredQuery":{}}"#),
      (
        "runAggregationQuery",
        #"{"structuredAggregationQuery":{"structuredQuery":{"from":[{}]},"aggregations":[{"count":{}}]}}"#
      ),
      (
        "partitionQuery",
        #"{"structuredQuery":{\#(group),"orderBy":[{"field":{"fieldPath":"__name__"}}]},"partitionCount":2}"#
      ), ("listCollectionIds", "{}"),
    ]
    func statuses(_ client: WireClient) async throws -> [Int] {
      var statuses = [try await json("rooms?showMissing=true", client).status]
      for (method, body) in bodies { statuses.append(try await client.call(method, body).status) }
      return statuses
    }
    let all = bodies.count + 1
    #expect(try await statuses(client) == Array(repeating: 200, count: all))
    backend.embedded.onDocumentAccess { _ in true }
    #expect(try await statuses(client) == Array(repeating: 403, count: all))
    #expect(try await statuses(owner) == Array(repeating: 200, count: all))
    let missing = try await json("rooms?showMissing=true", owner)
    #expect(ids(missing.json) == ["den"] && missing.json["documents"]?.array?.first?["createTime"] == nil)
  }

  /// A precondition would tell whether a document exists.
  @Test func aVerificationNeedsTheRightToRead() async throws {
    try await backend.embedded.documents().set("rooms/den", [:])
    let write = #"{"writes":[{"verify":"@/rooms/den","currentDocument":{"exists":false}}]}"#
    #expect(try await client.call("commit", write).status == 409)
    backend.embedded.onDocumentAccess { $0.operation == .update }
    #expect(try await client.call("commit", write).status == 403)
    backend.embedded.onDocumentAccess { $0.operation == .get }
    #expect(try await client.call("commit", write).status == 409)
  }

  @Test func aResultIsSplitIntoPartsOfAboutTheSameSize() async throws {
    for number in 10..<22 { try await backend.embedded.documents().set("rooms/r\(number)", [:]) }
    let query =
      #""structuredQuery":{"from":[{"collectionId":"rooms","allDescendants":true}],"orderBy":[{"field":{"fieldPath":"__name__"}}]}"#
    func points(_ members: String) async throws -> (ids: [String?], token: String?) {
      let page = try await client.result("partitionQuery", "{\(query),\(members)}")
      let names = page["partitions"]?.array?.map {
        $0["values"]?.array?.first?["referenceValue"]?.string?.split(separator: "/").last.map(String.init)
      }
      return (names ?? [], page["nextPageToken"]?.string)
    }
    #expect(try await points(#""partitionCount":"3""#).ids == ["r13", "r16", "r19"])
    #expect(try await points(#""partitionCount":1000"#).ids.count == 11)
    let first = try await points(#""partitionCount":3,"pageSize":2"#)
    let token = try #require(first.token)
    let second = try await points(#""partitionCount":3,"pageSize":2,"pageToken":"\#(token)""#)
    #expect(first.ids == ["r13", "r16"] && second.ids == ["r19"] && second.token == nil)
    for members in [
      #""partitionCount":0"#, #""partitionCount":3,"pageToken":"x""#, #""partitionCount":3,"later":1"#,
    ] {
      #expect(try await client.call("partitionQuery", "{\(query),\(members)}").status == 400)
    }
  }

  @Test func aQueryIsExplained() async throws {
    try await backend.embedded.documents().set("rooms/den", ["n": 1])
    let query = #""structuredQuery":{"from":[{"collectionId":"rooms"}]}"#
    let plan = try await client.result("runQuery", #"{\#(query),"explainOptions":{}}"#)
    #expect(plan.array?.count == 1 && plan.array?[0]["document"] == nil)
    #expect(plan.array?[0]["explainMetrics"]?["planSummary"] != nil)
    #expect(plan.array?[0]["explainMetrics"]?["executionStats"] == nil)
    let analysis = try await client.result("runQuery", #"{\#(query),"explainOptions":{"analyze":true}}"#)
    #expect(analysis.array?.last?["document"] != nil)
    #expect(analysis.array?.last?["explainMetrics"]?["executionStats"]?["resultsReturned"] == "1")
  }

  // MARK: - Projects

  @Test func otherProjectsAreServedIfTheSettingsSaySo() async throws {
    backend.embedded.settings.servesOtherProjects = true
    var other = client
    other.project = "elsewhere"
    _ = try await other.result("commit", #"{"writes":[{"update":{"name":"@/rooms/den"}}]}"#)
    #expect(try await other.document(.get, "rooms/den").status == 200)
    #expect(try await client.document(.get, "rooms/den").status == 404)
    let now = backend.clock.now
    let token = try IDToken(
      account: Account(id: "ann", now: now), provider: "password", projectID: "elsewhere", now: now
    ).text
    backend.embedded.onDocumentAccess { $0.auth?.uid == "ann" }
    #expect(try await other.document(.get, "rooms/den").status == 403)
    other.authorization = "Bearer \(token)"
    #expect(try await other.document(.get, "rooms/den").status == 200)
    var own = client
    own.authorization = other.authorization
    #expect(try await own.document(.get, "rooms/den").status == 401, "The token is one of another project.")
    backend.embedded.settings.servesOtherProjects = false
    #expect(try await other.document(.get, "rooms/den").status == 401)
  }

  @Test func theNumberOfOtherProjectsIsLimited() async throws {
    backend.embedded.settings.servesOtherProjects = true
    var other = client
    for number in 0..<DocumentProjects.mostOthers {
      other.project = "p\(number)"
      #expect(try await other.document(.get, "a/b").status == 404)
    }
    other.project = "one-more"
    #expect(try await other.document(.get, "a/b").status == 429)
    other.project = "p%2F"
    #expect(try await other.document(.get, "a/b").status == 400)
    #expect(try await client.document(.get, "a/b").status == 404)
  }

  // MARK: - Listeners

  private static func target(_ members: String, _ id: Int, _ more: String = "") -> String {
    let query = #"{"from":[{"collectionId":"rooms"}],\#(members)}"#
    return
      #"{"addTarget":{"query":{"parent":"@","structuredQuery":\#(query)},"targetId":\#(id)\#(more)}}"#
  }

  @Test func aListenerReceivesTheFieldsThatItSelects() async throws {
    try await backend.embedded.documents().set("rooms/den", ["n": 1, "m": 1])
    let select = #""select":{"fields":[{"fieldPath":"n"}]}"#
    let channel = try await WireChannel(client, [Self.target(select, 2), Self.target(#""limit":5"#, 4)])
    var last = 0
    for n in ["1", "2"] {
      var fields: [JSON: JSON?] = [:]
      let read = try await channel.read(after: last) { content in
        if let change = content["documentChange"], let targets = change["targetIds"] {
          fields[targets] = change["document"]?["fields"]
        }
        return fields.count == 2 && content.isSnapshot
      }
      last = read.last?.number ?? 0
      #expect(fields[[2]] == ["n": ["integerValue": .string(n)]])
      #expect(fields[[4]] == ["n": ["integerValue": .string(n)], "m": ["integerValue": "1"]])
      if n == "1" { try await backend.embedded.documents().set("rooms/den", ["n": 2, "m": 1]) }
    }
    try await channel.terminate()
  }

  @Test func aListenerWithAnOffsetSeesTheRest() async throws {
    for id in ["a", "b", "c"] { try await backend.embedded.documents().set("rooms/\(id)", [:]) }
    let channel = try await WireChannel(client, [Self.target(#""offset":1,"limit":1"#, 2)])
    func names(_ contents: [(number: Int, content: JSON)]) -> [String?] {
      contents.compactMap { $0.content["documentChange"] ?? $0.content["documentRemove"] }
        .map { $0["document"]?["name"]?.string ?? $0["document"]?.string }
        .map { $0?.split(separator: "/").last.map(String.init) }
    }
    let first = try await channel.read { $0.isSnapshot }
    #expect(names(first) == ["b"])
    try await backend.embedded.documents().delete("rooms/a")
    let second = try await channel.read(after: first.last?.number ?? 0) { $0.isSnapshot }
    #expect(names(second).sorted { ($0 ?? "") < ($1 ?? "") } == ["b", "c"])
    try await channel.terminate()
  }

  @Test func aTargetThatListensOnceIsRemovedWithItsResult() async throws {
    try await backend.embedded.documents().set("rooms/den", [:])
    let channel = try await WireChannel(client, [Self.target(#""limit":5"#, 2, #","once":true"#)])
    let contents = try await channel.read { $0["targetChange"]?["targetChangeType"] == "REMOVE" }.map(
      \.content)
    #expect(contents.contains { $0["documentChange"] != nil } && contents.contains { $0.isSnapshot })
    #expect(contents.last?["targetChange"]?["cause"] == nil)
    try await channel.terminate()
  }

  @Test(arguments: [
    #"{"addTarget":{"query":{"parent":"@","structuredQuery":{"from":[{"collectionId":"rooms"}]}},"targetId":2},"later":1}"#,
    #"{"addTarget":{"targetId":2}}"#, #"{"addTarget":{"documents":{"documents":["@/rooms"]},"targetId":2}}"#,
    #"{"addTarget":{"documents":{"documents":["@/rooms/den"]},"targetId":-1}}"#,
    #"{"addTarget":{"documents":{"documents":["@/rooms/den"]},"targetId":2,"resumeToken":"*"}}"#, "[]", "1",
  ])
  func aStreamWithARequestThatIsNoneEnds(message: String) async throws {
    let channel = try await WireChannel(client, [message])
    let error = try await channel.read { $0["error"] != nil }.last?.content["error"]
    #expect(error?["status"] == "INVALID_ARGUMENT")
    try await channel.terminate()
  }

  @Test func anUnknownResumeTokenResetsTheTarget() async throws {
    try await backend.embedded.documents().set("rooms/den", [:])
    let channel = try await WireChannel(client, [Self.target(#""limit":5"#, 2, #","resume_token":"AAAA""#)])
    let contents = try await channel.read { $0.isSnapshot }.map(\.content)
    #expect(contents.contains { $0["targetChange"]?["targetChangeType"] == "RESET" })
    #expect(contents.contains { $0["documentChange"] != nil })
    try await channel.terminate()
  }
}
