import Foundation
import TenonProcesses
import TenonTestSupport
import Testing

/// The arguments of `tenon graph`, as the built command reads them.
@Suite(.limited) struct GraphArgumentsTests {
  /// Runs `tenon graph` and returns how it ended.
  private func graph(_ arguments: [String], input: String = "") throws -> (
    status: Int32, output: String, errors: String
  ) {
    let process = Process()
    process.executableURL = Bundle.main.bundleURL.appending(path: "tenon")
    process.arguments = ["graph"] + arguments
    // There is no package, so a product that should have been refused isn't built.
    process.currentDirectoryURL = FileManager.default.temporaryDirectory
    let (inputPipe, output, errors) = (Pipe.exclusive, Pipe.exclusive, Pipe.exclusive)
    process.standardInput = inputPipe
    process.standardOutput = output
    process.standardError = errors
    try process.start()
    try inputPipe.fileHandleForWriting.write(contentsOf: Data(input.utf8))
    try inputPipe.fileHandleForWriting.close()
    // Both are short, so neither blocks the command while the other is read.
    let texts = [output, errors].map {
      String(decoding: $0.fileHandleForReading.readDataToEndOfFile(), as: UTF8.self)
    }
    process.waitUntilExit()
    return (process.terminationStatus, texts[0], texts[1])
  }

  @Test(arguments: [
    ([], "Name one of an executable, --product and --file."),
    (["program", "--file", "graph.json"], "Name one of an executable, --product and --file."),
    (["program", "--product", "Server"], "Name one of an executable, --product and --file."),
    (["program", "--package-path", "."], "--package-path is the package of a --product."),
    (["program", "--format", "pdf"], "'pdf' is invalid"),
  ])
  func wrongArgumentsEndWith64(arguments: [String], message: String) throws {
    let end = try graph(arguments)
    #expect(end.status == 64)
    #expect(end.output.isEmpty)
    #expect(end.errors.contains(message))
  }

  @Test func whatIsNoGraphEndsWith1() throws {
    let end = try graph(["--file", "-"], input: "{}")
    #expect(end.status == 1)
    #expect(end.output.isEmpty)
    #expect(end.errors.contains("standard input doesn't contain the JSON of a graph."))
  }

  @Test func aGraphFromStandardInputIsDrawn() throws {
    let end = try graph(["--file", "-"], input: #"{"libraries":[],"components":[]}"#)
    #expect(end.status == 0)
    #expect(end.output == "The graph has no components.\n")
    #expect(end.errors.isEmpty)
  }

  @Test func theFileOfOutputIsWritten() throws {
    let file = FileManager.default.temporaryDirectory.appending(path: "tenon-graph-\(UUID()).html")
    defer { try? FileManager.default.removeItem(at: file) }
    let arguments = ["--file", "-", "--format", "html", "--output"]
    let end = try graph(arguments + [file.path], input: #"{"libraries":[],"components":[]}"#)
    #expect(end.status == 0 && end.output.isEmpty)
    #expect(try String(contentsOf: file, encoding: .utf8).hasPrefix("<!DOCTYPE html>"))

    let refused = try graph(
      arguments + ["/nonexistent/graph.html"], input: #"{"libraries":[],"components":[]}"#)
    #expect(refused.status == 1)
    #expect(refused.errors.contains("/nonexistent/graph.html can't be written"))
  }
}
