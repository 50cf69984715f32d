import Foundation
import TenonCore
import TenonTestSupport
import Testing

@testable import TenonEmbedded

@Suite(.limited) struct ChunkChannelTests {
  private let time = TestTime()
  private let channel: ChunkChannel

  init() { channel = ChunkChannel(time: time.source) }

  private func text(_ bytes: Data?) -> String? { bytes.map { String(decoding: $0, as: UTF8.self) } }

  /// Returns a task that has run until it waits for something.
  private func begun<Value: Sendable>(
    _ body: @escaping @Sendable () async throws -> Value
  ) async -> Task<Value, any Error> {
    // The thread runs one job after the other.
    let thread = FunctionThread()
    let task = Task(executorPreference: thread) { try await body() }
    await Task(executorPreference: thread) {}.value
    return task
  }

  @Test func bytesArriveInOrderAndEndWithTheLast() async throws {
    try await channel.send(Data("a".utf8))
    try await channel.send(Data("b".utf8))
    #expect(text(await channel.next()) == "ab")
    channel.finish(Data("c".utf8))
    channel.finish(Data("d".utf8))
    #expect(text(await channel.next()) == "c")
    #expect(await channel.next() == nil)
  }

  /// A task of the function that isn't cancelled with it.
  @Test(arguments: [false, true])
  func nothingCanBeSentAfterTheEnd(isClosed: Bool) async throws {
    if isClosed { channel.close() } else { channel.finish(Data("end".utf8)) }
    await #expect(throws: CancellationError.self) { try await channel.send(Data("late".utf8)) }
    channel.finish(Data("late".utf8))
    #expect(text(await channel.next()) == (isClosed ? nil : "end"))
    #expect(await channel.next() == nil)
  }

  enum End: CaseIterable, Sendable { case read, closed, finished, cancelled }

  /// The sender has begun to wait for the reader.
  @Test(arguments: End.allCases)
  func waitOfASenderEnds(end: End) async throws {
    try await channel.send(Data(count: ChunkChannel.capacity))
    let channel = channel
    let sending = await begun { try await channel.send(Data("more".utf8)) }
    switch end {
    case .read:
      #expect(await channel.next()?.count == ChunkChannel.capacity)
      try await sending.value
      #expect(text(await channel.next()) == "more")
      return
    case .closed: channel.close()
    case .finished: channel.finish(Data())
    case .cancelled: sending.cancel()
    }
    await #expect(throws: CancellationError.self) { try await sending.value }
  }

  @Test func heartbeatIsSentOnlyAfterSilence() async throws {
    var waits = time.waits.makeAsyncIterator()
    let channel = channel
    let beating = Task { await channel.sendHeartbeats(Data("beat".utf8), every: .seconds(30)) }
    #expect(await waits.next() == 30)
    time.advance(by: 20)
    try await channel.send(Data("message".utf8))
    #expect(text(await channel.next()) == "message")
    time.advance(by: 10)
    // Half a minute after the message.
    #expect(await waits.next() == 20)
    let reading = await begun { await channel.next() }
    time.advance(by: 20)
    #expect(text(try await reading.value) == "beat")
    beating.cancel()
    await beating.value
  }
}
