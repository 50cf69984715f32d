import Foundation
import TenonTestSupport
import Testing

@testable import NotesText

@Suite(.limited) struct FolderWalkTests {
  @Test func filesAreListedInOrderWithoutHiddenOnesAndLinks() throws {
    let root = FileManager.default.temporaryDirectory.appending(path: "tenon-walk-\(UUID())")
    defer { try? FileManager.default.removeItem(at: root) }
    for path in ["b.md", "a/z.md", "a/pic.PNG", "a/x.swift", ".hidden/h.md", "c.markdown", ".dot.md"] {
      let file = root.appending(path: path)
      try FileManager.default.createDirectory(
        at: file.deletingLastPathComponent(),
        withIntermediateDirectories: true
      )
      try Data().write(to: file)
    }
    try FileManager.default.createSymbolicLink(at: root.appending(path: "loop"), withDestinationURL: root)
    let files = Array(try FolderWalk(root))
    #expect(files.map(\.path) == ["a/pic.PNG", "a/z.md", "b.md", "c.markdown"])
    #expect(files.map(\.kind) == [.attachment, .note, .note, .note])
  }

  /// On Linux, names are bytes. Other systems reject these.
  #if os(Linux)
    @Test func namesThatAreNotUTF8AreReportedAsFailures() throws {
      let root = FileManager.default.temporaryDirectory.appending(path: "tenon-walk-\(UUID())")
      try FileManager.default.createDirectory(at: root, withIntermediateDirectories: true)
      defer { try? FileManager.default.removeItem(at: root) }
      for name: [UInt8] in [
        Array("b\u{1B}".utf8) + [0xFF] + Array("é.md".utf8), [0xC3] + Array(".swift".utf8),
      ] {
        let path = (Array(root.path.utf8) + [UInt8(ascii: "/")] + name).map(CChar.init(bitPattern:)) + [0]
        close(try #require(Optional(open(path, O_CREAT | O_WRONLY, 0o600)).flatMap { $0 < 0 ? nil : $0 }))
      }
      let folder =
        (Array(root.path.utf8) + Array("/f".utf8) + [0xE2, 0x82]).map(CChar.init(bitPattern:)) + [0]
      try #require(mkdir(folder, 0o700) == 0)
      try Data().write(to: root.appending(path: "a.md"))

      var walk = try FolderWalk(root)
      #expect(walk.next()?.path == "a.md")
      #expect(walk.next() == nil)
      #expect(walk.failures.map(\.path).sorted() == [#"b\u{1B}\xFFé.md"#, #"f\xE2\x82"#])
      #expect(walk.failures.allSatisfy { $0.reason == "has a name that isn't UTF-8" })
    }
  #endif

  @Test func aMissingFolderIsAnError() {
    #expect(throws: (any Error).self) { try FolderWalk(URL(filePath: "/nowhere")) }
  }

  @Test(
    arguments: [
      ("", "6c62272e07bb014262b821756295c58d"), ("a", "d228cb696f1a8caf78912b704e4a8964"),
      ("foobar", "343e1662793c64bf6f0d3597ba446f18"),
    ])
  func theDigestIsFNV1a(text: String, digest: String) {
    #expect(ContentDigest.text(of: Data(text.utf8)) == digest)
  }
}
