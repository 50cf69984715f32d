import TenonDocuments
import TenonStoreEngine
import TenonStoreInterop
import TenonTestSupport
import TenonTesting
import Testing

@testable import store_spec

/// Documents that a device asks the remote for one by one, and results that it asks for again, with every
/// step in a fixed order.
@Suite(.limited) struct LookUpTests {
  private static func path(_ id: Int) -> ResourcePath { ResourcePath(segments: ["c", "d\(id)"]) }

  private static func query() throws -> ListenQuery {
    ListenQuery(try RunnableQuery(StructuredQuery(parent: ResourcePath(segments: []), collectionID: "c")))
  }

  /// Another device has deleted the document in the meantime, and the remote has nothing to send for it.
  @Test func aConfirmedWriteBehindARejectedOneIsLookedUp() throws {
    let server = SimulatedServer()
    let (device, other) = (try SimulatedDevice(server), try SimulatedDevice(server))
    let (query, path) = (try Self.query(), Self.path(0))
    device.sync.remote?.disableNetwork()
    try device.write([DocumentWrite(path, .set(["n": 1]))])
    try device.write([DocumentWrite(path, .update(["n": 2], mask: ["n"]), precondition: .exists(true))])
    // The first write reaches the server, but not its answer.
    device.sync.remote?.enableNetwork()
    while try device.run(.openWrite) {}
    _ = try device.run(.takeBatch)
    try device.dropWrite()
    try other.write([DocumentWrite(path, .delete)])
    try other.settle()

    device.listen(query)
    try device.settle()
    #expect(device.held[query] == [:])
    #expect(device.isFromCache[query] == false)
  }

  /// The counts agree, so no existence filter reveals that one document has been mistaken for another.
  @Test func aResultThatLacksAFoundDocumentIsRequestedAgain() throws {
    let server = SimulatedServer()
    let device = try SimulatedDevice(server)
    let query = try Self.query()
    try device.write([DocumentWrite(Self.path(0), .set(["n": 1]))])
    device.listen(query)
    try device.settle()
    #expect(device.held[query] == [Self.path(0): ["n": 1]])

    let other = RemoteDocument(
      path: Self.path(1), fields: ["n": 2], updateTime: Timestamp(microsecondsSince1970: 1))
    try device.receive(.removed(Self.path(0), from: [2]))
    try device.receive(.document(other, added: [2], removed: []))
    try device.receive(.target(TargetChange(.noChange, readTime: server.documents.commitTime)))
    #expect(device.held[query]?.count == 2 && device.isFromCache[query] == true)

    try device.settle()
    #expect(device.held[query] == [Self.path(0): ["n": 1]])
    #expect(device.isFromCache[query] == false)
  }
}
