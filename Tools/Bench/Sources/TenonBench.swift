import ArgumentParser
import Dispatch
import Foundation

@main
enum Program {
  static func main() {
    // Callgrind crashes where a process goes on after its main thread has ended, which dispatchMain() does on Linux.
    if CommandLine.arguments.dropFirst().first == CountedCommand.name { return CountedCommand.main([]) }
    Task {
      await TenonBench.main()
      exit(0)
    }
    dispatchMain()
  }
}

/// Measures Tenon side by side with what it is compared to, in one run.
struct TenonBench: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "tenon-bench",
    abstract: "Measures Tenon beside its limits and alternatives; prints medians and ratios of one run.",
    discussion: "Build it for release: swift run -c release tenon-bench core",
    subcommands: [CoreCommand.self, StoreCommand.self]
  )
}
