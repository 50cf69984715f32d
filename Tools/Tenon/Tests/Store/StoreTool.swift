import Foundation
import TenonAuthInterop
import TenonCore
import TenonProcesses
import TenonStoreInterop

@testable import TenonStore
@testable import TenonStoreEngine

/// A database in a separate directory, and the command line that looks into it.
struct StoreTool {
  let directory: URL
  var file: String { directory.appending(path: "default.sqlite").path }

  init() throws {
    directory = FileManager.default.temporaryDirectory.appending(path: "tenon-store-tool-\(UUID())")
    try FileManager.default.createDirectory(at: directory, withIntermediateDirectories: true)
  }

  /// Deletes the directory.
  func remove() { try? FileManager.default.removeItem(at: directory) }

  /// Opens the database, which is only on this device unless there is a remote or `isLocalOnly` is `false`.
  func store(
    settings: StoreSettings = StoreSettings(), remote: (any StoreRemote)? = nil,
    auth: (any AuthInterop)? = nil,
    isLocalOnly: Bool? = nil
  ) -> Store {
    Store(
      StoreEngine(
        StoreEngine.Configuration(
          path: file, logger: AppLogger(source: "tests"), remote: remote,
          isLocalOnly: isLocalOnly ?? (remote == nil), auth: { auth }, settings: settings,
          // The files don't change by themselves.
          logIdleTime: nil)))
  }

  /// Writes documents with a store, which is closed afterwards.
  func write(
    _ documents: [String: [String: any Sendable & DocumentValue]], settings: StoreSettings = StoreSettings(),
    isLocalOnly: Bool = true
  ) async throws {
    let store = store(settings: settings, isLocalOnly: isLocalOnly)
    for (path, data) in documents.sorted(by: { $0.key < $1.key }) {
      try await store.document(path).setData(data)
    }
    try await store.buildIndexes()
    await store.engine.close()
  }

  /// The files of the directory with their content, without that of the index of an open log.
  func files() throws -> [String: Data] {
    let names = try FileManager.default.subpathsOfDirectory(atPath: directory.path)
    return try names.reduce(into: [:]) {
      var isDirectory: ObjCBool = false
      let file = directory.appending(path: $1)
      guard FileManager.default.fileExists(atPath: file.path, isDirectory: &isDirectory),
        !isDirectory.boolValue
      else { return }
      $0[$1] = $1.hasSuffix("-shm") ? Data() : try Data(contentsOf: file)
    }
  }

  // MARK: - Running

  struct Result {
    let status: Int32
    let output: String
    let errors: String

    /// The lines of the output.
    var lines: [String] { output.split(separator: "\n").map(String.init) }
    /// The output as JSON.
    func json() throws -> Any { try JSONSerialization.jsonObject(with: Data(output.utf8)) }
    /// A member of the output as JSON.
    subscript(name: String) -> Any? { (try? json() as? [String: Any])?[name] }
  }

  /// Runs `tenon store COMMAND FILE ARGUMENTS`.
  func run(
    _ command: String, _ arguments: [String] = [], file: String? = nil, input: String? = nil
  ) async throws -> Result {
    let scratch = FileManager.default.temporaryDirectory.appending(path: "tenon-store-run-\(UUID())")
    try FileManager.default.createDirectory(at: scratch, withIntermediateDirectories: true)
    defer { try? FileManager.default.removeItem(at: scratch) }
    func handle(_ name: String, _ content: String = "") throws -> FileHandle {
      let file = scratch.appending(path: name)
      try Data(content.utf8).write(to: file)
      return try FileHandle(forUpdating: file)
    }
    let process = Process()
    process.executableURL = Bundle.main.bundleURL.appending(path: "tenon")
    process.arguments = ["store", command, file ?? self.file] + arguments
    process.currentDirectoryURL = directory
    process.standardInput = try handle("input", input ?? "")
    process.standardOutput = try handle("output")
    process.standardError = try handle("errors")
    let status = try await withCheckedThrowingContinuation { continuation in
      process.terminationHandler = { continuation.resume(returning: $0.terminationStatus) }
      do { try process.start() } catch { continuation.resume(throwing: error) }
    }
    func text(_ name: String) throws -> String {
      try String(contentsOf: scratch.appending(path: name), encoding: .utf8)
    }
    return Result(status: status, output: try text("output"), errors: try text("errors"))
  }
}
