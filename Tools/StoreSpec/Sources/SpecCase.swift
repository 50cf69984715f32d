import Foundation
import TenonDocuments
import TenonValues

/// One case of a Firestore spec file: a script for a client and a server, with the expected events.
///
/// The format is that of the JSON spec tests in Google's client libraries.
struct SpecCase: Sendable {
  /// The storage with which a case is run.
  enum Persistence: String, CaseIterable, Sendable {
    case memory, disk
  }

  /// The description of the case: `describeName` and `itName`, or the key if both are missing.
  let name: String
  /// The tags, which state the required environment, for example `multi-client`.
  let tags: Set<String>
  /// Whether unreferenced documents are removed immediately when the case runs in memory.
  let usesEagerCollection: Bool
  /// The maximum number of concurrent limbo resolutions; `nil` for the default.
  let limboLimit: Int?
  /// The steps. Each has one action and optional expectations.
  let steps: [FirestoreJSON]

  /// The reason why the case can't be run by this engine; `nil` if it can.
  var reasonToSkip: String? {
    if tags.contains("multi-client") {
      return "several clients share one persistence, which only browsers do"
    }
    if tags.contains("durable-persistence"), tags.contains("eager-gc") {
      return "it wants both durable persistence and eager collection"
    }
    return nil
  }

  /// The storages with which the case can be run.
  var persistences: [Persistence] {
    Persistence.allCases.filter { persistence in
      switch persistence {
      case .memory: !tags.contains("durable-persistence")
      case .disk: !tags.contains("eager-gc")
      }
    }
  }

  /// Whether the database fails in the course of the case.
  var failsDatabase: Bool { steps.contains { $0["failDatabase"] != nil } }

  /// Returns the cases of a file, or of all files in a folder whose names end in `.json`, sorted by file and
  /// key.
  ///
  /// - Parameter path: the path of the file or the folder.
  /// - Throws: ``SpecError`` if there are no files or a file has an unknown structure; errors of reading and
  ///   parsing.
  static func cases(in path: String) throws -> [SpecCase] {
    var isFolder: ObjCBool = false
    guard FileManager.default.fileExists(atPath: path, isDirectory: &isFolder) else {
      throw SpecError("There is nothing at \(path); name a folder of spec files.")
    }
    var files = [path]
    if isFolder.boolValue {
      files = try FileManager.default.contentsOfDirectory(atPath: path).filter { $0.hasSuffix(".json") }
        .sorted()
        .map { "\(path)/\($0)" }
    }
    guard !files.isEmpty else { throw SpecError("The folder \(path) has no JSON files.") }
    return try files.flatMap { file in
      let bytes = try Data(contentsOf: URL(filePath: file))
      guard case .object(let cases) = try FirestoreJSON(bytes) else {
        throw SpecError("The file \(file) holds no cases.")
      }
      return try cases.map { (name: $0.string, json: $1) }.sorted { $0.name < $1.name }
        .map { try SpecCase($0.name, $0.json, file) }
    }
  }

  /// Creates a case from JSON.
  ///
  /// - Parameters:
  ///   - name: the key of the case.
  ///   - json: the content.
  ///   - file: the path of the file, for messages.
  /// - Throws: ``SpecError`` if the configuration or the steps are missing.
  private init(_ name: String, _ json: FirestoreJSON, _ file: String) throws {
    guard let config = json["config"], case .array(let steps)? = json["steps"] else {
      throw SpecError("The case \"\(name)\" of \(file) has no steps.")
    }
    let described = [json["describeName"]?.string, json["itName"]?.string].compactMap { $0 }
    self.name = described.isEmpty ? name : described.joined(separator: " ")
    tags = Set((json["tags"]?.array ?? []).compactMap(\.string))
    usesEagerCollection = config["useEagerGCForMemory"]?.boolean ?? true
    limboLimit = config["maxConcurrentLimboResolutions"]?.integer.map(Int.init)
    self.steps = steps
  }
}

/// The reason why a file or a step of a case can't be run, or why an expectation wasn't met.
struct SpecError: Error, CustomStringConvertible {
  let description: String
  init(_ description: String) { self.description = description }
}
