import ArgumentParser
import Foundation

/// Measures the container.
struct CoreCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "core",
    abstract: "Measures the container: resolving, borrowing, creating, configuring."
  )

  @Flag(help: "Print one JSON array on standard output.")
  var json = false

  @Option(help: "The number of repetitions of each measurement, of which the median is printed.")
  var repeats = 21

  @Flag(
    inversion: .prefixedNo,
    help:
      "Also count instructions, which don't depend on the machine. Default: whether valgrind is installed."
  )
  var instructions: Bool?

  func validate() throws {
    guard instructions != true || Instructions.canBeCounted else {
      throw ValidationError("--instructions needs valgrind, which isn't on the PATH.")
    }
    guard repeats > 0 else { throw ValidationError("--repeats must be at least 1, not \(repeats).") }
  }

  func run() async throws {
    let comparison = Comparison(repeats: repeats)
    var measurements = try WarmResolve.measure(comparison)
    measurements += try UniqueCreation.measure(comparison)
    measurements += try ColdResolve.measure(comparison)
    measurements += AbsentTelemetry.measure(comparison)
    measurements += try Configuring.measure(comparison)
    if instructions ?? Instructions.canBeCounted {
      do {
        measurements = try Instructions.adding(to: measurements)
      } catch {
        guard instructions == nil else { throw error }
        FileHandle.standardError.write(Data("\(error)\n".utf8))
      }
    }
    try Report.print(measurements, asJSON: json)
  }
}
