import Foundation
import TenonDocuments
import TenonStoreInterop
import TenonTestSupport
import TenonTesting
import Testing

@testable import TenonStore
@testable import TenonStoreEngine

/// How many batches are sent before the remote has answered the first one.
@Suite(.limited) struct PipelineTests {
  /// Queues writes of text while the network isn't used, and returns the engine once its write stream is
  /// open.
  private func sent(_ count: Int, of size: Int, depth: Int) throws -> DrivenSync {
    let driven = try DrivenSync(pipelineDepth: depth)
    driven.sync.remote?.disableNetwork()
    let text = Value.string(String(repeating: "x", count: size))
    for number in 0..<count {
      let write = DocumentWrite(try ResourcePath(document: "c/\(number)"), .set(["t": text]))
      try driven.sync.write([write]) { _ in }
    }
    driven.sync.remote?.enableNetwork()
    try driven.sync.remote?.receive(.opened(token: nil))
    return driven
  }

  @Test(
    "as many small batches are sent as the remote takes",
    arguments: [(1, 1), (10, 10), (100, 100), (1_000, 120)])
  func small(depth: Int, expected: Int) throws {
    #expect(try sent(120, of: 10, depth: depth).streams.batches.count == expected)
  }

  @Test("large batches are sent ten at a time, also if the remote takes more", arguments: [3, 10, 1_000])
  func large(depth: Int) throws {
    let driven = try sent(14, of: 900_000, depth: depth)
    #expect(driven.streams.batches.count == min(depth, 10))
    // An answer makes room for one more.
    try driven.sync.remote?.receive(.committed(RemoteCommit(time: .zero, results: [.init()]), token: nil))
    #expect(driven.streams.batches.count == min(depth, 10) + 1)
    #expect(Set(driven.streams.batches.map(\.id)).count == driven.streams.batches.count)
  }

  @Test("answered batches no longer count: small ones that follow large ones are sent together")
  func answered() throws {
    let driven = try sent(8, of: 900_000, depth: 50)
    for _ in 0..<8 {
      try driven.sync.remote?.receive(.committed(RemoteCommit(time: .zero, results: [.init()]), token: nil))
    }
    for number in 0..<60 {
      let write = DocumentWrite(try ResourcePath(document: "c/s\(number)"), .set(["n": 1]))
      try driven.sync.write([write]) { _ in }
    }
    #expect(driven.streams.batches.count == 8 + 50)
  }

  @Test("batches that are large only by the elements of their array transforms count as large")
  func transforms() throws {
    let driven = try DrivenSync(pipelineDepth: 100)
    driven.sync.remote?.disableNetwork()
    let element = Value.string(String(repeating: "x", count: 900_000))
    for number in 0..<14 {
      let write = DocumentWrite(
        try ResourcePath(document: "c/\(number)"), .update([:], mask: []),
        transforms: [FieldTransform("a", number.isMultiple(of: 2) ? .union([element]) : .remove([element]))])
      try driven.sync.write([write]) { _ in }
    }
    driven.sync.remote?.enableNetwork()
    try driven.sync.remote?.receive(.opened(token: nil))
    #expect(driven.streams.batches.count == 10)
  }

  @Test(
    "a remote's depth is used within the limits of 1 and 1,000",
    arguments: [(0, 1), (-5, 1), (7, 7), (Int.max, 1_000)])
  func limits(depth: Int, expected: Int) {
    let ignored = EngineStreams.Receiver(
      listen: { _, _ in }, listenClosed: { _, _ in }, write: { _, _ in }, writeClosed: { _, _ in })
    let connection = EngineStreams(DeepRemote(pipelineDepth: depth), database: "d", receiver: ignored)
    #expect(connection.pipelineDepth == expected)
    #expect(FakeStoreRemote().pipelineDepth == 10)
  }
}

/// A remote that is asked for nothing but its depth.
private struct DeepRemote: StoreRemote {
  let pipelineDepth: Int
  private let fake = FakeStoreRemote()

  init(pipelineDepth: Int) { self.pipelineDepth = pipelineDepth }

  func listen(_ requests: AsyncStream<ListenRequest>, in context: RemoteContext) -> AsyncThrowingStream<
    ListenEvent, any Error
  > {
    fake.listen(requests, in: context)
  }
  func write(_ batches: AsyncStream<RemoteBatch>, token: Data?, in context: RemoteContext)
    -> AsyncThrowingStream<WriteEvent, any Error>
  {
    fake.write(batches, token: token, in: context)
  }
  func commit(_ batch: RemoteBatch, in context: RemoteContext) async throws -> RemoteCommit {
    try await fake.commit(batch, in: context)
  }
  func fetch(_ documents: [ResourcePath], in context: RemoteContext) async throws -> [RemoteDocument] {
    try await fake.fetch(documents, in: context)
  }
  func run(_ query: StructuredQuery, in context: RemoteContext) async throws -> [RemoteDocument] {
    try await fake.run(query, in: context)
  }
  func aggregate(_ query: StructuredQuery, _ aggregations: [QueryAggregation], in context: RemoteContext)
    async throws -> [Value]
  {
    try await fake.aggregate(query, aggregations, in: context)
  }
}
