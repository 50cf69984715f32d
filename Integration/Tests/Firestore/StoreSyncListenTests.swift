import Foundation
import TenonCore
import TenonDocuments
import TenonStoreInterop
import TenonTestSupport
import TenonTesting
import TenonTransport
import Testing

@testable import TenonStoreSync

/// StoreSync listens to Google's emulator.
@Suite(.limited, .deep, .firestoreEmulator)
struct StoreSyncListenTests {
  /// A remote for a separate project.
  private func remote() async throws -> FirestoreRemote {
    let emulator = try await FirestoreEmulator.shared()
    let port = try #require(emulator.origin.port)
    return FirestoreRemote(
      FirestoreClient(
        http: HTTPClient(transport: SystemTransport.shared), auth: nil, appCheck: nil,
        options: AppOptions(
          projectID: "listen-\(UUID().uuidString.lowercased())",
          backend: .emulator(EmulatorHosts(firestore: "127.0.0.1:\(port)")), data: .memory)))
  }

  /// Commits writes, again after transient errors: the emulator's transactions time out while other tests use
  /// it.
  private func commit(_ writes: [DocumentWrite], to remote: FirestoreRemote) async throws {
    while true {
      do {
        _ = try await remote.commit(RemoteBatch(writes: writes), in: RemoteContext())
        return
      } catch let error as StoreRemoteError where error.isTransient {}
    }
  }

  /// The emulator has neither resumption, nor existence filters, nor IDs of batches.
  @Test func keepsTheContractOfRemotes() async throws {
    try await StoreRemoteContract.check(
      try await remote(), database: "(default)", other: "other", abilities: [.targetErrors])
  }

  /// The emulator ends channels on which more than 9,998 documents are sent together.
  @Test(.deep) func listensToTwentyThousandDocuments() async throws {
    let (remote, context) = (try await remote(), RemoteContext())
    func path(_ id: String) -> ResourcePath { ResourcePath(segments: ["items", id]) }
    for start in stride(from: 0, to: 20_000, by: 500) {
      let writes = (start..<start + 500).map { DocumentWrite(path("d\($0)"), .set(["n": Value($0)])) }
      try await commit(writes, to: remote)
    }
    var listening = ListenClient(remote, context)
    listening.add(2, .query(StructuredQuery(parent: ResourcePath(segments: []), collectionID: "items")))
    listening.add(4, .documents([path("d1")]))
    try await listening.until { $0.isCurrent(2) && $0.isCurrent(4) }
    #expect(listening.held(2).count == 20_000)

    let writes = [
      DocumentWrite(path("d1"), .set(["n": -1])), DocumentWrite(path("d2"), .delete),
      DocumentWrite(path("new"), .set(["n": 1])),
    ]
    let commit = try await remote.commit(RemoteBatch(writes: writes), in: context)
    try await listening.until(commit.time)
    #expect(listening.held(2).count == 20_000)
    #expect(!listening.held(2).contains("d2") && listening.held(2).contains("new"))
    #expect(listening.document("d1")?.fields == ["n": -1])
    listening.end()
    try await listening.untilEnd()
  }
}
