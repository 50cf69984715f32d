import Foundation
import TenonTestSupport
import TenonTransport
import TenonTransportInterop
import Testing

@testable import TenonEmbedded

/// Contexts of objects, and lists that they select.
@Suite(.limited) struct ObjectContextTests {
  private func body(_ contexts: String) -> String { #"{"contexts":{"custom":{\#(contexts)}}}"# }

  private func values(_ resource: JSON) -> [String: String] {
    (resource["contexts"]?["custom"]?.object ?? [:]).compactMapValues { $0["value"]?.string }
  }

  @Test func contextsAreStoredChangedAndCopied() async throws {
    let client = try await JSONAPIClient(Backend(), "")
    try await client.put("a")
    let added = try await client.call(.patch, "o/a", body(#""k":{"value":"v"},"l":{"value":"w"}"#))
    #expect(values(added) == ["k": "v", "l": "w"])
    #expect(added["contexts"]?["custom"]?["k"]?["createTime"] == "2023-11-14T22:13:20.000Z")
    client.backend.clock.advance(bySeconds: 1)
    let changed = try await client.call(
      .patch, "o/a", body(#""k":{"value":"x"},"l":{"value":null},"m":null"#))
    #expect(values(changed) == ["k": "x"])
    let context = changed["contexts"]?["custom"]?["k"]
    #expect(context?["createTime"] == "2023-11-14T22:13:20.000Z")
    #expect(context?["updateTime"] == "2023-11-14T22:13:21.000Z")
    #expect(values(try await client.call(.patch, "o/a", #"{"cacheControl":"private"}"#)) == ["k": "x"])
    #expect(values(try await client.call(.post, "o/a/copyTo/b/b/o/c")) == ["k": "x"])
    let replaced = try await client.call(.post, "o/a/copyTo/b/b/o/d", body(#""n":{"value":"1"}"#))
    #expect(values(replaced) == ["n": "1"] && replaced["cacheControl"] == "private")
    let composition = #"{"sourceObjects":[{"name":"a"}],"destination":\#(body(#""n":{"value":"1"}"#))}"#
    #expect(values(try await client.call(.post, "o/e/compose", composition)) == ["n": "1"])
    #expect(try await client.call(.patch, "o/a", #"{"contexts":null}"#)["contexts"] == nil)
    #expect(try await client.call(.put, "o/d", "{}")["contexts"] == nil)
  }

  @Test func aListIsFilteredByContexts() async throws {
    let client = try await JSONAPIClient(Backend(), "")
    for name in ["a", "b", "c"] { try await client.put(name) }
    try await client.call(.patch, "o/a", body(#""k":{"value":"v"}"#))
    try await client.call(.patch, "o/b", body(#""k":{"value":"w"}"#))
    for (filter, names) in [
      (#"contexts."k"="v""#, ["a"]), (#"contexts."k":*"#, ["a", "b"]), (#"-contexts."k"="v""#, ["b", "c"]),
      (#"-contexts."k":*"#, ["c"]), (#"contexts."x":*"#, []),
    ] {
      let list = try await client.call(.get, "o?filter=\(PercentEncoding.queryValue(filter))")
      #expect((list["items"]?.array ?? []).compactMap { $0["name"]?.string } == names, "\(filter)")
    }
    for filter in ["x", #"contexts."k""#, #"contexts.k="v""#, #"contexts."k"="v"x"#, #"contexts."":*"#, "-"] {
      let query = PercentEncoding.queryValue(filter)
      #expect(try await client.send(.get, "o?filter=\(query)").status == 400, "\(filter)")
    }
    let query = PercentEncoding.queryValue(#"contexts."k":*"#)
    #expect(try await client.send(.get, "o?filter=\(query)&delimiter=/").status == 501)
  }

  @Test func whatIsNoContextIsRefused() async throws {
    let client = try await JSONAPIClient(Backend(), "")
    try await client.put("a")
    let many = (0...50).map { #""k\#($0)":{"value":"v"}"# }.joined(separator: ",")
    for contexts in [
      #""k":{"value":1}"#, #""k":{"value":""}"#, #""":{"value":"v"}"#, #""a/b":{"value":"v"}"#,
      #""-a":{"value":"v"}"#, #""Google":{"value":"v"}"#, #""k":{"value":"'"}"#, many,
      #""k":{"value":"\#(String(repeating: "v", count: 257))"}"#,
    ] {
      #expect(try await client.send(.patch, "o/a", body(contexts)).status == 400, "\(contexts.prefix(50))")
    }
    for contexts in ["7", "{\"other\":{}}", "{\"custom\":[]}"] {
      #expect(try await client.send(.patch, "o/a", "{\"contexts\":\(contexts)}").status == 400)
    }
    #expect(try await client.call(.get, "o/a")["metageneration"] == "1")
  }
}
