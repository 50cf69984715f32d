import Foundation
import TenonTestSupport
import TenonTransport
import Testing

/// Generated requests of REST and calls of gRPC on the embedded backend and on Google's emulator.
@Suite(.limited(of: .processes), .secondOpinions) struct FirestoreDifferenceTests {
  /// The number of requests: `TENON_DIFFERENCES`, or a few.
  private static let count =
    ProcessInfo.processInfo.environment["TENON_DIFFERENCES"].flatMap { Int($0) }
    ?? DeepTests.count(60, deep: 300)

  private static let seed = ProcessInfo.processInfo.environment["TENON_SEED"].flatMap { Int64($0) } ?? 1

  @Test(.enabled(if: FirestoreEmulator.isWanted))
  func whatDiffersFromGooglesEmulatorIsInTheTable() async throws {
    try await compare("differences")
  }

  @Test(.enabled(if: FirestoreEmulator.isWanted))
  func whatDiffersFromGooglesEmulatorOverGRPCIsInTheTable() async throws {
    try await compare("call_differences")
  }

  private func compare(_ call: String) async throws {
    let table = packageRoot.appending(path: "Products/Embedded/Differences.md")
    let port = try #require(try await FirestoreEmulator.shared().origin.port)
    // A project of this test's own, because the requests delete all documents.
    let project = "differences-\(UUID().uuidString.lowercased())"
    try await withServedBackend(project: project) { server in
      let peer = try await Peer(
        .differences,
        environment: [
          "TENON_SERVER": server.address, "FIRESTORE_EMULATOR": "127.0.0.1:\(port)",
          "GOOGLE_CLOUD_PROJECT": project,
        ])
      var outcome = JSON.null
      try await closing(peer) { peer in
        outcome = try await peer.call(
          call,
          ["seed": .int(Self.seed), "count": .int(Int64(Self.count)), "table": .string(table.path)])
      }
      #expect(outcome["count"] == .int(Int64(Self.count)))
      let unknown = outcome["unknown"]?.array?.compactMap(\.string) ?? ["There is no result."]
      #expect(unknown == [], "TENON_SEED=\(Self.seed) repeats it.")
    }
  }
}
