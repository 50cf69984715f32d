import ArgumentParser
import Foundation
import TenonProcesses

/// `tenon serve`: runs `tenon-server` in place of this process. The server is a separate program, so that a build of
/// this tool doesn't build a server.
struct ServeCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "serve",
    abstract:
      "Serves accounts, functions, objects and documents on this machine, for the clients of Firebase.",
    discussion: """
      Runs the program tenon-server, which is beside this one, in .build/debug or .build/release, or on the PATH, with the \
      same arguments, in place of this process. Its options are listed below where it is built. Where it isn't, this builds it:

        \(ServerProgram.build)

      EXAMPLES
        tenon serve
        tenon serve --ports default --memory
        tenon serve --config web/firebase.json --quiet
        tenon serve --import seed --export-on-exit
      """)

  @Argument(
    parsing: .captureForPassthrough,
    help: ArgumentHelp("The options of tenon-server.", valueName: "options"))
  var arguments: [String] = []

  func run() throws {
    let program = ServerProgram.find()
    if arguments.contains(where: ["-h", "--help"].contains) {
      let help = TenonCommand.helpMessage(for: Self.self)
      guard let options = program.flatMap(Self.options(of:)) else { return print(help, terminator: "") }
      // Help is the server's option, too.
      return print("\(help.prefix(upTo: Self.beginOfOptions(in: help)))\(options)", terminator: "")
    }
    guard let program else {
      throw CommandError(
        "tenon-server isn't built. Build it in the folder of Tenon: \(ServerProgram.build)")
    }
    throw program.replaceProcess(with: arguments)
  }

  /// Returns the part of a server's help that lists its options.
  private static func options(of program: ServerProgram) -> Substring? {
    let process = Process()
    process.executableURL = URL(filePath: program.path)
    process.arguments = ["--help"]
    let output = Pipe.exclusive
    (process.standardOutput, process.standardInput) = (output, FileHandle.nullDevice)
    guard (try? process.start()) != nil else { return nil }
    let text = String(decoding: output.fileHandleForReading.readDataToEndOfFile(), as: UTF8.self)
    process.waitUntilExit()
    return text[beginOfOptions(in: text)...]
  }

  private static func beginOfOptions(in help: String) -> String.Index {
    help.range(of: "OPTIONS:")?.lowerBound ?? help.endIndex
  }
}
