import Foundation
import TenonTestSupport
import TenonTesting
import TenonValues
import Testing

@testable import TenonDocuments

@Suite(.limited) struct DocumentLineTests {
  private func text(_ line: DocumentLine) throws -> String {
    var writer = WireWriter(DatabaseName(project: DocumentLine.project))
    try line.write(to: &writer)
    return String(decoding: writer.bytes, as: UTF8.self)
  }

  private func line(_ text: String) throws -> DocumentLine { try DocumentLine(Data(text.utf8)) }

  @Test func aLineHasThePathTheFieldsAndTheTimes() throws {
    let tea = DocumentLine(
      path: try ResourcePath(document: "notes/tea"),
      fields: ["title": "Tea\n", "rating": 5, "about": .reference(try ResourcePath(document: "notes/cup"))],
      createTime: Timestamp(seconds: 0, nanoseconds: 500_000_000),
      updateTime: Timestamp(seconds: 1, nanoseconds: 0),
      hasPendingWrites: true)
    let expected =
      #"{"name":"notes/tea","fields":{"about":{"referenceValue":"projects/local/databases/(default)/documents/notes/cup"},"#
      + #""rating":{"integerValue":"5"},"title":{"stringValue":"Tea\n"}},"createTime":"1970-01-01T00:00:00.500Z","#
      + #""updateTime":"1970-01-01T00:00:01Z","hasPendingWrites":true}"#
    #expect(try text(tea) == expected)
    #expect(try line(expected) == tea)
    #expect(
      try line(#"{"name":"a/b"}"#) == DocumentLine(path: try ResourcePath(document: "a/b"), fields: [:]))
  }

  @Test func everyDocumentIsReadAsItWasWritten() throws {
    var random = SeededGenerator(seed: 1)
    for _ in 0..<500 {
      let document = DocumentLine(path: try ResourcePath(document: "c/d"), fields: random.fields())
      guard (try? document.fields.checkDocument(at: document.path)) != nil else { continue }
      let written = try text(document)
      #expect(!written.utf8.contains(10))
      #expect(try line(written) == document, "\(written)")
    }
  }

  /// Google's tools write full names; a path with the same beginning has an even number of IDs.
  @Test(
    arguments: [
      ("projects/p/databases/(default)/documents/notes/tea", "notes/tea"),
      ("projects/p/databases/d/documents/a/b/c/d", "a/b/c/d"),
      ("projects/p/databases/d", "projects/p/databases/d"),
      ("projects/p/databases/d/documents/c", "projects/p/databases/d/documents/c"),
    ])
  func fullNamesAndPathsAreNames(name: String, path: String) throws {
    #expect(try line(#"{"name":"\#(name)","fields":{}}"#).path == ResourcePath(document: path))
  }

  @Test(
    arguments: [
      ("", "can't be read as JSON"), ("[]", "isn't a JSON object"), ("{}", "has no name"),
      (#"{"name":1}"#, "has no name"), (#"{"name":"notes"}"#, "notes"), (#"{"name":"notes//a/b"}"#, "notes"),
      (#"{"name":"a/b","field":{}}"#, "the member \"field\""),
      (#"{"name":"a/b","fields":[]}"#, "\"fields\" isn't an object"),
      (#"{"name":"a/b","fields":{"x":1}}"#, "\"fields.x\" isn't a value"),
      (#"{"name":"a/b","fields":{"x":{"integerValue":"z"}}}"#, "\"fields.x.integerValue\""),
      (#"{"name":"a/b","fields":{"__x__":{"nullValue":null}}}"#, "__x__"),
      (#"{"name":"a/b","createTime":"yesterday"}"#, "\"createTime\""),
      (#"{"name":"a/b","hasPendingWrites":"yes"}"#, "\"hasPendingWrites\""),
      (#"{"name":"a/b"} {"name":"a/c"}"#, "can't be read as JSON"),
      (#"{"name":"projects/p/databases/d/documents/c"}/x"#, "can't be read as JSON"),
    ])
  func aLineThatIsNoDocumentIsAnErrorThatSaysWhy(text: String, reason: String) {
    let error = #expect(throws: DocumentError.self) { try line(text) }
    #expect(error?.message.contains(reason) == true, "\(error?.message ?? "")")
  }
}
