import Foundation
import TenonCore
import TenonEmbedded
import TenonStore
import TenonStoreInterop
import TenonTestSupport
import TenonTesting
import TenonTransport
import Testing

@testable import TenonStoreSync

/// StoreSync writes to Google's emulator and reads from it.
@Suite(.limited, .firestoreEmulator)
struct StoreSyncWriteTests {
  /// Returns the options for a separate project.
  private func options() async throws -> AppOptions {
    let port = try #require(try await FirestoreEmulator.shared().origin.port)
    return AppOptions(
      projectID: "write-\(UUID().uuidString.lowercased())",
      backend: .emulator(EmulatorHosts(firestore: "127.0.0.1:\(port)")), data: .memory)
  }

  /// Returns a remote that shares no connections with other tests.
  ///
  /// A stream is opened by one request, which fails if it meets a kept connection that the emulator closes.
  /// Store opens another stream then; these tests don't.
  private func remote(_ options: AppOptions) -> FirestoreRemote {
    FirestoreRemote(
      FirestoreClient(
        http: HTTPClient(transport: SystemTransport()), auth: nil, appCheck: nil, options: options))
  }

  private func increment(_ path: String) -> DocumentWrite {
    DocumentWrite(
      ResourcePath(unchecked: path), .update([:], mask: []), transforms: [FieldTransform("n", .increment(1))])
  }

  @Test func linkingItIsEnough() async throws {
    let app = try App.configure(
      name: "store-sync-\(UUID())", options: try await options(),
      libraries: [StoreLibrary.self, StoreSyncLibrary.self, EmbeddedLibrary.self])
    let store = try Store.store(app: app)
    let note = store.document("notes/tea")
    try await note.setData(["n": 1]).confirmed()
    try await note.updateData(["n": FieldValue.increment(Int64(2))]).confirmed()
    #expect(try await note.getDocument(source: .server).fields?["n"] == 3)
    #expect(try await store.collection("notes").getDocuments(source: .server).count == 1)
    #expect(try await store.collection("notes").count.getAggregation(source: .server).count == 1)
    await app.delete()
  }

  @Test func theEmbeddedBackendKeepsItsOwnRemote() async throws {
    let app = try App.configure(
      name: "store-sync-\(UUID())",
      options: AppOptions(projectID: "demo", backend: .embedded(directory: nil), data: .memory),
      libraries: [StoreLibrary.self, StoreSyncLibrary.self, EmbeddedLibrary.self])
    try await Store.store(app: app).document("notes/tea").setData(["n": 1]).confirmed()
    let documents = try Embedded.embedded(app: app).documents()
    #expect(try await documents.get("notes/tea") == ["n": 1])
    await app.delete()
  }

