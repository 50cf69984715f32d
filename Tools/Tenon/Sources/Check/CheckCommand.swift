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

      Programs can be checked on Linux only; on other systems, each is reported as one that can't be inspected.

      What depends on an app's options isn't checked. If an app activates only some of the linked libraries, name them with \
      --libraries. Components that a program adds itself (App.configure(sources:), ComponentContainer { … }) aren't known before \
      main; check these in a test with expectValidGraph(of:sources:).

      EXAMPLES
        tenon check .build/debug/MyServer
        tenon check .build/debug                    every program in a build folder
        tenon check --sarif .build/debug > check.sarif

      Exit codes: 0 everything is valid, 1 there are problems or a program couldn't be checked, 64 wrong arguments.
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
      report.add(program.inspect(libraries: libraries, limit: limit), of: program.name)
    }
    print(try output.format.render(report.findings, tool: "tenon check", summary: report.summary))
    if !report.findings.isEmpty { throw ExitCode(1) }
  }
}
