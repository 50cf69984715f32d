import Foundation
import TenonTestSupport
import TenonTesting
import Testing

/// The public API of each library is a page, `api.txt`, so that a change of the API is a change that a
/// reviewer reads.
@Suite(.limited(of: .processes)) struct PublicAPITests {
  // The pages are those of Linux: other systems have other transports.
  @Test(.enabled(if: isLinux), .python) func everyPageIsThatOfItsLibrary() async throws {
    let result = try await PublicAPI.check(in: Executable.buildDirectory)
    #expect(result.status == 0, "\(result.output)\(result.errors)")
    #expect(result.output.contains(/^\d+ pages, \d{4} public symbols$/.anchorsMatchLineEndings()))
  }

  @Test func pagesAreReadAsCallsThatCompile() throws {
    let pages = APIPages(
      text: """
        Sample: 6 public symbols

        struct Box<Value>: Boxed, Sendable where Value: Sendable
          init(_ value: Value)
          static func `default`(named name: String? = nil, in map: [String: Int], _ rest: Int...) -> Self
          func set<Other>(_ value: Other, @Builder then body: (Int, String) throws -> Void)

        extension Boxed
          func close()

        extension Swift.String: Boxed
        """)
    #expect(pages.haveCall("Box", labels: ["_"]))
    #expect(!pages.haveCall("Box", labels: []))
    #expect(
      pages.haveCall("default", labels: ["in"]) && pages.haveCall("default", labels: ["named", "in", "_"]))
    #expect(!pages.haveCall("default", labels: ["named"]))
    #expect(pages.haveCall("set", of: "Box", labels: ["_", "then"]) && !pages.haveCall("set", labels: ["_"]))
    #expect(
      pages.haveCall("close", of: "Box", labels: []) && pages.haveCall("close", of: "String", labels: []))
    #expect(!pages.haveCall("set", of: "String", labels: ["_", "then"]))
    #expect(!pages.haveCall("open", labels: []) && !pages.haveCall("close", of: "Crate", labels: []))
  }
}
