import ArgumentParser
import TenonFoundation

/// The `tenon` command line.
@main
struct TenonCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "tenon",
    abstract:
      "Checks, draws and extends packages that are built on Tenon, tries Security Rules, looks into databases, and starts the server.",
    discussion: """
      Results go to standard output, errors to standard error. There is no colour in them.

      EXIT CODES
        0   success
        1   findings, or the command failed
        64  wrong arguments

      EXAMPLES
        tenon check .build/debug/Notes
        tenon --generate-completion-script bash > ~/.local/share/bash-completion/completions/tenon
      """,
    version: Release.version,
    subcommands: [
      CheckCommand.self, GraphCommand.self, LintCommand.self, NewCommand.self, RulesCommand.self,
      StoreCommand.self, DoctorCommand.self, ServeCommand.self,
    ])
}
