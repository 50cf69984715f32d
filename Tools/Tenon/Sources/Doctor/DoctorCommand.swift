import ArgumentParser
import Foundation

/// Finds what keeps programs from building or running on this machine.
struct DoctorCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "doctor",
    abstract:
      "Checks the toolchain, system packages, options, emulators, backend and databases, and says what fixes them.",
    discussion: """
      The options are those that an app without any in its code would have: of TENON_CONFIG, or of tenon.json, google-services.json or
      GoogleService-Info.plist in the package's folder, and of the environment. For a program that runs in another folder, name that one
      with --package-path. Databases are checked in copies, so they don't change.

      EXAMPLES
        tenon doctor
        tenon doctor --package-path ../notes --data ~/.local/share/notes
        FIRESTORE_EMULATOR_HOST=127.0.0.1:8080 tenon doctor --json
      """)

  @OptionGroup var package: PackageOptions

  @Option(help: "A folder with databases of Store or of the embedded backend, which are checked for damage.")
  var data: String?

  @Flag(name: .customLong("json"), help: "Print the results as JSON.")
  var asJSON = false

  func run() async throws {
    var results = [SwiftCheck.result()] + SystemPackagesCheck.results()
    let options = OptionsCheck.discovered(in: package.folder)
    results.append(options.result)
    results += await ServersCheck.results(for: options.options)
    if let data { results += DatabasesCheck.results(in: URL(filePath: data)) }
    print(try Self.render(results, asJSON: asJSON))
    if results.contains(where: { $0.status == .problem }) { throw ExitCode.failure }
  }

  static func render(_ results: [Diagnosis], asJSON: Bool) throws -> String {
    if asJSON {
      let encoder = JSONEncoder()
      encoder.outputFormatting = [.prettyPrinted, .sortedKeys, .withoutEscapingSlashes]
      return String(decoding: try encoder.encode(results), as: UTF8.self)
    }
    let count = results.count { $0.status == .problem }
    return (results.map(\.description) + ["tenon doctor: \(count) \(count == 1 ? "problem" : "problems")"])
      .joined(separator: "\n")
  }
}
