import TenonTestSupport
import TenonTesting
import Testing

@testable import TenonFoundation

@MainActor @Suite(.limited) struct MainActorReaderTests {
  /// An object that receives what a reader reads.
  @MainActor private final class Owner {
    var values: [Int] = []
    var isOver = false
    var error: (any Error)?
    var reader: MainActorReader?

    init(_ stream: AsyncThrowingStream<Int, any Error>) {
      reader = MainActorReader(
        stream, receive: { [weak self] in self?.values.append($0) },
        end: { [weak self] error in
          self?.error = error
          self?.isOver = true
        })
    }
  }

  private struct Failure: Error {}

  private let stream: AsyncThrowingStream<Int, any Error>
  private let continuation: AsyncThrowingStream<Int, any Error>.Continuation

  init() { (stream, continuation) = AsyncThrowingStream.makeStream() }

  @Test func elementsArriveInOrderAndThenTheEnd() async throws {
    let owner = Owner(stream)
    for number in 0..<100 { continuation.yield(number) }
    continuation.finish()
    try await eventually { owner.isOver }
    #expect(owner.values == Array(0..<100) && owner.error == nil)
  }

  @Test func anErrorArrivesAfterTheElements() async throws {
    let owner = Owner(stream)
    continuation.yield(1)
    continuation.finish(throwing: Failure())
    try await eventually { owner.isOver }
    #expect(owner.values == [1] && owner.error is Failure)
  }

  @Test func theStreamEndsWithTheReader() async throws {
    let (ends, end) = AsyncStream<Void>.makeStream()
    continuation.onTermination = { _ in end.finish() }
    var owner: Owner? = Owner(stream)
    continuation.yield(1)
    try await eventually { owner?.values.isEmpty != true }
    weak let released = owner
    owner = nil
    #expect(released == nil)
    for await _ in ends {}
  }

  @Test func nothingIsReceivedAfterTheReaderWasReleased() async {
    let (ends, end) = AsyncStream<Void>.makeStream()
    continuation.onTermination = { _ in end.finish() }
    let owner = Owner(stream)
    // The main actor is busy with this test, so neither element has been received.
    continuation.yield(1)
    continuation.yield(2)
    owner.reader = nil
    for await _ in ends {}
    for _ in 0..<10 { await Task.yield() }
    #expect(owner.values.isEmpty && !owner.isOver)
  }
}
