import ArgumentParser
import Foundation
import TenonFoundation

/// Writes and checks `Integration/MATRIX.md`: what each combination of products does.
@main
struct TenonMatrix: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "tenon-matrix",
    abstract: "Writes and checks Integration/MATRIX.md: what each combination of products does.",
    discussion:
      "Runs the executables that Package.swift declares for the combinations. It builds none of them.",
    version: Release.version,
    subcommands: [Generate.self, Check.self])
}

/// The options of all commands.
struct Places: ParsableArguments {
  @Option(help: "The directory of the package.")
  var package = "."

  @Option(help: "The directory of the release build; by default .build/release in the package.")
  var binaries: String?

  var packageURL: URL { URL(filePath: package, directoryHint: .isDirectory) }
  var matrix: URL { packageURL.appending(path: "Integration/MATRIX.md") }

  /// The executables of the combinations, which Package.swift declares.
  func combinations() throws -> [BuiltCombination] {
    let directory =
      binaries.map { URL(filePath: $0, directoryHint: .isDirectory) }
      ?? packageURL.appending(path: ".build/release")
    return try Combination.declared(in: packageURL).map {
      try BuiltCombination($0, in: directory)
    }
  }
}

/// Runs all combinations and writes the file.
struct Generate: ParsableCommand {
  static let configuration = CommandConfiguration(abstract: "Runs all combinations and writes the file.")

  @OptionGroup var places: Places

  @Option(help: "How often each program is started to measure its start-up time.")
  var starts = 41

  func validate() throws {
    guard starts > 0 else { throw ValidationError("--starts must be at least 1.") }
  }

  func run() throws {
    let combinations = try places.combinations()
    let rows = try zip(combinations, StartUp.medians(of: combinations.map(\.program), starts: starts))
      .map { try $0.row(startUp: $1) }
    try Matrix(rows: rows).text.write(to: places.matrix, atomically: true, encoding: .utf8)
    print("Wrote \(rows.count) rows to \(places.matrix.path).")
  }
}

/// Runs all combinations and compares the outcome with the file.
struct Check: ParsableCommand {
  static let configuration = CommandConfiguration(
    abstract: "Runs all combinations and compares the outcome with the file.",
    discussion: """
      Features, linked libraries and text must be equal. Sizes may differ by 10 %. Start-up times depend on the machine \
      and aren't compared.
      """)

  @OptionGroup var places: Places

  @Flag(
    help: """
      The build has the option -enable-testing, with which executables are about 8 % larger; their sizes are compared \
      without that.
      """)
  var enableTesting = false

  func run() throws {
    let factor = enableTesting ? StrippedBinary.testingFactor : 1
    let present = try Matrix(rows: places.combinations().map { try $0.row(sizeFactor: factor) })
    let committed = try String(contentsOf: places.matrix, encoding: .utf8)
    let comparison = Comparison(committed: committed, present: present.text)
    guard !comparison.differences.isEmpty else {
      print("Integration/MATRIX.md is current: \(present.rows.count) combinations.")
      return
    }
    for difference in comparison.differences { print(difference) }
    print("Integration/MATRIX.md isn't current. Write it again with:\n  \(Matrix.command)")
    throw ExitCode.failure
  }
}
