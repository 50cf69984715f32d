import Foundation
import TenonTestSupport
import TenonTransport
import TenonTransportInterop
import Testing

@testable import TenonEmbedded

/// Partial responses of the JSON API.
@Suite(.limited) struct FieldSelectionTests {
  @Test(arguments: [
    ("a", #"{"a":1}"#), ("a,b", #"{"a":1,"b":{"c":2,"d":[{"e":3,"f":4},{"e":5}]}}"#),
    ("b/c", #"{"b":{"c":2}}"#), ("b(c)", #"{"b":{"c":2}}"#), ("b/d/e", #"{"b":{"d":[{"e":3},{"e":5}]}}"#),
    ("b(c,d(f))", #"{"b":{"c":2,"d":[{"f":4},{}]}}"#),
    ("b/d(e),b/c", #"{"b":{"c":2,"d":[{"e":3},{"e":5}]}}"#),
    ("b/c,b", #"{"b":{"c":2,"d":[{"e":3,"f":4},{"e":5}]}}"#), ("*/c", #"{"b":{"c":2}}"#),
    ("*", #"{"a":1,"b":{"c":2,"d":[{"e":3,"f":4},{"e":5}]}}"#), ("*/c,a", #"{"a":1,"b":{"c":2}}"#),
    ("x,y/z", "{}"), (" a , b/c ", #"{"a":1,"b":{"c":2}}"#), ("a/x", "{}"),
  ])
  func aSelectionHasItsMembers(text: String, expected: String) throws {
    let value = try JSON(parsing: Data(#"{"a":1,"b":{"c":2,"d":[{"e":3,"f":4},{"e":5}]}}"#.utf8))
    #expect(try FieldSelection(text).selected(from: value) == JSON(parsing: Data(expected.utf8)))
  }

  @Test(arguments: [
    ",", "a,", "a(", "a)", "a()", "a(b", "a/", "/a", "a//b", "(a)", "a(b)c", "a(b))",
    String(repeating: "a(", count: 100_000), String(repeating: "a/", count: 100_000),
    String(repeating: "a(", count: 100) + "b" + String(repeating: ")", count: 100),
    String(repeating: "a,", count: 100_000) + "a",
  ])
  func aMalformedSelectionIsRefused(text: String) {
    #expect(throws: Refusal.self) { try FieldSelection(text) }
  }

  @Test func aResponseHasTheSelectedMembers() async throws {
    let client = try await JSONAPIClient(Backend(), "")
    let uploaded = try await client.call(.post, JSONAPIClient.upload("a", "&fields=name,size"), "{}")
    #expect(uploaded == ["name": "a", "size": "2"])
    try await client.put("d%2F1")
    #expect(
      try await client.call(.get, "o?delimiter=/&fields=items(name,bucket),prefixes")
        == ["items": [["name": "a", "bucket": "b"]], "prefixes": ["d/"]])
    #expect(try await client.call(.get, "?fields=name") == ["name": "b"])
    #expect(try await client.call(.get, "o/a?fields=") == client.call(.get, "o/a"))
    let patched = try await client.call(.patch, "o/a?fields=metadata/k", #"{"metadata":{"k":"v","l":"w"}}"#)
    #expect(patched == ["metadata": ["k": "v"]])
    // Neither contents nor errors are selected from.
    #expect(try await client.content("a", "&fields=x") == "{}")
    #expect(try await client.failure(.get, "o/none?fields=name").reason == "notFound")
    #expect(try await client.send(.delete, "o/a?fields=name").status == 204)
  }

  /// A selection that isn't valid is an error before anything is changed.
  @Test func aMalformedSelectionChangesNothing() async throws {
    let client = try await JSONAPIClient(Backend(), "")
    let refused = try await client.failure(.post, JSONAPIClient.upload("a", "&fields=a("), "x")
    #expect(refused.status == 400 && refused.reason == "invalidParameter")
    #expect(try await client.send(.get, "o/a").status == 404)
  }

  @Test func theServiceAccountOfTheProjectHasAnAddress() async throws {
    let client = try await JSONAPIClient()
    let account = try await client.call(.get, "/storage/v1/projects/demo/serviceAccount")
    #expect(account["email_address"]?.string?.hasSuffix(".gserviceaccount.com") == true)
    #expect(try await client.send(.get, "/storage/v1/projects/other/serviceAccount").status == 404)
  }

  @Test func theSourcesOfACompositionAreDeletedIfTheClientAsksForIt() async throws {
    let client = try await JSONAPIClient(Backend(), "")
    for name in ["a", "c"] { try await client.put(name) }
    let body = #"{"sourceObjects":[{"name":"a"},{"name":"c"},{"name":"a"}],"deleteSourceObjects":true}"#
    try await client.call(.patch, "o/c", #"{"temporaryHold":true}"#)
    #expect(try await client.failure(.post, "o/a/compose", body).reason == "objectUnderActiveHold")
    #expect(try await client.content("a") == "hello")
    try await client.call(.patch, "o/c", #"{"temporaryHold":false}"#)
    let composed = try await client.call(.post, "o/a/compose", body)
    #expect(composed["contentType"] == nil)
    #expect(try await client.list("") == ["a#\(composed["generation"]?.string ?? "")"])
    #expect(try await client.content("a") == "hellohellohello")
  }
}
