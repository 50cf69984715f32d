import Foundation
import Testing

@testable import NotesText

struct FolderWalkTests {
  @Test func filesComeInOrderWithoutHiddenOnesAndLinks() throws {
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
