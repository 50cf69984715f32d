import Foundation
import TenonFoundation
import TenonProcesses
import TenonTestSupport

/// An executable of this package that is run as a process. It is located beside the tests, because `swift
/// test` builds all executables. The tests don't depend on it, so its products aren't linked into the test
/// process.
struct Executable: Sendable {
  let url: URL

  /// The executable named `name`, beside the tests.
  init(_ name: String) { url = Self.buildDirectory.appending(path: name) }

  /// An executable at any path, for example `/usr/bin/env`.
  init(path: String) { url = URL(filePath: path) }

  /// The directory of SwiftPM's build products.
  static var buildDirectory: URL {
    #if os(macOS)
      let bundle = Bundle.allBundles.first { $0.bundlePath.hasSuffix(".xctest") } ?? .main
      return bundle.bundleURL.deletingLastPathComponent()
    #else
      return Bundle.main.bundleURL
    #endif
  }

  /// The result of a process.
  struct Result: Sendable {
    /// The exit code, or the negative number of the signal that ended the process.
    let status: Int32
    let output: String
    let errors: String

    var lines: [String] { output.split(separator: "\n").map(String.init) }
  }

  /// Runs the executable until it ends.
  func run(
    _ arguments: [String] = [],
    environment: [String: String] = [:],
    in directory: URL? = nil
  ) async throws -> Result {
    let process = try start(arguments, environment: environment, in: directory)
    return await process.result()
  }

  /// Starts the executable.
  ///
  /// - Parameter input: its standard input; empty by default.
  func start(
    _ arguments: [String] = [],
    environment: [String: String] = [:],
    in directory: URL? = nil,
    input: Pipe? = nil
  ) throws -> RunningExecutable {
    try RunningExecutable(url, arguments, environment, directory, input)
  }
}

/// A running process.
final class RunningExecutable: Sendable {
  /// An output of a process.
  private enum Stream {
    case output
    case errors
  }

  private struct Waiter {
    let stream: Stream
    let isEnough: @Sendable (String) -> Bool
    let continuation: CheckedContinuation<String?, Never>
  }

  private struct State {
    var written: [Stream: Data] = [:]
    var waiters: [Waiter] = []
    var openPipes = 2
    var status: Int32?
    var finished: [CheckedContinuation<Executable.Result, Never>] = []

    func text(_ stream: Stream) -> String { String(decoding: written[stream] ?? Data(), as: UTF8.self) }
  }

  private let state = Lock(State())
  let processID: Int32

  fileprivate init(
    _ url: URL,
    _ arguments: [String],
    _ environment: [String: String],
    _ directory: URL?,
    _ input: Pipe?
  ) throws {
    let process = Process()
    process.executableURL = url
    process.arguments = arguments
    process.environment = ProcessInfo.processInfo.environment.merging(environment) { $1 }
    process.currentDirectoryURL = directory
    let (output, errors) = (Pipe.exclusive, Pipe.exclusive)
    process.standardOutput = output
    process.standardError = errors
    process.standardInput = input ?? FileHandle.nullDevice
    // `waitUntilExit` isn't used, because on Linux it keeps a processor busy while the process runs.
    let end = DispatchSemaphore(value: 0)
    process.terminationHandler = { _ in end.signal() }
    try process.start()
    processID = process.processIdentifier
    read(output, .output)
    read(errors, .errors)
    Thread {
      end.wait()
      let bySignal = process.terminationReason == .uncaughtSignal
      self.update { $0.status = bySignal ? -process.terminationStatus : process.terminationStatus }
    }.start()
  }

  /// Sends a signal, for example `SIGKILL`.
  func signal(_ signal: Int32) { kill(processID, signal) }

  /// Returns whether the process currently ignores a signal; `false` if it has ended.
  func ignores(_ signal: Int32) throws -> Bool {
    let status = try String(contentsOfFile: "/proc/\(processID)/status", encoding: .utf8)
    let line = status.split(separator: "\n").first { $0.hasPrefix("SigIgn:") }
    let mask = line?.split(separator: "\t").last.flatMap { UInt64($0, radix: 16) } ?? 0
    return mask & (1 << UInt64(signal - 1)) != 0
  }

  /// Waits until standard output satisfies a condition. Returns the output so far, or `nil` if the process
  /// ended before.
  func output(where isEnough: @escaping @Sendable (String) -> Bool) async -> String? {
    await text(of: .output, where: isEnough)
  }

  /// Waits until standard error satisfies a condition, like ``output(where:)``.
  func errors(where isEnough: @escaping @Sendable (String) -> Bool) async -> String? {
    await text(of: .errors, where: isEnough)
  }

  private func text(
    of stream: Stream,
    where isEnough: @escaping @Sendable (String) -> Bool
  ) async -> String? {
    await withCheckedContinuation { continuation in
      update { $0.waiters.append(Waiter(stream: stream, isEnough: isEnough, continuation: continuation)) }
    }
  }

  /// Waits until the process ends.
  func result() async -> Executable.Result {
    await withCheckedContinuation { continuation in update { $0.finished.append(continuation) } }
  }

  private func read(_ pipe: Pipe, _ stream: Stream) {
    Thread {
      while case let data = pipe.fileHandleForReading.availableData, !data.isEmpty {
        self.update { $0.written[stream, default: Data()] += data }
      }
      self.update { $0.openPipes -= 1 }
    }.start()
  }

  private func update(_ change: (inout State) -> Void) {
    state.withLock { state in
      change(&state)
      let isOver = state.openPipes == 0 && state.status != nil
      let now = state
      state.waiters.removeAll { waiter in
        let text = now.text(waiter.stream)
        guard waiter.isEnough(text) || isOver else { return false }
        waiter.continuation.resume(returning: waiter.isEnough(text) ? text : nil)
        return true
      }
      guard isOver, let status = state.status else { return }
      let result = Executable.Result(
        status: status,
        output: state.text(.output),
        errors: state.text(.errors)
      )
      for continuation in state.finished { continuation.resume(returning: result) }
      state.finished = []
    }
  }
}
