import Foundation
import IntegrationReport
import TenonCore

/// A combination whose executable has been built.
struct BuiltCombination {
  let combination: Combination
  let program: URL

  /// - Throws: ``MatrixError`` if the executable doesn't exist.
  init(_ combination: Combination, in directory: URL) throws {
    self.combination = combination
    program = directory.appending(path: combination.executable)
    guard FileManager.default.isExecutableFile(atPath: program.path) else {
      throw MatrixError(
        "Package.swift declares \(combination.executable), but \(program.path) doesn't exist. Build it with: "
          + "swift build -c release")
    }
  }

  /// Runs the executable and measures its size.
  ///
  /// - Parameters:
  ///   - startUp: the start-up time; `nil` if it wasn't measured.
  ///   - sizeFactor: how many times as large as in a release build the executable is.
  func row(startUp: Duration? = nil, sizeFactor: Double = 1) throws -> Matrix.Row {
    let output = try Command(program.path, []).run()
    let report: IntegrationReport
    do { report = try JSONDecoder().decode(IntegrationReport.self, from: output) } catch {
      throw MatrixError("The output of \(combination.executable) isn't a report: \(error)")
    }
    return try Matrix.Row(
      combination, libraries: report.graph.libraries.map(\.name),
      features: report.features.map { ($0.name, $0.outcome) },
      size: Int((Double(StrippedBinary.size(of: program)) / sizeFactor).rounded()), startUp: startUp)
  }
}
