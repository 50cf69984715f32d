import ArgumentParser

/// Measures Tenon side by side with what it is compared to, in one run.
@main
struct TenonBench: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "tenon-bench",
    abstract: "Measures Tenon beside its limits and alternatives; prints medians and ratios of one run.",
    discussion: "Build it for release: swift run -c release tenon-bench core",
    subcommands: [CoreCommand.self, StoreCommand.self]
  )
}
