import Foundation
import TenonDocuments

/// One script of a spec file.
struct SpecCase: Sendable {
  /// Where documents are kept while a case runs.
  enum Persistence: String, CaseIterable, Sendable {
    case memory, disk
  }

  let name: String
  let tags: Set<String>
  let usesEagerCollection: Bool
  let limboLimit: Int?
  let steps: [FirestoreJSON]

  /// Why the case can't be run at all; `nil` if it can.
  var reasonToSkip: String? {
    if tags.contains("multi-client") {
      return "several clients share one persistence, which only browsers do"
    }
    if tags.contains("durable-persistence"), tags.contains("eager-gc") {
      return "it wants durable persistence and eager collection at once"
    }
    return nil
  }

  /// The persistences with which the case can be run.
  var persistences: [Persistence] {
    Persistence.allCases.filter { persistence in
      switch persistence {
      case .memory: !tags.contains("durable-persistence")
      case .disk: !tags.contains("eager-gc")
      }
    }
  }

  /// Returns the cases of a file, or of all files of a folder that end with `_spec_test.json` or `.json`.
  ///
  /// - Throws: ``SpecError``.
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
      return try cases.sorted { $0.key < $1.key }.map { try SpecCase($0.key, $0.value, file) }
    }
  }

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

/// Why a file, or a step of a case, can't be run.
struct SpecError: Error, CustomStringConvertible {
  let description: String
  init(_ description: String) { self.description = description }
}
