#if !os(Windows)
  import Foundation

  extension Misbehavior {
    /// Correct HTTP with JSON that no correct server sends in response to any request. A client that expects
    /// JSON must not accept it.
    package static var documents: [Misbehavior] {
      /// Returns the correct response with another body.
      func document(_ name: String, _ body: @escaping @Sendable (Data) -> Data) -> Misbehavior {
        .sends("json-\(name)", .other(200)) { response in
          var response = response
          response.body = body(response.body)
          return response.sized
        }
      }
      /// Returns the correct response with text as its body.
      func text(_ name: String, _ text: String) -> Misbehavior { document(name) { _ in Data(text.utf8) } }
      return [
        text("missing", ""), text("null", "null"), text("number", "1e999"), text("string", "\"text\""),
        text("empty-array", "[]"), text("white-space", String(repeating: " ", count: 100_000)),
        text("deep-arrays", String(repeating: "[", count: 100_000) + String(repeating: "]", count: 100_000)),
        text(
          "deep-objects",
          String(repeating: "{\"a\":", count: 100_000) + "1" + String(repeating: "}", count: 100_000)),
        text("open-arrays", String(repeating: "[", count: 500_000)),
        text("long-number", String(repeating: "9", count: 500_000)),
        text("open-string", "{\"a\": \"" + String(repeating: "\\u0000", count: 50_000)),
        text("lone-surrogate", "{\"error\": {\"message\": \"\\ud800\"}}"),
        text("error-of-another-form", "{\"error\": [1, {\"message\": {\"deep\": null}}]}"),
        document("cut") { $0.prefix($0.count / 2) },
        document("twice") { $0 + $0 },
        document("in-an-array") { Data("[".utf8) + $0 + "]" },
        document("with-null-bytes") { Data([0]) + $0 + Data([0]) },
        document("with-invalid-utf-8") { Data([0xFF]) + $0 },
        document("in-utf-16") { Data($0.flatMap { [$0, 0] }) },
      ]
    }
  }
#endif
