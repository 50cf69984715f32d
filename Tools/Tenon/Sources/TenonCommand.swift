import ArgumentParser

/// The `tenon` command line.
///
/// Results go to standard output, errors to standard error. Exit codes: 0 success, 1 findings or a failed command,
/// 64 wrong arguments (`EX_USAGE`).
@main
struct TenonCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "tenon",
    abstract: "Checks, draws and extends packages that are built on Tenon.",
    subcommands: [
      CheckCommand.self, GraphCommand.self, LintCommand.self, NewCommand.self, DoctorCommand.self,
    ])
}
