import ArgumentParser
import Foundation

/// `tenon check`: validates what is linked into programs, before their `main` runs.
struct CheckCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "check",
    abstract: "Checks the components that are linked into a program, without running it.",
    discussion: """
      Starts each program so far that its libraries have registered, validates them as App.configure would, and ends it before \
      its main function. No app is configured and no component is created. Every problem is printed with its repairs and, if a \
      declaration is at fault, with its file and line.

      Options are checked if they are known before main: those of tenon.json and of the other files and variables that \
      App.configure reads without options. If an app activates only some of the linked libraries, name them with --libraries.

      With --at-configure, and always on other systems than Linux, each program runs until its first App.configure, which \
      validates everything that the program passes to it, and ends the program: options, libraries, sources and components.

      EXAMPLES
        tenon check .build/debug/MyServer
        tenon check .build/debug                    every program in a build folder
        tenon check --at-configure .build/debug/App with the options and components that it passes
        tenon check --sarif .build/debug > check.sarif

      Exit codes: 0 everything is valid, 1 there are problems or a program couldn't be checked, 64 wrong arguments. Warnings \
      don't count, except with --strict.
      """)

  @Argument(
    help: "An executable that links TenonCore, or a folder, in which every such executable is checked.",
    completion: .file())
  var executable: [String]

  @Option(
    help: ArgumentHelp(
      "The libraries that the app activates, separated by commas; all that are linked by default.",
      valueName: "names"))
  var libraries: String?

  @Option(help: ArgumentHelp("The time after which a program is ended.", valueName: "seconds"))
  var limit = 30.0

  @Flag(help: "Run each program until its first App.configure, and check what it passes.")
  var atConfigure = Program.runsUntilConfigure

  @Flag(help: "Exit with 1 if there are warnings.")
  var strict = false

  @OptionGroup var output: FindingOptions

  func validate() throws {
    guard !executable.isEmpty else { throw ValidationError("Name an executable or a folder.") }
    guard limit > 0, limit <= 3600 else {
      throw ValidationError("--limit is a number of seconds, more than 0 and at most 3600.")
    }
  }

  func run() throws {
    let programs = try executable.flatMap(Program.all)
    var report = CheckReport(sources: SourceIndex(near: programs.first?.url))
    for program in programs {
      if Terminal.showsProgress { Terminal.report("Checking \(program.name)") }
      report.add(
        program.inspect(libraries: libraries, limit: limit, atConfigure: atConfigure), of: program.name)
    }
    print(try output.format.render(report.findings, tool: "tenon check", summary: report.summary))
    if report.findings.contains(where: { $0.severity == .error || (strict && $0.severity == .warning) }) {
      throw ExitCode(1)
    }
  }
}
