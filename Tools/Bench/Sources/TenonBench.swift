import ArgumentParser
import Dispatch
import Foundation
import TenonFoundation

@main
enum Program {
  static func main() {
    // Callgrind crashes if a process continues after its main thread has ended, which dispatchMain() causes
    // on Linux.
    if CommandLine.arguments.dropFirst().first == CountedCommand.name { return CountedCommand.main([]) }
    Task {
      await TenonBench.main()
      exit(0)
    }
    dispatchMain()
  }
}

/// Measures Tenon and its alternatives side by side, in one run.
struct TenonBench: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "tenon-bench",
    abstract: "Measures Tenon and its alternatives side by side; prints medians and ratios of one run.",
    discussion: "Build it in release mode: TENON_DEEP=1 swift run -c release tenon-bench core",
    version: Release.version,
    subcommands: subcommands
  )

  private static var subcommands: [any ParsableCommand.Type] {
    #if os(Linux)
      [
        CoreCommand.self, AuthCommand.self, RulesCommand.self, StoreCommand.self, TransportCommand.self,
        TransportServerCommand.self,
        TransportClientCommand.self, StorageCommand.self, StorageServerCommand.self,
        StorageClientCommand.self, SyncCommand.self, SyncClientCommand.self,
      ]
    #else
      [CoreCommand.self, RulesCommand.self, StoreCommand.self]
    #endif
  }
}
