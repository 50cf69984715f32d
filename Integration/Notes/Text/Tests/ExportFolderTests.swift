import Foundation
import TenonTestSupport
import Testing

@testable import NotesText

@Suite(.limited) struct ExportFolderTests {
  /// Creates a folder `out` to export to, inside a folder that must not change.
  private func withFolder(_ body: (_ around: URL, _ folder: URL) async throws -> Void) async throws {
    let around = FileManager.default.temporaryDirectory.appending(path: "tenon-export-\(UUID())")
    defer { try? FileManager.default.removeItem(at: around) }
    let folder = around.appending(path: "out")
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    try await body(around, folder)
  }

  private func write(_ path: String, _ text: String = "text", in folder: ExportFolder) async throws {
    try await folder.write(path) { try Data(text.utf8).write(to: $0) }
  }

  private func contents(_ folder: URL) throws -> [String] {
    try FileManager.default.subpathsOfDirectory(atPath: folder.path).sorted()
  }

  @Test func onlyTheExportedFilesRemainInTheFolder() async throws {
    try await withFolder { around, url in
      do {
        let folder = try ExportFolder(url.appending(path: "new"))
        for path in ["a.md", "b/c/d.md", "b/c/d.md", "..hidden/e..md"] {
          try await write(path, path, in: folder)
        }
      }
      #expect(
        try contents(url.appending(path: "new")) == [
          "..hidden", "..hidden/e..md", "a.md", "b", "b/c", "b/c/d.md",
        ]
      )
      let text = try String(contentsOf: url.appending(path: "new/b/c/d.md"), encoding: .utf8)
      #expect(text == "b/c/d.md")
    }
  }

  @Test(
    arguments: [
      "../evil.md", "a/../../evil.md", "a/..", "..", ".", "./evil.md", "", "/", "//evil.md", "a//evil.md",
      "evil.md/",
      "a\0.md", "../\u{301}evil.md", "a/\u{301}/../../../evil.md",
    ])
  func aPathThatLeavesTheFolderIsRejected(path: String) async throws {
    try await withFolder { around, url in
      let folder = try ExportFolder(url)
      await #expect(throws: ExportError(reason: "isn't a path below the folder")) {
        try await write(path, in: folder)
      }
      await #expect(throws: ExportError.self) { try await write(around.path + "/evil.md", in: folder) }
      #expect(try contents(around).filter { $0.contains("evil") } == [])
    }
  }

  @Test func symbolicLinksAreNotFollowed() async throws {
    try await withFolder { around, url in
      let (kept, outside) = (around.appending(path: "kept.md"), around.appending(path: "outside"))
      try Data("kept".utf8).write(to: kept)
      try FileManager.default.createDirectory(at: outside, withIntermediateDirectories: true)
      try FileManager.default.createSymbolicLink(
        at: url.appending(path: "folder"), withDestinationURL: outside)
      try FileManager.default.createSymbolicLink(at: url.appending(path: "file.md"), withDestinationURL: kept)
      let folder = try ExportFolder(url)
      await #expect(throws: ExportError(reason: "leads through \"folder\", which isn't a folder")) {
        try await write("folder/evil.md", in: folder)
      }
      await #expect(throws: ExportError.self) { try await write("folder/sub/evil.md", in: folder) }
      try await write("file.md", "new", in: folder)
      #expect(try String(contentsOf: kept, encoding: .utf8) == "kept")
      #expect(try String(contentsOf: url.appending(path: "file.md"), encoding: .utf8) == "new")
      #expect(try contents(outside) == [])
    }
  }

  @Test func aFailedExportLeavesNothingBehind() async throws {
    struct Interrupted: Error {}
    try await withFolder { _, url in
      do {
        let folder = try ExportFolder(url)
        try await write("a.md", in: folder)
        await #expect(throws: ExportError(reason: "leads through \"a.md\", which isn't a folder")) {
          try await write("a.md/b.md", in: folder)
        }
        await #expect(throws: ExportError.self) {
          try await write(String(repeating: "x", count: 300), in: folder)
        }
        await #expect(throws: Interrupted.self) {
          try await folder.write("c.md") { file in
            try Data("half".utf8).write(to: file)
            throw Interrupted()
          }
        }
      }
      #expect(try contents(url) == ["a.md"])
    }
  }
}
