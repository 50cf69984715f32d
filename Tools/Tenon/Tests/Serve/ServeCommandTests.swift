import Foundation
import TenonProcesses
import TenonTestSupport
import Testing

@testable import tenon

/// How `tenon serve` finds `tenon-server`. That it becomes it is tested in Integration.
@Suite(.limited) struct ServeCommandTests {
  @Test func theServerBesideTheToolIsTheFirstChoiceAndThePathTheLast() throws {
    try Self.withFolders { beside, current, path in
      let find = {
        ServerProgram.find(
          beside: beside.appending(path: "tenon"), in: current, path: "/nowhere::\(path.path)")?.path
      }
      #expect(find() == nil)
      let places = [
        path, current.appending(path: ".build/release"), current.appending(path: ".build/debug"), beside,
      ]
      for place in places {
        try Self.addServer(to: place)
        #expect(find() == place.appending(path: "tenon-server").path)
      }
    }
  }

  @Test func whatCannotBeRunIsNoServer() throws {
    try Self.withFolders { beside, current, path in
      try Self.addServer(to: beside, mode: 0o644)
      try FileManager.default.createDirectory(
        at: current.appending(path: ".build/debug/tenon-server"), withIntermediateDirectories: true)
      let tool = beside.appending(path: "tenon")
      #expect(ServerProgram.find(beside: tool, in: current, path: path.path) == nil)
      #expect(ServerProgram.find(beside: nil, in: current, path: "") == nil)
    }
  }

  /// The whole tool, in a copy beside which no server is.
  @Test(arguments: [[], ["--memory"]]) func aServerThatIsNotBuiltIsAnErrorThatSaysHowToBuildIt(
    arguments: [String]
  ) throws {
    try Self.withFolders { beside, current, _ in
      let (status, _, errors) = try Self.runTool(in: beside, at: current, ["serve"] + arguments)
      #expect(status == 1)
      #expect(
        errors == """
          Error: tenon-server isn't built. Build it in the folder of Tenon: swift build --product tenon-server

          """)
    }
  }

  @Test func helpNeedsNoServer() throws {
    try Self.withFolders { beside, current, _ in
      let (status, output, errors) = try Self.runTool(in: beside, at: current, ["serve", "--help"])
      #expect(status == 0 && errors == "")
      #expect(output.contains("EXAMPLES") && output.contains("swift build --product tenon-server"))
    }
  }

  private static func runTool(
    in folder: URL, at current: URL, _ arguments: [String]
  ) throws -> (Int32, String, String) {
    let tool = folder.appending(path: "tenon")
    try FileManager.default.copyItem(at: Bundle.main.bundleURL.appending(path: "tenon"), to: tool)
    let process = Process()
    process.executableURL = tool
    process.arguments = arguments
    process.currentDirectoryURL = current
    process.environment = ProcessInfo.processInfo.environment.merging(["PATH": "/nowhere"]) { $1 }
    let (output, errors) = (Pipe.exclusive, Pipe.exclusive)
    (process.standardOutput, process.standardError) = (output, errors)
    try process.start()
    let texts = [output, errors].map {
      String(decoding: $0.fileHandleForReading.readDataToEndOfFile(), as: UTF8.self)
    }
    process.waitUntilExit()
    return (process.terminationStatus, texts[0], texts[1])
  }

  private static func addServer(to folder: URL, mode: Int = 0o755) throws {
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    let file = folder.appending(path: "tenon-server")
    try Data("#!/bin/sh\n".utf8).write(to: file)
    try FileManager.default.setAttributes([.posixPermissions: mode], ofItemAtPath: file.path)
  }

  /// Makes the folders of the tool, of the user, and of `PATH`.
  private static func withFolders(_ body: (URL, URL, URL) throws -> Void) throws {
    let root = FileManager.default.temporaryDirectory.resolvingSymlinksInPath()
      .appending(path: "tenon-serve-\(UUID())")
    defer { try? FileManager.default.removeItem(at: root) }
    let folders = ["tool", "current", "path"].map { root.appending(path: $0) }
    for folder in folders {
      try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    }
    try body(folders[0], folders[1], folders[2])
  }
}
