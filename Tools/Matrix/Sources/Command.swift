import Dispatch
import Foundation

/// A program that runs until it ends, at most two minutes.
struct Command {
  private static let limit = DispatchTimeInterval.seconds(120)

  private let program: String
  private let arguments: [String]

  init(_ program: String, _ arguments: [String]) {
    self.program = program
    self.arguments = arguments
  }

  /// Runs the program and returns its standard output.
  ///
  /// - Throws: ``MatrixError`` if it can't be started, fails or doesn't end; it quotes standard error.
  func run() throws -> Data {
    // Files instead of pipes, so that a program which writes much isn't blocked.
    let directory = FileManager.default.temporaryDirectory.appending(path: "tenon-matrix-\(UUID())")
    try FileManager.default.createDirectory(at: directory, withIntermediateDirectories: true)
    defer { try? FileManager.default.removeItem(at: directory) }
    func stream(_ name: String) throws -> (URL, FileHandle) {
      let file = directory.appending(path: name)
      try Data().write(to: file)
      return (file, try FileHandle(forWritingTo: file))
    }
    let (output, errors) = (try stream("output"), try stream("errors"))
    let process = Process()
    process.executableURL = URL(filePath: program)
    process.arguments = arguments
    process.standardInput = FileHandle.nullDevice
    process.standardOutput = output.1
    process.standardError = errors.1
    // `waitUntilExit` has no limit, and on Linux keeps a processor busy.
    let end = DispatchSemaphore(value: 0)
    process.terminationHandler = { _ in end.signal() }
    do { try process.run() } catch { throw MatrixError("\(line) can't be started: \(error).") }
    guard end.wait(timeout: .now() + Self.limit) == .success else {
      process.terminate()
      throw MatrixError("\(line) didn't end within two minutes.")
    }
    guard process.terminationReason == .exit, process.terminationStatus == 0 else {
      let reason = process.terminationReason == .exit ? "code" : "signal"
      let text = String(decoding: try Data(contentsOf: errors.0), as: UTF8.self)
      throw MatrixError("\(line) failed with \(reason) \(process.terminationStatus): \(text)")
    }
    return try Data(contentsOf: output.0)
  }

  private var line: String { ([program] + arguments).joined(separator: " ") }
}
