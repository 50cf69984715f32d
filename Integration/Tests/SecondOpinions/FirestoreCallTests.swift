import Foundation
import TenonTestSupport
import TenonTransport
import Testing

/// Google's google-cloud-firestore over gRPC, on the embedded backend and on Google's emulator.
@Suite(.limited(of: .processes), .secondOpinions) struct FirestoreCallTests {
  /// The calls of `calls.py`.
  static let calls = [
    "documents", "listing", "queries", "projections", "groups", "partitions", "aggregations", "transactions",
    "batches", "deletion", "vectors", "listeners", "asynchronous",
  ]

  private func outcome(_ call: String, of environment: [String: String]) async throws -> JSON {
    let peer = try await Peer(.calls, environment: environment)
    var result = JSON.null
    try await closing(peer) { peer in result = try await peer.call(call) }
    return result
  }

  @Test(arguments: calls) func googlesClientDoesTheSameAsOnGooglesEmulator(call: String) async throws {
    try await withServedBackend { server in
      let found = try await outcome(
        call,
        of: ["FIRESTORE_EMULATOR_HOST": server.address, "GOOGLE_CLOUD_PROJECT": ServedBackend.project])
      #expect(found.object?.isEmpty == false)
      // Google's emulator has no partitions.
      guard FirestoreEmulator.isWanted, call != "partitions" else { return }
      let port = try #require(try await FirestoreEmulator.shared().origin.port)
      let expected = try await outcome(
        call,
        of: [
          "FIRESTORE_EMULATOR_HOST": "127.0.0.1:\(port)",
          "GOOGLE_CLOUD_PROJECT": "calls-\(UUID().uuidString.lowercased())",
        ])
      var compared = expected.object ?? [:]
      if call == "transactions" {
        // On a busy machine, transactions that wait for each other on Google's emulator time out in all attempts.
        for name in ["contended", "rolled back", "errors"] { compared[name] = nil }
        #expect(found["contended"] == 12 && found["rolled back"] == 12 && found["errors"] == [])
      }
      for (name, value) in compared { #expect(found[name] == value, "\(name)") }
    }
  }
}
