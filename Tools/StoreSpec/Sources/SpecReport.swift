import Foundation

/// The results of the cases.
struct SpecReport {
  struct Failure {
    let name: String
    let message: String
  }

  /// The number of cases that passed with each persistence.
  private(set) var passed = 0
  /// The number of cases that failed with any persistence.
  private(set) var failed = 0
  /// The failures: one for each persistence with which a case failed.
  private(set) var failures: [Failure] = []
  private(set) var skipped: [(name: String, reason: String)] = []

  var succeeded: Bool { failed == 0 }
  /// Counts each case once.
  var summary: String {
    "\(passed) passed, \(failed) failed, \(skipped.count) skipped of \(passed + failed + skipped.count) cases"
  }

  /// Runs cases, each with the persistences with which it can be run.
  static func run(_ cases: [SpecCase]) throws -> SpecReport {
    var report = SpecReport()
    for spec in cases {
      if let reason = spec.reasonToSkip {
        report.skipped.append((spec.name, reason))
        continue
      }
      let failures = try spec.persistences.compactMap { persistence -> Failure? in
        do {
          try spec.run(persistence)
          return nil
        } catch let error as SpecError {
          return Failure(name: "\(spec.name) (\(persistence.rawValue))", message: error.description)
        }
      }
      report.failures += failures
      if failures.isEmpty { report.passed += 1 } else { report.failed += 1 }
    }
    return report
  }
}

extension SpecCase {
  /// Runs the case once.
  ///
  /// - Throws: ``SpecError`` with what wasn't as expected.
  func run(_ persistence: Persistence) throws {
    guard persistence == .disk else { return try SpecRun(self, path: nil).run() }
    let folder = FileManager.default.temporaryDirectory.appending(path: "store-spec-\(UUID().uuidString)")
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    defer { try? FileManager.default.removeItem(at: folder) }
    try SpecRun(self, path: folder.appending(path: "store.sqlite").path).run()
  }
}
