#if os(Linux)
  import Foundation
  import TenonTestSupport
  import TenonTesting
  import Testing

  /// A run of the tests leaves neither files nor processes behind, however it ends.
  @Suite(.limited(of: .processes)) struct LeftoverTests {
    @Test(arguments: [SIGINT, SIGTERM, SIGKILL])
    func anInterruptedRunLeavesNeitherFilesNorProcesses(signal: Int32) async throws {
      try await withTemporaryDirectory { directory in
        let run = try Executable(path: "/proc/self/exe").start(
          ["--testing-library", "swift-testing", "--filter", "LeftoverRun"],
          environment: [LeftoverRun.variable: "1", "TENON_TEST_RUN": "", "TMPDIR": directory.path])
        let output = try #require(
          await run.output { $0.contains(/server=\d+\n/) }, "the run ended before it was interrupted")
        let server = try #require(output.firstMatch(of: /server=(\d+)\n/).flatMap { Int32($0.1) })
        let folders = try FileManager.default.contentsOfDirectory(atPath: directory.path)
        #expect(folders.count == 1, "everything is in one folder, not in \(folders)")
        run.signal(signal)
        #expect(await run.result().status != 0)
        try await eventually(
          { try FileManager.default.contentsOfDirectory(atPath: directory.path) }, satisfies: \.isEmpty)
        try await eventually { kill(server, 0) != 0 }
      }
    }
  }

  /// The run that ``LeftoverTests`` interrupts: it has started a process, written a file, and waits.
  @Suite(.limited) struct LeftoverRun {
    /// The environment variable that enables this suite.
    static let variable = "TENON_LEFTOVER_RUN"

    @Test(.enabled(if: ProcessInfo.processInfo.environment[variable] != nil))
    func waitsUntilItIsInterrupted() async throws {
      // A run in the background of a script ignores SIGINT, and its processes inherit that.
      signal(SIGINT, SIG_DFL)
      try await withTemporaryDirectory { directory in
        try Data("content".utf8).write(to: directory.appending(path: "file"))
        // Unlike a server of the other tests, this process doesn't end by itself with the run.
        let process = try Executable(path: "/bin/sleep").start(["3600"])
        print("server=\(process.processID)")
        fflush(nil)
        _ = await process.result()
      }
    }
  }
#endif