  @Test func queuedBatchesGoOutTogetherAndARefusalCostsOne() async throws {
    let options = try await options()
    let remote = remote(options)
    var writing = RemoteWriting(remote, RemoteContext(), token: nil)
    for number in 0..<10 {
      let refused = DocumentWrite(
        ResourcePath(unchecked: "notes/none"), .update([:], mask: []), precondition: .exists(true))
      writing.send(RemoteBatch(writes: [increment("notes/n\(number)")] + (number == 7 ? [refused] : [])))
    }
    writing.end()
    #expect(try await writing.next() == .opened(token: nil))
    for _ in 0..<7 { #expect(try await writing.next() != nil) }
    let error = await #expect(throws: StoreRemoteError.self) { try await writing.next() }
    #expect(error?.code == .notFound)
    let paths = (0..<10).map { ResourcePath(unchecked: "notes/n\($0)") }
    let found = try await remote.fetch(paths, in: RemoteContext())
    #expect(Set(found.filter { $0.fields == ["n": 1] }.map(\.path)) == Set(paths.prefix(7)))
  }

  /// Of two writes without net effect, both return the version that is kept; of a document that is created
  /// again, a new one.
  @Test func batchesReturnTheVersionsThatAreKeptOnTheEmulatorAndTheEmbeddedBackend() async throws {
    let app = try App.configure(
      name: "store-sync-\(UUID())",
      options: AppOptions(projectID: "demo", backend: .embedded(directory: nil), data: .memory),
      libraries: [EmbeddedLibrary.self])
    let embedded = try #require(try app.resolveAll((any StoreRemote).self).first)
    let programs: [[DocumentWrite.Operation]] = [
      [.set(["n": 2]), .set(["n": 1])], [.set(["n": 1]), .set(["n": 1])], [.set(["n": 1]), .set(["n": 2])],
      [.set(["n": 2]), .set(["n": 1]), .set(["n": 1])], [.delete, .set(["n": 1])], [.set(["n": 2]), .delete],
    ]
    for (number, program) in programs.enumerated() {
      let path = ResourcePath(unchecked: "notes/n\(number)")
      var behaviours: [[Bool]] = []
      for remote in [try await remote(options()), embedded] as [any StoreRemote] {
        let created = try await remote.commit(
          RemoteBatch(writes: [DocumentWrite(path, .set(["n": 1]))]), in: RemoteContext())
        let answer = try await remote.commit(
          RemoteBatch(writes: program.map { DocumentWrite(path, $0) }), in: RemoteContext())
        let found = try await remote.fetch([path], in: RemoteContext()).first
        let versions = answer.results.map { $0.updateTime ?? answer.time }
        behaviours.append(versions.map { $0 == created.time })
        if found?.fields != nil {
          #expect(versions.allSatisfy { $0 == found?.updateTime }, "\(program)")
          let next = DocumentWrite(path, .delete, precondition: .updated(try #require(versions.last)))
          _ = try await remote.commit(RemoteBatch(writes: [next]), in: RemoteContext())
        }
      }
      #expect(behaviours[0] == behaviours[1], "\(program)")
    }
    await app.delete()
  }

  /// The emulator's own messages speak of entities, partitions and mutations.
  @Test func errorsOfTheEmulatorAreInTermsOfDocuments() async throws {
    let remote = remote(try await options())
    let present = ResourcePath(unchecked: "notes/tea")
    let missing = ResourcePath(unchecked: "notes/none/pages/12")
    _ = try await remote.commit(
      RemoteBatch(writes: [DocumentWrite(present, .set(["n": 1]))]), in: RemoteContext())
    let old = Timestamp(seconds: 1_000_000_000)
    let refused: [(DocumentWrite, StoreRemoteError.Code, String)] = [
      (
        DocumentWrite(missing, .update(["n": 1], mask: ["n"]), precondition: .exists(true)), .notFound,
        "There is no document notes/none/pages/12 to update."
      ),
      (
        DocumentWrite(present, .set(["n": 1]), precondition: .exists(false)), .alreadyExists,
        "The document notes/tea exists already."
      ),
      (
        DocumentWrite(present, .set(["n": 1]), precondition: .updated(old)), .failedPrecondition,
        "The document was changed or deleted since it was read."
      ),
    ]
    for (write, code, message) in refused {
      let error = await #expect(throws: StoreRemoteError.self) {
        try await remote.commit(RemoteBatch(writes: [write]), in: RemoteContext())
      }
      #expect(error?.code == code && error?.message == message, "\(error?.message ?? "")")
    }
  }

  @Test(.deep) func aBatchThatIsTooLargeIsRejectedAndNotRepeatedForever() async throws {
    let remote = remote(try await options())
    let text = Value.string(String(repeating: "x", count: 1_000_000))
    let writes = (0..<12).map { DocumentWrite(ResourcePath(unchecked: "notes/n\($0)"), .set(["t": text])) }
    let error = await #expect(throws: StoreRemoteError.self) {
      try await remote.commit(RemoteBatch(writes: writes), in: RemoteContext())
    }
    #expect(error?.code == .invalidArgument)
  }
}
