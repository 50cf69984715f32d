import Dispatch
import Foundation
import TenonCore
import TenonFoundation
import TenonProcesses

extension Program {
  /// The result of inspecting a program.
  enum Outcome {
    /// The program has been inspected, and was ended before its `main`.
    case inspected(Inspection)
    /// The program couldn't be inspected, with the reason as a predicate without a full stop.
    case failed(String)
  }

  /// Whether programs can only be inspected by their first `App.configure`, because nothing of Core can run
  /// between the last initializer and `main`.
  static var runsUntilConfigure: Bool {
    #if os(Linux)
      false
    #else
      true
    #endif
  }

  /// Starts the program in the mode in which Core validates what is linked and ends it before `main`, or in
  /// its first `App.configure`.
  ///
  /// - Parameters:
  ///   - libraries: the names of the libraries to activate, separated by commas; `nil` for all.
  ///   - limit: the time in seconds after which the program is killed.
  ///   - atConfigure: whether its first `App.configure` is to validate what it is given.
  func inspect(libraries: String?, limit: Double, atConfigure: Bool = runsUntilConfigure) -> Outcome {
    guard containsCore else {
      return .failed("doesn't link TenonCore, so there is nothing to check; it wasn't started")
    }
    let folder = FileManager.default.temporaryDirectory.appending(path: "tenon-check-\(UUID())")
    defer { try? FileManager.default.removeItem(at: folder) }
    do {
      try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
      let file = folder.appending(path: "inspection.json")
      var environment = ProcessInfo.processInfo.environment
      environment["TENON_INSPECT"] = file.path
      environment["TENON_INSPECT_LIBRARIES"] = libraries
      environment["TENON_INSPECT_AT"] = atConfigure ? "configure" : nil
      let end = try run(environment, limit: limit)
      return outcome(
        of: end, try? Data(contentsOf: file), limit: limit, before: atConfigure ? "App.configure" : "its main"
      )
    } catch {
      return .failed("can't be started: \(error.localizedDescription)")
    }
  }

  /// How a process ended.
  private enum End {
    case exit(Int32, errors: String)
    case signal(Int32, errors: String)
    case late
  }

  /// Returns what the end of the process and the file that it wrote mean.
  private func outcome(of end: End, _ content: Data?, limit: Double, before place: String) -> Outcome {
    switch end {
    case .late:
      return .failed("didn't reach \(place) within \(String(format: "%g", limit)) s and was killed")
    case .signal(let signal, let errors):
      return .failed("crashed before \(place) (signal \(signal))\(Self.quoted(errors))")
    case .exit(70, let errors) where content == nil:
      return .failed("can't be inspected\(Self.quoted(errors))")
    case .exit(let status, let errors):
      guard let content else {
        return .failed(
          "ended with \(status) and wrote no inspection: something ended it before \(place), or the Core that it links "
            + "isn't loaded at start\(Self.quoted(errors))")
      }
      guard let inspection = try? JSONDecoder().decode(Inspection.self, from: content),
        status == (inspection.problems.isEmpty ? 0 : 1)
      else { return .failed("wrote an inspection that this version of tenon can't read") }
      return .inspected(inspection)
    }
  }

  /// Returns the last lines that a program wrote to standard error, as the end of a sentence.
  private static func quoted(_ errors: String) -> String {
    let lines = errors.split(separator: "\n").suffix(5).joined(separator: "\n")
    return lines.isEmpty ? "" : ": \(lines.hasSuffix(".") ? String(lines.dropLast()) : lines)"
  }

  /// Runs the program until it ends, or kills it.
  private func run(_ environment: [String: String], limit: Double) throws -> End {
    let process = Process()
    process.executableURL = url
    process.environment = environment
    process.standardInput = FileHandle.nullDevice
    process.standardOutput = FileHandle.nullDevice
    let errors = Pipe.exclusive
    process.standardError = errors
    let ended = DispatchSemaphore(value: 0)
    process.terminationHandler = { _ in ended.signal() }
    let tail = OutputTail()
    errors.fileHandleForReading.readabilityHandler = { file in
      let data = file.availableData
      tail.append(data)
      // Otherwise, the end would be reported again and again.
      if data.isEmpty { file.readabilityHandler = nil }
    }
    defer { errors.fileHandleForReading.readabilityHandler = nil }
    try process.start()
    guard ended.wait(timeout: .now() + limit) == .success else {
      kill(process.processIdentifier, SIGKILL)
      ended.wait()
      return .late
    }
    // A process that it has left behind may keep the pipe open.
    _ = tail.isComplete.wait(timeout: .now() + 1)
    let text = tail.text
    return process.terminationReason == .uncaughtSignal
      ? .signal(process.terminationStatus, errors: text) : .exit(process.terminationStatus, errors: text)
  }
}

/// The last bytes of an output. Thread-safe.
private final class OutputTail: Sendable {
  /// The greatest number of bytes that are kept.
  private static let size = 4096
  private let bytes = Lock(Data())
  /// Signalled at the end of the output.
  let isComplete = DispatchSemaphore(value: 0)

  /// Adds what was read; nothing at the end of the output.
  func append(_ data: Data) {
    guard !data.isEmpty else {
      isComplete.signal()
      return
    }
    bytes.withLock { bytes in
      bytes = Data((bytes + data).suffix(Self.size))
    }
  }

  var text: String { String(decoding: bytes.withLock { $0 }, as: UTF8.self) }
}
