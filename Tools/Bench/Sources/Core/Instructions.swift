import ArgumentParser
import Foundation
import Synchronization

/// Counts the instructions of one operation, which don't depend on the speed and load of the machine.
///
/// Callgrind, a tool of valgrind, runs this program again as ``CountedCommand`` and counts the instructions
/// between ``beginCounting()`` and ``endCounting()``. Each contender runs once with a number of operations
/// and once with twice as many; the difference excludes the instructions around the operations.
enum Instructions {
  /// Whether valgrind is installed.
  static var canBeCounted: Bool { valgrind != nil }

  private static var valgrind: URL? { tool("valgrind") }

  private static func tool(_ name: String) -> URL? {
    let path = ProcessInfo.processInfo.environment["PATH"] ?? ""
    let candidates = path.split(separator: ":").map { URL(filePath: String($0)).appending(path: name) }
    return candidates.first { FileManager.default.isExecutableFile(atPath: $0.path) }
  }

  /// The groups of contenders to count, by name, with the number of operations of the shorter run.
  static func groups() throws -> [(contenders: [Contender], count: Int)] {
    let warm = try WarmResolve.groups().map { (contenders: $0, count: 1_000) }
    let unique = try UniqueCreation.groups().map { (contenders: $0, count: 100) }
    let absent = AbsentTelemetry.groups().map { (contenders: $0, count: 1_000) }
    return warm + unique + absent + Configuring.groups().map { (contenders: $0, count: 1) }
  }

  /// Adds the instructions to measurements of the same contenders.
  static func adding(to measurements: [Measurement]) throws -> [Measurement] {
    let counts = try count()
    return measurements.map { measurement in
      guard let group = counts[measurement.name], let own = group[measurement.name] else {
        return measurement
      }
      var measurement = measurement
      measurement.instructions = own
      measurement.instructionRatios = group.filter { $0.key != measurement.name }.mapValues { own / $0 }
      return measurement
    }
  }

  /// Returns the instructions of each contender, by its name and that of its group, which is the name of the
  /// first contender.
  private static func count() throws -> [String: [String: Double]] {
    let directory = FileManager.default.temporaryDirectory.appending(path: "tenon-bench-\(UUID())")
    try FileManager.default.createDirectory(at: directory, withIntermediateDirectories: true)
    defer { try? FileManager.default.removeItem(at: directory) }
    let file = directory.appending(path: "counts").path
    try run(
      valgrind,
      [
        "--tool=callgrind", "--callgrind-out-file=\(file)", "--zero-before=*beginCounting*",
        "--dump-before=*endCounting*", try program(in: directory).path, CountedCommand.name,
      ])
    // The dumps are numbered from 1, in the order of the runs.
    var number = 0
    func next() throws -> Double {
      number += 1
      let dump = try String(contentsOfFile: "\(file).\(number)", encoding: .utf8)
      guard
        let line = dump.split(separator: "\n").last(where: {
          $0.hasPrefix("totals:") || $0.hasPrefix("summary:")
        }),
        let total = line.split(separator: " ").last.flatMap({ Double($0) })
      else { throw CountingFailed(reason: "\(file).\(number) has no total") }
      return total
    }
    var counts: [String: [String: Double]] = [:]
    for (contenders, count) in try groups() {
      for contender in contenders {
        let (once, twice) = (try next(), try next())
        counts[contenders[0].name, default: [:]][contender.name] = (twice - once) / Double(count)
      }
    }
    return counts
  }

  /// Returns a copy of this program without debug information, which older versions of valgrind can't read.
  private static func program(in directory: URL) throws -> URL {
    let program = URL(filePath: "/proc/self/exe").resolvingSymlinksInPath()
    guard let strip = tool("strip") ?? tool("llvm-strip") else { return program }
    let stripped = directory.appending(path: "program")
    try run(strip, ["--strip-debug", "-o", stripped.path, program.path])
    return stripped
  }

  private static func run(_ tool: URL?, _ arguments: [String]) throws {
    let process = Process()
    process.executableURL = tool
    process.arguments = arguments
    process.standardOutput = FileHandle.nullDevice
    process.standardError = FileHandle.nullDevice
    try process.run()
    process.waitUntilExit()
    guard process.terminationStatus == 0 else {
      throw CountingFailed(reason: "\(tool?.lastPathComponent ?? "") ended with an error")
    }
  }
}

/// Runs each contender twice under Callgrind. It measures nothing itself.
struct CountedCommand: ParsableCommand {
  static let name = "core-counted"
  static let configuration = CommandConfiguration(commandName: name, shouldDisplay: false)

  func run() throws {
    for (contenders, count) in try Instructions.groups() {
      for contender in contenders {
        // Work that is done only once.
        keep(contender.run(count))
        for factor in [1, 2] {
          beginCounting()
          keep(contender.run(count * factor))
          endCounting()
        }
      }
    }
  }
}

// Callgrind finds these functions by their names. Their bodies only keep the optimizer from removing the
// calls.
private let marks = Atomic<Int>(0)

@inline(never)
func beginCounting() { marks.wrappingAdd(1, ordering: .relaxed) }

@inline(never)
func endCounting() { marks.store(0, ordering: .relaxed) }

/// The reason why instructions couldn't be counted.
struct CountingFailed: Error, CustomStringConvertible {
  let reason: String
  var description: String { "The instructions can't be counted: \(reason)." }
}
