import Foundation
import TenonCore
import TenonEmbedded
import TenonSQLite
import TenonStore
import TenonTestSupport
import TenonTesting
import Testing

/// The example app, run as its users run it.
@Suite(.limited) struct NotesTests {
  private static let sample = packageRoot.appending(path: "Integration/Notes/Sample")

  /// The executable with a directory for its notes.
  private struct Installation {
    let directory: URL
    private let executable = Executable("Notes")

    var environment: [String: String] {
      ["NOTES_HOME": directory.appending(path: "data").path, "NO_COLOR": "1"]
    }

    @discardableResult
    func run(_ arguments: String..., status: Int32 = 0) async throws -> Executable.Result {
      let result = try await executable.run(arguments, environment: environment)
      #expect(result.status == status, "\(arguments): \(result.output) \(result.errors)")
      return result
    }

    /// The number of objects in Storage.
    func objectCount() throws -> Int64? {
      let database = directory.appending(path: "data/backend/backend.sqlite").path
      return try Connection.open(database).first("SELECT count(*) FROM objects") { $0.integer(0) }
    }

    func start(_ arguments: String...) throws -> RunningExecutable {
      try executable.start(arguments, environment: environment)
    }

    /// Locks Storage's database: until the lock is released, an import waits at its next attachment.
    func lockObjects() throws -> Connection {
      let connection = try Connection.open(directory.appending(path: "data/backend/backend.sqlite").path)
      try connection.execute("BEGIN IMMEDIATE")
      return connection
    }
  }

  private func withNotes(_ body: (Installation) async throws -> Void) async throws {
    try await withTemporaryDirectory { try await body(Installation(directory: $0)) }
  }

  /// A folder of 300 notes, with an attachment behind the 240th: an import commits two batches before it
  /// reaches the attachment.
  private func makeFolderWithAttachment(_ folder: URL) throws {
    try makeFolder(folder, count: 300)
    try Data([1]).write(to: folder.appending(path: "part8/attachment.png"))
  }

  /// Creates many notes in ten folders.
  private func makeFolder(_ folder: URL, count: Int) throws {
    for number in 0..<count {
      let file = folder.appending(path: "part\(number % 10)/note\(number).md")
      try FileManager.default.createDirectory(
        at: file.deletingLastPathComponent(),
        withIntermediateDirectories: true
      )
      try Data("# Note \(number)\n\n\(String(repeating: "word ", count: 50))".utf8).write(to: file)
    }
  }

  @Test func theSampleIsImportedAndExportedByteForByte() async throws {
    try await withNotes { notes in
      let first = try await notes.run("import", Self.sample.path)
      #expect(first.output.hasPrefix("imported 9, unchanged 0, attachments 2, removed 0, failed 0"))
      let second = try await notes.run("import", Self.sample.path)
      #expect(second.output.hasPrefix("imported 0, unchanged 9, attachments 0, removed 0, failed 0"))
      let copy = notes.directory.appending(path: "copy")
      #expect(try await notes.run("export", copy.path).output == "exported 9 notes and 2 attachments\n")
      let diff = try await Executable(path: "/usr/bin/env").run(["diff", "-r", Self.sample.path, copy.path])
      #expect(diff.status == 0 && diff.output.isEmpty, "\(diff.output)")
    }
  }

