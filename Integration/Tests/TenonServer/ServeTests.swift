import Foundation
import TenonTestSupport
import Testing

/// `tenon serve`, which becomes the server.
@Suite(.limited) struct ServeTests {
  @Test func theToolBecomesTheServerAndASignalEndsIt() async throws {
    let server = try Executable("tenon").start([
      "serve", "--port", "0", "--memory", "--project", "demo-serve",
    ])
    let line = try #require(await server.output { $0.hasSuffix("\n") })
    #expect(line.contains(#""project":"demo-serve""#))
    #if os(Linux)
      let program = try FileManager.default.destinationOfSymbolicLink(
        atPath: "/proc/\(server.processID)/exe")
      #expect(program.hasSuffix("/tenon-server"))
    #endif
    server.signal(SIGTERM)
    #expect(await server.result().status == 0)
  }

  @Test func wrongArgumentsAreThoseOfTheServer() async throws {
    let end = try await Executable("tenon").run(["serve", "--port", "seven"])
    #expect(end.status == 64)
    #expect(end.errors.contains("tenon-server") && end.errors.contains("seven"))
  }

  @Test(arguments: ["--help", "-h"]) func theHelpListsTheOptionsOfTheServer(option: String) async throws {
    let help = try await Executable("tenon").run(["serve", option])
    #expect(help.status == 0)
    #expect(help.output.contains("USAGE: tenon serve") && help.output.contains("--storage-rules <file>"))
    #expect(help.output.split(separator: "OPTIONS:").count == 2)
  }
}
