import Foundation
import TenonJSON
import TenonTestSupport
import Testing

/// Google's google-cloud-storage, and what keeps objects: versions, preconditions, holds, retention and soft
/// deletion; access control as it is stored; and what the server refuses because it doesn't do it.
@Suite(.limited, .deep, .secondOpinions) struct ObjectProtectionTests {
  @Test(arguments: [
    ("versions", #"[true, "one", "one", 404]"#), ("conditions", #"[{"b": "2"}, 412, 412, true]"#),
    ("holds", #"[403, 403, "NEARLINE", "xx", 2, 200]"#), ("retention", "[403, 403, true, 403]"),
    ("object_retention", "[403, 200]"), ("soft_deletion", #"[true, ["a"], 10, "soft"]"#),
    ("names", #"[["foo/baz", "foo/foobar", "foobar"], "moved", true]"#),
    ("access", #"[true, ["READER"], 412, true]"#), ("refusals", "[501, 501, 501, true]"),
  ]) func googlesClientSees(call: String, result: String) async throws {
    let expected = try JSON(parsing: Data(result.utf8))
    try await withPeer(.protection) { _, python in
      let seen = try await python.call(call)
      #expect(seen == expected)
    }
  }
}
