import TenonFoundation

#if os(Linux)
  import Foundation
  import TenonCore

  /// A contender whose process failed.
  struct ContenderFailed: Error, CustomStringConvertible {
    let description: String
  }

  /// A program that is run until it ends.
  struct ChildProcess {
    /// The name for error messages.
    let name: String
    let program: URL
    var arguments: [String] = []
    /// Variables beside those of this process.
    var environment: [String: String] = [:]
    /// Whether what it prints on standard error is discarded.
    var hidesErrors = false

    /// The processes that run.
    private static let running = Lock(Set<Int32>())

    /// Runs the program.
    ///
    /// - Parameter samplesMemory: whether to read the program's memory again and again, which disturbs the
    ///   measurement of times.
    /// - Returns: its output, and its largest resident memory in bytes, as far as it was sampled;
    ///   otherwise 0.
    /// - Throws: ``ContenderFailed`` unless it ends with 0; an error if it can't be started.
    func run(samplesMemory: Bool = false) throws -> (output: Data, residentPeak: Int) {
      let process = Process()
      process.executableURL = program
      process.arguments = arguments
      if !environment.isEmpty {
        process.environment = ProcessInfo.processInfo.environment.merging(environment) { $1 }
      }
      let output = Pipe()
      process.standardOutput = output
      if hidesErrors { process.standardError = FileHandle.nullDevice }
      try process.run()
      let id = process.processIdentifier
      _ = Self.running.withLock { $0.insert(id) }
      defer { _ = Self.running.withLock { $0.remove(id) } }
      var peak = 0
      guard samplesMemory else {
        return (try ended(process, output.fileHandleForReading.readDataToEndOfFile()), peak)
      }
      let reader = OutputReader(output.fileHandleForReading)
      while !reader.isComplete {
        peak = max(peak, ClientProgram.residentPeak(of: "\(id)") ?? 0)
        usleep(5_000)
      }
      return (try ended(process, reader.bytes), peak)
    }

    /// Ends all processes that run, with what they have started.
    static func endAll() {
      for id in running.withLock({ $0 }) {
        // A process started by Foundation leads its own process group.
        if getpgid(id) == id { kill(-id, SIGKILL) }
        kill(id, SIGKILL)
      }
    }

    /// Waits for the end of a process and returns its output.
    private func ended(_ process: Process, _ output: Data) throws -> Data {
      process.waitUntilExit()
      guard process.terminationStatus == 0 else {
        throw ContenderFailed(description: "\(name) ended with \(process.terminationStatus): \(arguments)")
      }
      return output
    }
  }

  /// Reads the output of a process on a dedicated thread.
  private final class OutputReader: Sendable {
    private let state = Lock((bytes: Data(), isComplete: false))

    init(_ file: FileHandle) {
      Thread.detachNewThread { [self] in
        let all = file.readDataToEndOfFile()
        state.withLock { $0 = (all, true) }
      }
    }

    var isComplete: Bool { state.withLock { $0.isComplete } }
    var bytes: Data { state.withLock { $0.bytes } }
  }
#endif
