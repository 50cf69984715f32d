import Foundation

/// The results of a run of spec cases.
struct SpecReport {
  /// The failure of a case with one storage.
  struct Failure {
    let name: String
    let message: String
  }

  /// The number of cases that passed with every storage with which they were run.
  private(set) var passed = 0
  /// The number of cases that failed with at least one storage.
  private(set) var failed = 0
  /// The failures, one for each storage with which a case failed.
  private(set) var failures: [Failure] = []
  /// The cases that weren't run, with the reasons.
  private(set) var skipped: [(name: String, reason: String)] = []

  /// Whether no case failed.
  var succeeded: Bool { failed == 0 }
  /// The numbers of cases in words. Each case counts once.
  var summary: String {
    "\(passed) passed, \(failed) failed, \(skipped.count) skipped of \(passed + failed + skipped.count) cases"
  }

  /// Runs cases one after another, each with all suitable storages.
  ///
  /// - Throws: errors other than ``SpecError``, which is recorded as a failure.
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
  /// Runs the case with one storage. On disk, the database is in a temporary folder, which is removed
  /// afterwards. So is that of a case whose database fails, because only a disk does.
  ///
  /// - Throws: ``SpecError`` for the first expectation that wasn't met.
  func run(_ persistence: Persistence) throws {
    guard persistence == .disk || failsDatabase else {
      return try SpecRun(self, persistence, path: nil).run()
    }
    let folder = FileManager.default.temporaryDirectory.appending(path: "store-spec-\(UUID().uuidString)")
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    defer { try? FileManager.default.removeItem(at: folder) }
    try SpecRun(self, persistence, path: folder.appending(path: "store.sqlite").path).run()
  }
}
