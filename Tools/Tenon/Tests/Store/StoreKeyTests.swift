import Foundation
import TenonTestSupport
import Testing

@testable import TenonStore
@testable import TenonStoreEngine
@testable import tenon

/// `tenon store` with encrypted databases.
@Suite(.limited(of: .processes)) struct StoreKeyTests {
  private static let key: [UInt8] = Array(200..<232)
  private static let settings = StoreSettings(
    textIndexes: [TextIndex("notes", "title")], encryption: .key { try EncryptionKey(Self.key) })

  /// The bytes of a key in all forms that a file may have.
  private static let forms: [Data] = {
    let hexadecimal = key.map { "\($0 < 16 ? "0" : "")\(String($0, radix: 16))" }.joined()
    let base64 = Data(key).base64EncodedString()
    let url = base64.replacing("+", with: "-").replacing("/", with: "_").replacing("=", with: "")
    return [Data(key)]
      + [hexadecimal, hexadecimal.uppercased() + "\n", base64, " \(base64)\r\n", url + "\n"].map {
        Data($0.utf8)
      }
  }()

  private func notes() async throws -> StoreTool {
    let tool = try StoreTool()
    try await tool.write(
      ["notes/tea": ["title": "Green tea"], "notes/cup": ["title": "Cup"]], settings: Self.settings)
    return tool
  }

  private func keyFile(_ bytes: Data, _ tool: StoreTool) throws -> [String] {
    let file = tool.directory.appending(path: "key-\(UUID())")
    try bytes.write(to: file)
    return ["--key-file", file.path]
  }

  @Test func aKeyIsReadInEachForm() {
    for form in Self.forms { #expect(KeyFile.key(in: form) == Data(Self.key)) }
    let wrong = ["", "abc", String(repeating: "0", count: 63), String(repeating: "g", count: 64), "AAAA"]
    for text in wrong { #expect(KeyFile.key(in: Data(text.utf8)) == nil, "\(text)") }
    for count in [31, 33, 64, 1025] { #expect(KeyFile.key(in: Data(count: count)) == nil, "\(count)") }
  }

  @Test func everyCommandReadsAndWritesWithTheKey() async throws {
    let tool = try await notes()
    defer { tool.remove() }
    let key = try keyFile(Self.forms[4], tool)
    let before = try tool.files()
    #expect(try await tool.run("info", ["--json"] + key)["hasChecksums"] as? Bool == true)
    #expect(try await tool.run("get", ["notes/tea", "--json"] + key)["name"] as? String == "notes/tea")
    let query = try await tool.run("query", ["notes", "--where", "title == Cup", "--json"] + key)
    #expect(query.lines.count == 1 && query.output.contains("notes/cup"), "\(query)")
    #expect(try await tool.run("explain", ["notes", "--where", "title == Cup"] + key).status == 0)
    #expect(try await tool.run("export", key).lines.count == 2)
    let check = try await tool.run("check", key)
    #expect(check.status == 0 && check.output.contains("2 documents"), "\(check)")
    #expect(try await tool.run("queue", key).status == 0)
    #expect(try tool.files() == before)
    let line = #"{"name": "notes/jug", "fields": {"title": {"stringValue": "Jug"}}}"#
    let imported = try await tool.run("import", key, input: line)
    #expect(imported.status == 0, "\(imported)")
    #expect(try await tool.run("export", key).lines.count == 3)
    let file = try Data(contentsOf: URL(filePath: tool.file))
    #expect(file.starts(with: Data("Tenon encrypted".utf8)) && file.range(of: Data("Jug".utf8)) == nil)
  }

  /// Another process has the database open, and its newest documents are in the log.
  @Test func aDatabaseThatIsOpenIsReadWithItsKey() async throws {
    let tool = try StoreTool()
    defer { tool.remove() }
    let store = tool.store(settings: Self.settings)
    try await store.document("notes/tea").setData(["title": "Green tea"])
    let key = try keyFile(Self.forms[0], tool)
    #expect(try await tool.run("export", key).lines.count == 1)
    // The files of a process that was killed.
    let copy = tool.directory.appending(path: "killed").path
    for ending in ["", "-wal", "-walmark"] {
      try FileManager.default.copyItem(atPath: tool.file + ending, toPath: copy + ending)
    }
    #expect(try await tool.run("export", key, file: copy).lines.count == 1)
    await store.engine.close()
  }

  @Test func aMissingOrWrongKeyIsASentenceAndChangesNothing() async throws {
    let tool = try await notes()
    defer { tool.remove() }
    let plain = tool.directory.appending(path: "plain.sqlite").path
    do { _ = try StoreFile(path: plain).open() }
    let right = try keyFile(Self.forms[0], tool)
    let cases: [(file: String, arguments: [String], message: String)] = [
      (
        tool.file, [],
        "is encrypted, and can't be looked into without its key. Name the file with its key with --key-file"
      ),
      (tool.file, try keyFile(Data(count: 32), tool), "is encrypted with another key than the given one"),
      (
        tool.file, try keyFile(Data("secret".utf8), tool),
        "has 6 bytes, and no key: a key is a file of 32 bytes"
      ),
      (tool.file, try keyFile(Data(count: 5000), tool), "has more than 1024 bytes, and no key"),
      (tool.file, ["--key-file", "gone"], "There is no file gone. --key-file names"),
      (tool.file, ["--key-file", tool.directory.path], "\(tool.directory.path) can't be read"),
      (plain, right, "isn't encrypted, but a key was given"),
    ]
    let before = try tool.files()
    for (file, arguments, message) in cases {
      for words in [["info"], ["check"], ["import"], ["queue", "--cancel", UUID().uuidString]] {
        let result = try await tool.run(words[0], Array(words.dropFirst()) + arguments, file: file)
        #expect(result.status == 1 && result.errors.contains(message), "\(words) \(arguments): \(result)")
        #expect(!result.errors.contains("secret") && result.output.isEmpty)
      }
    }
    #expect(try tool.files() == before)
  }
}
