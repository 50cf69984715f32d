import ArgumentParser
import Foundation
import TenonProcesses
import TenonTestSupport
import Testing

@testable import tenon

@Suite(.limited) struct TenonCommandTests {
  @Test func theHelpOfEveryCommandHasExamplesOfIt() {
    let commands = Self.leaves(of: TenonCommand.self, path: "tenon")
    #expect(commands.count == 18)
    for (path, command) in commands {
      let help = TenonCommand.helpMessage(for: command)
      let examples = help.text(after: "EXAMPLES")
      #expect(examples?.contains(path) == true, "\(path)")
    }
  }

  @Test func everyCommandForAPackageTakesItsFolderAsSwiftPMDoes() {
    for (path, command) in Self.leaves(of: TenonCommand.self, path: "tenon") {
      let help = TenonCommand.helpMessage(for: command)
      let others = ["tenon check", "tenon store ", "tenon rules ", "tenon serve"]
      let isForPackages = !others.contains { path.hasPrefix($0) }
      #expect(help.contains("--package-path <path>") == isForPackages, "\(path)")
    }
  }

  @Test(
    arguments: [
      (["lint"], "/tenon-lint-"), (["new", "interop", "Mail"], "/tenon-lint-"),
      (["doctor"], "the project is in-the-folder"),
    ])
  func theFolderOfThePackageIsUsed(arguments: [String], expected: String) throws {
    let options = #"{"projectID": "in-the-folder", "backend": "embedded"}"#
    let folder = try LintFixture.folder(["tenon.json": options])
    defer { try? FileManager.default.removeItem(at: folder) }
    let process = Process()
    process.executableURL = Bundle.main.bundleURL.appending(path: "tenon")
    process.arguments = arguments + ["--package-path", folder.path]
    process.currentDirectoryURL = FileManager.default.temporaryDirectory
    // Options of the environment precede those of a file.
    process.environment = ProcessInfo.processInfo.environment.filter {
      !$0.key.hasPrefix("TENON_") && !$0.key.contains("PROJECT")
    }
    let output = Pipe.exclusive
    (process.standardOutput, process.standardError) = (output, output)
    try process.start()
    let text = String(decoding: output.fileHandleForReading.readDataToEndOfFile(), as: UTF8.self)
    process.waitUntilExit()
    #expect(text.contains(expected), "\(text)")
  }

  /// Otherwise, `doctor` would find no problem in a folder whose name is misspelled.
  @Test(
    arguments: [["lint"], ["new", "interop", "Mail"], ["doctor"], ["graph", "--product", "Notes"]],
    ["/nowhere", #filePath])
  func aPackagePathThatIsNoFolderIsAWrongArgument(arguments: [String], path: String) throws {
    let error = try #require(throws: (any Error).self) {
      try TenonCommand.parseAsRoot(arguments + ["--package-path", path])
    }
    #expect(TenonCommand.exitCode(for: error).rawValue == 64)
    let message = TenonCommand.message(for: error)
    #expect(message == "There is no folder \(path). Name that of a package with --package-path.")
  }

  @Test func theHelpStatesTheExitCodes() {
    let help = TenonCommand.helpMessage()
    for code in ["EXIT CODES", "0  ", "1  ", "64  "] { #expect(help.contains(code), "\(code)") }
  }

  @Test(arguments: [CompletionShell.bash, .zsh, .fish])
  func completionScriptsNameEveryCommand(shell: CompletionShell) {
    let script = TenonCommand.completionScript(for: shell)
    for name in [
      "check", "graph", "lint", "new", "rules", "store", "doctor", "serve", "interop", "product", "export",
    ] {
      #expect(script.contains(name), "\(name)")
    }
  }

  /// Returns the commands that run something, with the words that call them.
  private static func leaves(
    of command: any ParsableCommand.Type, path: String
  ) -> [(path: String, command: any ParsableCommand.Type)] {
    let children = command.configuration.subcommands
    guard !children.isEmpty else { return [(path, command)] }
    return children.flatMap { leaves(of: $0, path: "\(path) \($0.configuration.commandName ?? "")") }
  }
}

extension String {
  /// Returns the text after a heading, if there is one.
  fileprivate func text(after heading: String) -> Substring? {
    range(of: heading).map { self[$0.upperBound...] }
  }
}
