import Foundation
import TenonTestSupport
import Testing

/// The commands that the documentation shows work: each is run here, or somewhere that ``elsewhere`` names.
/// All of them have only options that exist, also those in a sentence.
@Suite(.limited(of: .processes)) struct ShellBlockTests {
  /// The programs of this package that read their arguments with ArgumentParser.
  private static let programs = [
    "tenon", "Notes", "tenon-server", "stress", "tenon-matrix", "tenon-bench",
  ]

  /// What isn't run here: the beginnings of commands, with where they run. A file is read, and must contain
  /// the text.
  private static let elsewhere: [(command: String, file: String, text: String)] = [
    ("swift build --target", ".ci/run", "swift build --build-tests"),
    ("swift build", ".ci/run", "swift build --build-tests"),
    ("swift test", ".ci/run", "swift test 2>&1"),
    ("swift format lint", ".ci/run", "swift format lint --strict --recursive"),
    ("Tools/bootstrap", ".ci/run", "\nTools/bootstrap\n"),
    ("Tools/build-docs", ".ci/run", "\nTools/build-docs\n"),
    ("Tools/PlantedBugs/planted-bugs", ".ci/run", "planted-bugs --check"),
    ("Integration/SecondOpinions/prepare", ".ci/run", "\nIntegration/SecondOpinions/prepare\n"),
    ("tenon-bench", ".ci/run", ".build/release/tenon-bench"),
    // Servers and what waits for them.
    ("tenon-server", "Integration/Tests/NotesSyncTests.swift", "tenon-server"),
    ("Notes watch", "Integration/Tests/NotesSyncTests.swift", "\"watch\""),
    ("Notes add", "Integration/Tests/NotesSyncTests.swift", "\"add\""),
    (
      ".build-venv/bin/python", "Integration/Tests/SecondOpinions/FirebaseAdminTests.swift", "create_user"
    ),
  ]

  private static let pages: [Page] = {
    let all = (try? Page.all(root: packageRoot)) ?? []
    let files =
      ["CONTRIBUTING.md", "SECURITY.md"].map { packageRoot.appending(path: $0) }
      + ["Integration", "Tools"].flatMap {
        (try? Page.files(in: packageRoot.appending(path: $0), named: ".md")) ?? []
      }
    return all
      + files.compactMap { file in
        let path = String(file.path.dropFirst(packageRoot.path.count).drop { $0 == "/" })
        return (try? String(contentsOf: file, encoding: .utf8)).map { Page(url: file, path: path, text: $0) }
      }
  }()

  /// The commands of all blocks.
  private static let blocks: [(page: String, commands: [ShellCommand])] = pages.flatMap { page in
    page.fences.filter { $0.language == "sh" }.map { fence in
      (page.path, ShellCommand.commands(in: fence.text) { "\(page.path):\(fence.line + 1 + $0)" })
    }
  }

  /// The commands of this package's programs that sentences mention.
  private static let mentions: [ShellCommand] = pages.flatMap { page in
    page.text.split(separator: "\n", omittingEmptySubsequences: false).enumerated().flatMap { index, line in
      line.matches(of: /`([^`]+)`/).flatMap { code in
        ShellCommand.commands(in: String(code.1)) { _ in "\(page.path):\(index + 1)" }
      }
    }
  }.filter { command in
    // What isn't complete isn't a command: `tenon check`, a path, or what has a place for something.
    programs.contains(command.program) && command.arguments.contains { $0.hasPrefix("--") }
      && !command.text.contains("…")
  }

  @Test func theBlocksAreFound() {
    #expect(Self.blocks.count >= 10 && Self.mentions.count >= 8)
    #expect(Set(Self.blocks.map(\.page)).isSuperset(of: ["README.md", "CONTRIBUTING.md"]))
  }

  @Test func everyOptionExists() async throws {
    let commands = Self.blocks.flatMap(\.commands) + Self.mentions
    for name in Self.programs {
      let program = Executable(name)
      // Benchmarks are only built by a deep run.
      guard FileManager.default.fileExists(atPath: program.url.path) else { continue }
      let help = try await CommandLineHelp(of: program)
      for command in commands where command.program == name {
        let problem = help.problem(of: command.arguments)
        #expect(problem == nil, "\(command.place): \(command.text): \(problem ?? "")")
      }
    }
    for command in commands where command.program.contains("/") && !command.program.hasPrefix(".build") {
      let script = packageRoot.appending(path: command.program)
      let text = try? String(contentsOf: script, encoding: .utf8)
      #expect(FileManager.default.isExecutableFile(atPath: script.path), "\(command.place): \(command.text)")
      for option in command.arguments where option.hasPrefix("--") {
        #expect(text?.contains(option) == true, "\(command.place): \(command.program) has no \(option)")
      }
    }
  }

  @Test(arguments: ["build", "test", "format lint"]) func everyOptionOfSwiftExists(name: String) async throws
  {
    let words = name.split(separator: " ").map(String.init)
    let help = try await Executable(path: "/usr/bin/env").run(["swift"] + words + ["--help"])
    for command in Self.blocks.flatMap(\.commands)
    where command.program == "swift" && command.arguments.starts(with: words) {
      for option in command.arguments where option.hasPrefix("-") {
        #expect(
          (help.output + help.errors).contains(option), "\(command.place): swift \(name) has no \(option)")
      }
    }
  }

  @Test func whatRunsElsewhereDoes() throws {
    for entry in Self.elsewhere {
      let text = try String(contentsOf: packageRoot.appending(path: entry.file), encoding: .utf8)
      #expect(text.contains(entry.text), "\(entry.file) doesn't run \(entry.command).")
      let isShown = Self.blocks.flatMap(\.commands).contains { Self.runs(entry.command, $0) }
      #expect(isShown || entry.command.contains("build"), "No block shows \(entry.command).")
    }
  }

  private static func runs(_ beginning: String, _ command: ShellCommand) -> Bool {
    ([command.program] + command.arguments).joined(separator: " ").hasPrefix(beginning)
  }

  /// Runs everything else: in a folder with the programs in `.build/debug`, beside an empty package.
  @Test func everyOtherCommandOfABlockRuns() async throws {
    try await withTemporaryDirectory { directory in
      let clone = directory.appending(path: "tenon")
      for folder in ["tenon/.build", "weather"] {
        try FileManager.default.createDirectory(
          at: directory.appending(path: folder), withIntermediateDirectories: true)
      }
      try FileManager.default.createSymbolicLink(
        at: clone.appending(path: ".build/debug"), withDestinationURL: Executable.buildDirectory)
      try FileManager.default.createSymbolicLink(
        at: clone.appending(path: "Integration"),
        withDestinationURL: packageRoot.appending(path: "Integration"))
      // As `swift package init --type empty` and the article on the first steps write it.
      let manifest = """
        // swift-tools-version: 6.3
        import PackageDescription

        let package = Package(
            name: "weather",
            dependencies: [.package(name: "tenon", path: "\(packageRoot.path)")],
            swiftLanguageModes: [.v6]
        )

        """
      try Data(manifest.utf8).write(to: directory.appending(path: "weather/Package.swift"))
      var count = 0
      for command in Self.blocks.flatMap(\.commands)
      where !Self.elsewhere.contains(where: { Self.runs($0.command, command) }) {
        try #require(Self.programs.contains(command.program), "\(command.place): Say where it runs.")
        // It only reads, and needs all sources.
        let folder = command.arguments == ["lint"] ? packageRoot : clone
        let result = try await Executable(command.program).run(
          command.arguments, environment: ["NOTES_HOME": directory.appending(path: "notes").path], in: folder)
        #expect(result.status == 0, "\(command.place): \(command.text)\n\(result.output)\n\(result.errors)")
        count += 1
      }
      #expect(count >= 5)
    }
  }

  // MARK: - Reading commands

  @Test func commandsAreReadAsAShellReadsThem() {
    let text = """
      A=1 swift run -c release tenon graph 'a b' --x "c" && Tools/b   # comment
      .build/release/Notes list &
      python -c '
      two lines'
      """
    let commands = ShellCommand.commands(in: text) { "\($0)" }
    #expect(commands.map(\.program) == ["tenon", "Tools/b", "Notes", "python"])
    #expect(
      commands.map(\.arguments) == [["graph", "a b", "--x", "c"], [], ["list"], ["-c", "\ntwo lines"]])
    #expect(commands.map(\.place) == ["0", "0", "1", "2"])
  }

  /// Proves that mistakes are found.
  @Test(
    arguments: [
      ("new product Weather --package ../weather", "has no option --package"), ("paint", "paint"),
      ("new product Weather Auth", "Auth"), ("lint --package-path", "no value"),
      ("new product Weather --needs=Auth --package-path ../weather", nil), ("graph --help", nil),
    ] as [(String, String?)])
  func whatTheCommandLineRefusesIsFound(text: String, expected: String?) async throws {
    let help = try await CommandLineHelp(of: Executable("tenon"))
    let problem = help.problem(of: text.split(separator: " ").map(String.init))
    #expect(expected.map { problem?.contains($0) == true } ?? (problem == nil), "\(problem ?? "")")
  }
}
