import ArgumentParser

/// Measures the container.
struct CoreCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "core",
    abstract: "Measures the container: resolving, borrowing, creating, configuring."
  )

  @Flag(help: "Print one JSON array on standard output.")
  var json = false

  @Option(help: "How often each measurement is repeated; the median is printed.")
  var repeats = 21

  func validate() throws {
    guard repeats > 0 else { throw ValidationError("--repeats must be at least 1, not \(repeats).") }
  }

  func run() async throws {
    let comparison = Comparison(repeats: repeats)
    var measurements = try WarmResolve.measure(comparison)
    measurements += try UniqueCreation.measure(comparison)
    measurements += try ColdResolve.measure(comparison)
    measurements += try Configuring.measure(comparison)
    try Report.print(measurements, asJSON: json)
  }
}
