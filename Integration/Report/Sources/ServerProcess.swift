#if canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#elseif canImport(Darwin)
  import Darwin
#endif

extension Launch {
  /// `tenon-server` couldn't be run.
  package struct ServerFailed: Error, CustomStringConvertible {
    package let description: String
  }

  /// Runs a closure with the address of a `tenon-server`, which is a separate process and ends
  /// afterwards. Its program is in the directory of this one.
  ///
  /// - Parameters:
  ///   - project: the project that it serves, in memory.
  ///   - arguments: further arguments.
  ///   - body: receives the address as `host:port`. With the argument `--linked`, no server is started.
  /// - Throws: ``ServerFailed``; the errors of `body`.
  package static func withServer<Result>(
    project: String, arguments: [String] = [], _ body: (String) async throws -> Result
  ) async throws -> Result {
    guard !listsLibraries else { return try await body("127.0.0.1:1") }
    #if os(Linux) || os(macOS)
      let server = try ServerProcess(
        ["--port", "0", "--project", project, "--until-input-ends", "--memory", "--quiet"] + arguments)
      defer { server.end() }
      return try await body(server.address)
    #else
      throw ServerFailed(description: "Processes can't be started on this platform.")
    #endif
  }
}

#if os(Linux) || os(macOS)
  /// A running `tenon-server`. It isn't started with Foundation's `Process`, because programs that link
  /// the full Foundation take longer to start.
  private struct ServerProcess {
    let address: String
    private let process: pid_t
    /// The standard input of the server, which ends with it.
    private let input: Int32

    init(_ arguments: [String]) throws {
      let own = CommandLine.arguments[0]
      #if os(Linux)
        var buffer = [UInt8](repeating: 0, count: 4_096)
        let length = readlink("/proc/self/exe", &buffer, buffer.count)
        let program = length > 0 ? String(decoding: buffer[..<length], as: UTF8.self) : own
      #else
        let program = own
      #endif
      let folder = program.lastIndex(of: "/").map { String(program[...$0]) } ?? ""
      let path = "\(folder)tenon-server"
      var (input, output): ([Int32], [Int32]) = ([0, 0], [0, 0])
      guard pipe(&input) == 0, pipe(&output) == 0 else {
        throw Launch.ServerFailed(description: "There is no pipe.")
      }
      // The server must not keep the ends of this process open.
      for end in [input[1], output[0]] { _ = fcntl(end, F_SETFD, FD_CLOEXEC) }
      #if os(Linux)
        var actions = posix_spawn_file_actions_t()
      #else
        var actions: posix_spawn_file_actions_t?
      #endif
      posix_spawn_file_actions_init(&actions)
      defer { posix_spawn_file_actions_destroy(&actions) }
      posix_spawn_file_actions_adddup2(&actions, input[0], 0)
      posix_spawn_file_actions_adddup2(&actions, output[1], 1)
      var texts: [UnsafeMutablePointer<CChar>?] = ([path] + arguments).map { strdup($0) } + [nil]
      defer { for text in texts { free(text) } }
      var process = pid_t()
      let code = posix_spawn(&process, path, &actions, nil, &texts, environ)
      close(input[0])
      close(output[1])
      defer { close(output[0]) }
      guard code == 0 else {
        close(input[1])
        throw Launch.ServerFailed(description: "\(path) can't be started: \(String(cString: strerror(code)))")
      }
      self.process = process
      self.input = input[1]
      // One line of JSON, {"address":"127.0.0.1:49152","project":"demo"}, in any order.
      var line: [UInt8] = []
      var byte: UInt8 = 0
      while line.count < 1_000, read(output[0], &byte, 1) == 1, byte != UInt8(ascii: "\n") {
        line.append(byte)
      }
      let parts = String(decoding: line, as: UTF8.self).split(separator: "\"")
      guard let name = parts.firstIndex(of: "address"), parts.indices.contains(name + 2) else {
        close(input[1])
        throw Launch.ServerFailed(description: "\(path) printed no address.")
      }
      address = String(parts[name + 2])
    }

    /// Ends the server, and waits for its end.
    func end() {
      close(input)
      var status: Int32 = 0
      waitpid(process, &status, 0)
    }
  }
#endif
