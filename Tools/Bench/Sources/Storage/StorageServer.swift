#if os(Linux)
  import ArgumentParser
  import CBenchServer
  import Foundation

  /// Runs the fast server in a separate process: prints the port, and serves until standard input ends. It is
  /// started by ``StorageServer``.
  struct StorageServerCommand: ParsableCommand {
    static let name = "storage-server"
    static let configuration = CommandConfiguration(commandName: name, shouldDisplay: false)

    /// Four values for each object: its name, the file with its content, and its MD5 and CRC32C in base64.
    @Argument var objects: [String]

    func run() throws {
      for index in stride(from: 0, to: objects.count, by: 4) {
        try check(
          bench_server_add_object(
            objects[index], objects[index + 1], objects[index + 2], objects[index + 3]))
      }
      Thread.detachNewThread {
        _ = FileHandle.standardInput.readDataToEndOfFile()
        _exit(0)
      }
      try check(
        bench_server_run(0, 0) { port in
          FileHandle.standardOutput.write(Data("127.0.0.1:\(port)\n".utf8))
        })
    }

    private func check(_ code: Int32) throws {
      guard code != 0 else { return }
      throw ContenderFailed(description: "The server can't be started: \(String(cString: strerror(code))).")
    }
  }

  /// A server for all contenders, in a separate process. It ends with this process.
  struct StorageServer {
    /// The address as `host:port`.
    let address: String
    private let process: Process
    private let input: Pipe

    /// Starts the fast server, whose objects have the content of files.
    ///
    /// It sends from the page cache and discards what it receives without looking at it, so that clients are
    /// what is measured.
    init(of files: [KnownFile]) throws {
      let objects = files.flatMap { [$0.name, $0.url.path, $0.md5, $0.crc32c] }
      try self.init(Self.program("tenon-bench"), [StorageServerCommand.name] + objects) { $0 }
    }

    /// Starts the embedded backend.
    ///
    /// - Parameter directory: where the objects are stored; in memory if `nil`.
    init(embeddedIn directory: URL?) throws {
      struct Announcement: Decodable { let address: String }
      var arguments = ["--port", "0", "--project", "demo-bench", "--until-input-ends", "--quiet"]
      arguments += directory.map { ["--directory", $0.path] } ?? ["--memory"]
      try self.init(Self.program("tenon-server"), arguments) { line in
        try JSONDecoder().decode(Announcement.self, from: Data(line.utf8)).address
      }
    }

    /// Starts a server, which prints a line when it is ready.
    private init(_ program: URL, _ arguments: [String], address: (String) throws -> String) throws {
      process = Process()
      process.executableURL = program
      process.arguments = arguments
      input = Pipe()
      process.standardInput = input
      let output = Pipe()
      process.standardOutput = output
      try process.run()
      let line = String(decoding: output.fileHandleForReading.availableData, as: UTF8.self)
      guard line.hasSuffix("\n") else {
        throw ContenderFailed(description: "\(program.path) printed no address.")
      }
      self.address = try address(String(line.dropLast()))
    }

    /// Ends the server.
    func end() {
      // The process may have inherited a mask that blocks other signals.
      kill(process.processIdentifier, SIGKILL)
      process.waitUntilExit()
    }

    /// Returns a program in the folder of this one.
    static func program(_ name: String) -> URL {
      let program = URL(filePath: "/proc/self/exe").resolvingSymlinksInPath()
      return name == "tenon-bench" ? program : program.deletingLastPathComponent().appending(path: name)
    }
  }
#endif
