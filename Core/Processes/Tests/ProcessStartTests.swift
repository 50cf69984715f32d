#if os(Linux)
  import Foundation
  import TenonProcesses
  import TenonTestSupport
  import Testing

  /// What processes that are started at the same time inherit.
  @Suite(.limited(of: .processes)) struct ProcessStartTests {
    /// The pipes and sockets that a process has open, by their numbers in the kernel.
    private func channels(of process: Process) throws -> Set<String> {
      let folder = "/proc/\(process.processIdentifier)/fd"
      let files = try FileManager.default.contentsOfDirectory(atPath: folder)
      // A descriptor can be closed after it was listed.
      let targets = files.compactMap {
        try? FileManager.default.destinationOfSymbolicLink(atPath: "\(folder)/\($0)")
      }
      return Set(targets.filter { $0.hasPrefix("pipe:") || $0.hasPrefix("socket:") })
    }

    /// Starts a process that runs until its input ends.
    private func startCat() throws -> (Process, Pipe) {
      let (process, input) = (Process(), Pipe.exclusive)
      process.executableURL = URL(filePath: "/bin/cat")
      (process.standardInput, process.standardOutput) = (input, Pipe.exclusive)
      process.standardError = FileHandle.nullDevice
      try process.start()
      return (process, input)
    }

    @Test func noTwoProcessesHaveTheSamePipeOrSocket() async throws {
      let count = 48
      let processes = try await withThrowingTaskGroup(of: Result<(Process, Pipe), any Error>.self) { group in
        for _ in 0..<count { group.addTask { await onThread { Result { try startCat() } } } }
        return try await group.reduce(into: []) { $0.append(try $1.get()) }
      }
      defer {
        for (process, input) in processes {
          try? input.fileHandleForWriting.close()
          process.waitUntilExit()
        }
      }
      var owners: [String: Int] = [:]
      for (process, _) in processes {
        for channel in try channels(of: process) { owners[channel, default: 0] += 1 }
      }
      // Each has at least its own input and output.
      #expect(owners.count >= 2 * count)
      #expect(owners.filter { $0.value > 1 } == [:])
    }
  }
#endif
