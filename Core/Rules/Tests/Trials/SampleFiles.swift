import Foundation
import TenonRules
import Testing

/// A pair of files of `Integration/Rules/Samples`.
struct SampleFile: Sendable, CustomTestStringConvertible {
  let name: String
  let source: String
  let sample: RulesSample

  var testDescription: String { name }

  /// Whether Google's Firestore emulator can judge it.
  var isOfFirestore: Bool { source.contains("cloud.firestore") }

  /// All pairs.
  static func all() throws -> [SampleFile] {
    let repository = (0..<5).reduce(URL(filePath: #filePath)) { url, _ in url.deletingLastPathComponent() }
    let folder = repository.appending(path: "Integration/Rules/Samples")
    let names = try FileManager.default.contentsOfDirectory(atPath: folder.path(percentEncoded: false))
    return try names.filter { $0.hasSuffix(".rules") }.sorted().map { file in
      let name = String(file.dropLast(".rules".count))
      return SampleFile(
        name: name, source: try String(contentsOf: folder.appending(path: file), encoding: .utf8),
        sample: try RulesSample(Data(contentsOf: folder.appending(path: "\(name).json"))))
    }
  }
}
