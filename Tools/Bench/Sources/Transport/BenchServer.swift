#if os(Linux)
  import ArgumentParser
  import CBenchServer
  import Foundation

  /// Runs the server in a separate process: prints the port, and serves until the process is ended. It is
  /// started by ``TransportBench``.
  struct TransportServerCommand: ParsableCommand {
    static let name = "transport-server"
    static let configuration = CommandConfiguration(commandName: name, shouldDisplay: false)

    @Argument var smallSize: Int
    @Argument var largeSize: Int

    func run() throws {
      let code = bench_server_run(smallSize, largeSize) { port in
        FileHandle.standardOutput.write(Data("\(port)\n".utf8))
      }
      throw ContenderFailed(description: "The server can't be started: \(String(cString: strerror(code))).")
    }
  }
#endif
