import Foundation
import TenonCore
import TenonDocuments
import TenonEmbedded
import TenonStoreInterop
import TenonTestSupport
import TenonTesting
import TenonTransport
import TenonTransportInterop
import Testing

@testable import TenonStoreSync

/// StoreSync uses the documents of the embedded backend over REST and WebChannel, within the process and over
/// loopback.
@Suite(.limited) struct StoreSyncOnEmbeddedTests {
  /// Creates a remote.
  ///
  /// - Parameters:
  ///   - transport: sends the requests.
  ///   - address: the address of the backend, which has no meaning within the process.
  private func remote(_ transport: any TransportInterop, _ address: String) -> FirestoreRemote {
    FirestoreRemote(
      FirestoreClient(
        http: HTTPClient(transport: transport), auth: nil, appCheck: nil,
        options: AppOptions(
          projectID: ServedBackend.project, backend: .emulator(EmulatorHosts(firestore: address)),
          data: .memory)
      ))
  }

  /// Calls a closure with a remote for a backend in memory, within the process.
  private func withEmbedded(_ body: (FirestoreRemote, Embedded) async throws -> Void) async throws {
    let app = try App.configure(
      name: "embedded-\(UUID())",
      options: AppOptions(projectID: ServedBackend.project, backend: .embedded(directory: nil), data: .memory)
    )
    do {
      let embedded = try Embedded.embedded(app: app)
      try await body(remote(embedded, "127.0.0.1:8080"), embedded)
    } catch {
      await app.delete()
      throw error
    }
    await app.delete()
  }

  /// What REST can't do: recognize batches by their IDs.
  private static let abilities: StoreRemoteContract.Abilities = [
    .resumption, .existenceFilters, .targetErrors,
  ]

  @Test func keepsTheContractOfRemotesWithinTheProcess() async throws {
    try await withEmbedded { remote, _ in
      try await StoreRemoteContract.check(
        remote, database: "(default)", other: "other", abilities: Self.abilities)
    }
  }

  @Test func keepsTheContractOfRemotesOverLoopback() async throws {
    try await withServedBackend { server in
      try await StoreRemoteContract.check(
        remote(SystemTransport.shared, server.address), database: "(default)", other: "other",
        abilities: Self.abilities)
    }
  }

  @Test(.deep) func listensToTwentyThousandDocuments() async throws {
    try await withEmbedded { remote, embedded in
      for start in stride(from: 0, to: 20_000, by: 5_000) {
        try await embedded.documents().commit(
          (start..<start + 5_000).map { .set("items/d\($0)", ["n": Value($0)]) })
      }
      var listening = ListenClient(remote, RemoteContext())
      listening.add(
        2, .query(StructuredQuery(parent: ResourcePath(segments: []), collectionID: "items")))
      try await listening.until { $0.isCurrent(2) }
      #expect(listening.held(2).count == 20_000)
      try await embedded.documents().delete("items/d7")
      try await listening.until { !$0.held(2).contains("d7") }
      #expect(listening.held(2).count == 19_999)
      listening.end()
    }
  }
}
