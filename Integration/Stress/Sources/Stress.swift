import ArgumentParser
import Foundation
import TenonFoundation

/// Uses a container, Auth and Store from many threads and tasks concurrently, and checks their invariants.
///
/// Build it with `-O`: the optimizer determines the order of racing accesses, so a debug build can't show the
/// errors that this program looks for.
@main
struct Stress: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "stress",
    abstract: "Uses a container, Auth and Store from many threads concurrently, and checks their invariants.",
    discussion: """
      Container: no instance is used after its release, a shared instance is created once and deleted once, and no \
      update is seen in part. Auth: every token belongs to the user who is signed in. Store: no write is lost or applied \
      twice, and every listener ends with the result of its query.

      Exit codes: 0 success, 1 if an invariant was violated or a part hangs, 64 wrong usage.
      """,
    version: Release.version
  )

  enum Part: String, ExpressibleByArgument, CaseIterable {
    case container, auth, store
  }

  @Option(help: "The duration of each part.")
  var seconds = 20

  @Option(help: "The parts to run: container, auth or store; all of them by default.")
  var part: [Part] = Part.allCases

  @Option(help: "The seed of the random choices; taken from the clock by default.")
  var seed: UInt64?

  func validate() throws {
    guard (1...86_400).contains(seconds) else {
      throw ValidationError("--seconds must be a number from 1 to 86400.")
    }
  }

  func run() async throws {
    let seed = seed ?? UInt64(Date().timeIntervalSince1970)
    print("seed \(seed)")
    for part in part {
      let findings = Findings()
      let watchdog = Watchdog(part.rawValue, limit: .seconds(seconds + 120), findings)
      let deadline = ContinuousClock.now + .seconds(seconds)
      let done: String
      do {
        done =
          switch part {
          case .container: try await ContainerStress(findings, seed).run(until: deadline)
          case .auth:
            try await withDirectory { try await AuthStress(findings, seed, $0).run(until: deadline) }
          case .store:
            try await withDirectory { try await StoreStress(findings, seed, $0).run(until: deadline) }
          }
      } catch {
        findings.add("threw \(error)")
        done = "not finished"
      }
      watchdog.stop()
      print("\(part): \(done)")
      guard findings.isEmpty else {
        print(findings.description)
        throw ExitCode.failure
      }
    }
  }

  /// Calls a closure with a temporary directory, which is removed afterwards.
  private func withDirectory(_ body: (URL) async throws -> String) async throws -> String {
    let directory = FileManager.default.temporaryDirectory.appending(path: "tenon-stress-\(UUID())")
    try FileManager.default.createDirectory(at: directory, withIntermediateDirectories: true)
    defer { try? FileManager.default.removeItem(at: directory) }
    return try await body(directory)
  }
}