  @Test func notesAreListedFoundAndShown() async throws {
    try await withNotes { notes in
      try await notes.run("import", Self.sample.path)
      #expect(try await notes.run("list").lines.count == 9)
      #expect(
        try await notes.run("list", "--tag", "hot").lines.map { $0.prefix { $0 != " " } } == [
          "recipes/Coffee.md", "recipes/Tea.md",
        ]
      )
      let found = try await notes.run("search", "WATER", "tea")
      #expect(found.lines.first == "recipes/Tea.md  Green tea")
      #expect(try await notes.run("search", "--json", "sparrow").output.contains(#""path":"travel/Ulm.md""#))
      let phrase = try await notes.run("search", "--json", "\"green tea\"").output
      #expect(phrase.contains(#""path":"recipes/Tea.md""#), "\(phrase)")
      #expect(
        try await notes.run("search", "wat*", "NOT", "tea", "NOT", "coffee").lines.count(where: {
          $0.hasPrefix("recipes/")
        }) == 1)
      #expect(
        try await notes.run("search", "--limit", "1", "tea", "OR", "coffee").lines.count(where: {
          $0.contains(".md ")
        }) == 1)
      #expect(try await notes.run("search", "nowhere").errors == "no note contains nowhere\n")
      #expect(try await notes.run("search", "--limit", "0", "tea", status: 64).errors.contains("--limit 0"))
      for name in ["travel/Ulm.md", "travel/U", "Ulm"] {
        let text = try await notes.run("show", name).output
        #expect(try text == String(contentsOf: Self.sample.appending(path: "travel/Ulm.md"), encoding: .utf8))
      }
      #expect(try await notes.run("show", "recipes", status: 1).errors.contains("matches "))
      #expect(
        try await notes.run("show", "nothing", status: 1).errors.contains("There is no note \"nothing\"")
      )
      #expect(
        try await notes.run("import", "/nowhere", status: 1).errors.contains("/nowhere isn't a folder")
      )
    }
  }

  @Test func frontMatterIsKeptButIsNoExcerpt() async throws {
    try await withNotes { notes in
      let folder = notes.directory.appending(path: "folder")
      try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
      let text = "---\r\ntitle: Oolong\r\norigin: Formosa\r\n---\r\nAn oolong tea.\r\n"
      try Data(text.utf8).write(to: folder.appending(path: "tea.md"))
      try await notes.run("import", folder.path)
      let found = try await notes.run("search", "--json", "oolong").output
      #expect(found.contains("An **oolong** tea") && !found.contains("title:"), "\(found)")
      #expect(try await notes.run("search", "formosa").errors == "no note contains formosa\n")
      #expect(try await notes.run("show", "tea").output == text)
      let copy = notes.directory.appending(path: "copy")
      try await notes.run("export", copy.path)
      #expect(try Data(contentsOf: copy.appending(path: "tea.md")) == Data(text.utf8))
    }
  }

  @Test(arguments: [("serch", "Did you mean search?"), ("nonsense", "Notes --help lists all of them.")])
  func aCommandThatDoesNotExistIsNamed(word: String, expected: String) async throws {
    try await withNotes { notes in
      let errors = try await notes.run(word, "tea", status: 64).errors
      #expect(errors.hasPrefix("Error: There is no command \"\(word)\".") && errors.contains(expected))
    }
  }

  @Test func aFolderThatCannotBeMadeIsASentence() async throws {
    try await withNotes { notes in
      let file = notes.directory.appending(path: "file")
      try Data().write(to: file)
      for path in [file.path, file.appending(path: "below").path] {
        let errors = try await notes.run("export", path, status: 1).errors
        #expect(errors.hasPrefix("Error: \(path) can't be created: "), "\(errors)")
        #expect(!errors.contains("NSCocoa") && errors.count { $0 == "\n" } == 1, "\(errors)")
      }
    }
  }

  @Test func aFunctionComputesStatisticsAndTheGraphShowsEveryProduct() async throws {
    try await withNotes { notes in
      try await notes.run("import", Self.sample.path)
      let statistics = try await notes.run("stats").lines
      #expect(statistics.prefix(2) == ["notes: 9", "attachments: 2"])
      #expect(statistics.contains("  #hot: 2"))
      let json = try await notes.run("graph", "--format", "json").output
      let graph = try JSONDecoder().decode(ComponentGraph.self, from: Data(json.utf8))
      #expect(
        graph.libraries.map(\.name) == [
          "tenon-auth", "tenon-embedded", "tenon-functions", "tenon-storage", "tenon-store",
          "tenon-store-sync",
        ]
      )
      let needs = graph.components.first { $0.library == "tenon-functions" }?.needs ?? []
      #expect(needs.map { "\($0.name): \($0.isPresent)" }.contains("any AuthInterop: true"))
      #expect(needs.map { "\($0.name): \($0.isPresent)" }.contains("any AppCheckInterop: false"))
    }
  }

  @Test func invalidFilesAreNamedAndTheOthersImported() async throws {
    try await withNotes { notes in
      let folder = notes.directory.appending(path: "folder")
      try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
      try Data([0x66, 0xFF]).write(to: folder.appending(path: "latin.md"))
      try Data("---\ntitle: [open\n---\n".utf8).write(to: folder.appending(path: "yaml.md"))
      try Data("# Fine".utf8).write(to: folder.appending(path: "fine.md"))
      // A note that is too large for a document.
      let large = Data("# Large\n".utf8) + Data(repeating: UInt8(ascii: "x"), count: 2 << 20)
      try large.write(to: folder.appending(path: "large.md"))
      // A path that is too long for a document's ID.
      let deep = folder.appending(
        path: Array(repeating: String(repeating: "x", count: 200), count: 8).joined(separator: "/"))
      try FileManager.default.createDirectory(at: deep, withIntermediateDirectories: true)
      try Data("# Deep".utf8).write(to: deep.appending(path: "deep.md"))
      try Data([1]).write(to: folder.appending(path: "dot.png"))
      let result = try await notes.run("import", folder.path, status: 2)
      #expect(result.output.hasPrefix("imported 2, unchanged 0, attachments 1, removed 0, failed 3"))
      #expect(result.errors.contains("longer than 1,500 bytes"))
      #expect(result.errors.contains("failed: latin.md: line 1 isn't valid UTF-8"))
      #expect(result.errors.contains("failed: yaml.md: line"))
      let found = try await notes.run("search", "large")
      #expect(found.lines.first == "large.md  Large")
      #expect(found.errors == "large.md: only the title and the tags are searched; the text is in Storage\n")
      let shown = try await notes.run("show", "large.md").output
      #expect(Data(shown.utf8) == large)

      #expect(try notes.objectCount() == 2)
      try FileManager.default.removeItem(at: folder.appending(path: "large.md"))
      try FileManager.default.removeItem(at: folder.appending(path: "dot.png"))
      #expect(try await notes.run("import", "--prune", folder.path, status: 2).output.contains("removed 2"))
      #expect(try notes.objectCount() == 0)
      #expect(try await notes.run("list").lines == ["fine.md  Fine"])
    }
  }

  @Test func aKilledImportLosesNothingAndCanBeContinued() async throws {
    try await withNotes { notes in
      let folder = notes.directory.appending(path: "folder")
      try makeFolderWithAttachment(folder)
      let watcher = try notes.start("watch")
      _ = await watcher.errors { $0.contains("watching") }
      // The import must still be in progress when the other process has reported the first notes.
      let lock = try notes.lockObjects()
      let killed = try notes.start("import", folder.path)
      // Another process has seen two commits, so they are acknowledged.
      let seen = try #require(await watcher.output { $0.split(separator: "\n").count >= 200 })
      killed.signal(SIGKILL)
      #expect(await killed.result().status == -SIGKILL)
      try lock.execute("ROLLBACK")
      let kept = try await notes.run("list").lines.map { $0.prefix { $0 != " " } }
      for line in seen.split(separator: "\n") where line.hasPrefix("added ") {
        #expect(kept.contains(line.dropFirst("added ".count)), "\(line)")
      }
      #expect(kept.count < 300)
      let rest = try await notes.run("import", folder.path)
      #expect(
        rest.output.hasPrefix(
          "imported \(300 - kept.count), unchanged \(kept.count), attachments 1, removed 0, failed 0"))
      #expect(try await notes.run("list").lines.count == 300)
      watcher.signal(SIGINT)
      #expect(await watcher.result().status == 0)
    }
  }

  /// On Linux, names are bytes. Other systems reject these.
  #if os(Linux)
    @Test func aFileWithANonUTF8NameIsReportedAsFailed() async throws {
      try await withNotes { notes in
        let folder = notes.directory.appending(path: "folder")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        try Data("# Fine".utf8).write(to: folder.appending(path: "fine.md"))
        let path = (Array(folder.path.utf8) + Array("/caf".utf8) + [0xE9] + Array(".md".utf8)).map(
          CChar.init(bitPattern:))
        close(open(path + [0], O_CREAT | O_WRONLY, 0o600))
        let result = try await notes.run("import", folder.path, status: 2)
        #expect(result.output.hasPrefix("imported 1, unchanged 0, attachments 0, removed 0, failed 1"))
        #expect(result.errors == "failed: caf\\xE9.md: has a name that isn't UTF-8\n")
      }
    }

    @Test func progressOnATerminalShowsATotal() async throws {
      try await withNotes { notes in
        let command = "'\(Executable("Notes").url.path)' import '\(Self.sample.path)'"
        // `script` runs a command on a separate terminal.
        let result = try await Executable(path: "/usr/bin/env").run(
          ["script", "-qec", command, "/dev/null"], environment: notes.environment)
        #expect(result.output.contains("0 of 11 files"))
        #expect(result.output.contains("imported 9, unchanged 0, attachments 2"))
      }
    }
  #endif

  @Test func helpStatesThatHiddenFoldersAreSkipped() async throws {
    try await withNotes { notes in
      for command in [["--help"], ["import", "--help"]] {
        let help = try await Executable("Notes").run(command, environment: notes.environment).output
          .lowercased()
        let words = help.split(whereSeparator: \.isWhitespace).joined(separator: " ")
        #expect(words.contains("hidden files and folders"))
      }
    }
  }

  @Test func titlesAndNamesArePrintedWithoutControlCharacters() async throws {
    try await withNotes { notes in
      let folder = notes.directory.appending(path: "folder")
      try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
      try Data("# \u{1B}[31mred\u{9B}2J\u{202E}\u{7}\n\u{1B}]0;word\u{7}".utf8).write(
        to: folder.appending(path: "a\u{1B}[2J\n\u{202E}.md"))
      try Data("---\ntags: [\"\\e[1m\"]\ntitle: [\n---\n".utf8).write(
        to: folder.appending(path: "bad\u{1B}\n.md"))
      try Data("---\ntags: [\"\\e[1mtag\"]\n---\nword".utf8).write(to: folder.appending(path: "tag.md"))
      let failed = try await notes.run("import", folder.path, status: 2)
      let printed = try await [
        failed, notes.run("list"), notes.run("list", "--json"), notes.run("search", "word"),
        notes.run("search", "--json", "word"), notes.run("search", "\u{1B}none"), notes.run("stats"),
        notes.run("show", "\u{1B}", status: 1), notes.run("show", "--json", "a"),
      ]
      for result in printed {
        let unwanted = (result.output + result.errors).unicodeScalars.filter {
          $0 != "\n" && ($0.properties.generalCategory == .control || $0.properties.isBidiControl)
        }
        #expect(unwanted.isEmpty, "\(result)")
      }
      #expect(failed.errors.hasPrefix("failed: bad\\u{1B}\\u{A}.md: line"))
      #expect(
        printed[1].lines.contains("a\\u{1B}[2J\\u{A}\\u{202E}.md  \\u{1B}[31mred\\u{9B}2J\\u{202E}\\u{7}"))
      #expect(printed[1].lines.contains("tag.md  tag #\\u{1B}[1mtag"))
      // Programs receive the data unchanged.
      struct Item: Decodable { let path: String }
      let items = try printed[2].lines.map { try JSONDecoder().decode(Item.self, from: Data($0.utf8)) }
      #expect(items.map(\.path) == ["a\u{1B}[2J\n\u{202E}.md", "tag.md"])
    }
  }

  @Test func exportWritesNothingOutsideItsFolder() async throws {
    try await withNotes { notes in
      try await notes.run("import", Self.sample.path)
      let out = notes.directory.appending(path: "copy")
      try FileManager.default.createDirectory(at: out, withIntermediateDirectories: true)
      try FileManager.default.createSymbolicLink(
        at: out.appending(path: "link"), withDestinationURL: notes.directory)
      // Another device of the same backend writes what an import never would.
      let app = try App.configure(
        name: "device-\(UUID())",
        options: AppOptions(
          projectID: "notes", backend: .embedded(directory: notes.environment["NOTES_HOME"]),
          data: .directory(notes.directory.appending(path: "device").path)))
      let paths = ["../evil.md", notes.directory.path + "/evil.md", "a/../../evil.md", "link/evil.md", ""]
      do {
        let store = try Store.store(app: app)
        for (number, path) in paths.enumerated() {
          var fields: Fields = ["path": .string(path), "title": "t", "tags": [], "headings": [], "links": []]
          for (name, value) in ["text": Value.string("evil"), "size": 4, "words": 1, "digest": "d"] {
            fields[name] = value
          }
          try await store.document("notes/evil\(number)").setData(fields).confirmed()
        }
        await app.delete()
      } catch {
        await app.delete()
        throw error
      }
      let result = try await notes.run("export", out.path, status: 2)
      #expect(result.output == "exported 9 notes and 2 attachments, failed 5\n")
      #expect(result.errors.contains("failed: ../evil.md: isn't a path below the folder\n"))
      #expect(result.errors.contains("failed: link/evil.md: leads through \"link\", which isn't a folder\n"))
      let files = try FileManager.default.subpathsOfDirectory(atPath: notes.directory.path)
      #expect(files.filter { $0.contains("evil") } == [])
    }
  }

  @Test func afterCtrlCOneLineReportsWhatWasImported() async throws {
    try await withNotes { notes in
      let folder = notes.directory.appending(path: "folder")
      try makeFolderWithAttachment(folder)
      let watcher = try notes.start("watch")
      _ = await watcher.errors { $0.contains("watching") }
      let lock = try notes.lockObjects()
      let interrupted = try notes.start("import", folder.path)
      _ = try #require(await watcher.output { $0.contains("added") })
      interrupted.signal(SIGINT)
      // The import waits at the attachment, which is the last file that it processes.
      try await eventually { try !interrupted.ignores(SIGINT) }
      try lock.execute("ROLLBACK")
      let result = await interrupted.result()
      #expect(result.status == 130)
      #expect(result.output == "")
      let line = try #require(
        result.errors.wholeMatch(
          of:
            /interrupted after (\d+) of 301 files: kept (\d+) imported notes and ([01]) attachments, removed 0\. .*\n/
        ))
      let (done, imported, attachments) = (Int(line.1) ?? -1, Int(line.2) ?? -1, Int(line.3) ?? -1)
      #expect(done == imported + attachments && done < 301)
      let kept = try await notes.run("list").lines.count
      #expect(kept == imported)
      let rest = try await notes.run("import", folder.path)
      #expect(
        rest.output.hasPrefix(
          "imported \(300 - kept), unchanged \(kept), attachments \(1 - attachments), removed 0, failed 0"))
      watcher.signal(SIGINT)
      #expect(await watcher.result().status == 0)
    }
  }

  @Test func watchReportsTheChangesOfAnotherProcess() async throws {
    try await withNotes { notes in
      let folder = notes.directory.appending(path: "folder")
      try makeFolder(folder, count: 2)
      try await notes.run("import", folder.path)
      let watcher = try notes.start("watch")
      _ = await watcher.errors { $0.contains("watching 2 notes") }
      try Data("# New".utf8).write(to: folder.appending(path: "new.md"))
      try await notes.run("import", folder.path)
      #expect(await watcher.output { $0.contains("added new.md") } != nil)
      try Data("# Newer".utf8).write(to: folder.appending(path: "new.md"))
      try await notes.run("import", folder.path)
      #expect(await watcher.output { $0.contains("modified new.md") } != nil)
      try FileManager.default.removeItem(at: folder.appending(path: "new.md"))
      try await notes.run("import", "--prune", folder.path)
      #expect(await watcher.output { $0.contains("removed new.md") } != nil)
      watcher.signal(SIGINT)
      #expect(await watcher.result().status == 0)
    }
  }
}
