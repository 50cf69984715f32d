import Foundation
import TenonCore
import TenonTestSupport
import Testing

@testable import tenon

@Suite(.limited) struct GraphCommandTests {
  private let sample = try? SampleGraph.json([
    ("Store", [("required", "Auth", ["Auth"]), ("optional", "any Haptics", [])]), ("Auth", []),
  ])

  @Test(arguments: [
    (GraphFormat.text, "Longest path (2): Store -> Auth\nNeeded by most: Auth (1)"),
    (.mermaid, "c0 -->|required| c1"), (.dot, "c0 -> c1 [label=\"required\""),
    (.json, "\"kind\" : \"optional\""),
    (.html, "<!DOCTYPE html>"),
  ])
  func everyFormContainsTheGraph(format: GraphFormat, part: String) throws {
    let document = try GraphDocument(json: #require(sample), title: "sample")
    #expect(try format.render(document).contains(part))
  }

  @Test func theTextOfAnEmptyGraphIsASentence() throws {
    let document = GraphDocument(title: "sample", graph: try SampleGraph.graph([]))
    #expect(document.text == "tenon-sample 1.0.0\nThe graph has no components.")
    let bare = try GraphDocument(json: Data(#"{"libraries":[],"components":[]}"#.utf8), title: "sample")
    #expect(bare.text == "The graph has no components.")
  }

  @Test func jsonIsReadAgain() throws {
    let document = try GraphDocument(json: #require(sample), title: "sample")
    let again = try GraphDocument(json: Data(GraphFormat.json.render(document).utf8), title: "sample")
    #expect(again.graph == document.graph)
  }

  @Test func anInspectionIsReadWithItsProblems() throws {
    let graph = String(decoding: try #require(sample), as: UTF8.self)
    let json =
      "{\"graph\":\(graph),\"problems\":[{\"number\":\"TENON-102\",\"message\":\"m\",\"repairs\":[]}]}"
    let document = try GraphDocument(json: Data(json.utf8), title: "sample")
    #expect(document.graph.components.count == 2)
    #expect(document.problems.map(\.number) == ["TENON-102"])
  }

  @Test(arguments: ["", "[", "{}", "null", String(repeating: "[", count: 100_000)])
  func whatIsNoGraphIsRefused(json: String) {
    #expect(throws: CommandError.self) { try GraphDocument(json: Data(json.utf8), title: "x") }
  }

  @Test func aMissingFileAndAForeignExecutableAreNamed() {
    #expect {
      try GraphCommand.read("/nonexistent/graph.json")
    } throws: {
      "\($0)".contains("/nonexistent/graph.json can't be read")
    }
    #expect {
      try GraphCommand.inspect("/nonexistent/program")
    } throws: {
      "\($0)".contains("There is no file")
    }
    #expect {
      try GraphCommand.inspect("/bin/sh")
    } throws: {
      "\($0)".contains("doesn't link TenonCore")
    }
  }
}
