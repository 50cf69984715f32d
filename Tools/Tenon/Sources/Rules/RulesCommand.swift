import ArgumentParser

/// `tenon rules`: checks files of Security Rules, and tries them with requests.
struct RulesCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "rules",
    abstract: "Checks files of Security Rules, and tries them with requests, without a server.",
    subcommands: [RulesCheckCommand.self, RulesCoverageCommand.self])
}
