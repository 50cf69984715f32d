import TenonFoundation
import TenonTestSupport
import TenonTesting
import Testing

@testable import TenonStoreCombine

/// The reader behind every publisher. The publishers themselves are tested by a consumer that enables the
/// trait.
@Suite(.limited) struct DemandedReaderTests {
  struct Failure: Error, Equatable {}

  /// Records what it receives, and demands what the test says.
  final class Recorder: DemandedReceiver {
    typealias Element = Int
    private struct State {
      var elements: [Int] = []
      var isOver = false
      var failure: (any Error)?
      var isBusy = false
      var overlaps = 0
    }

    private let state = Lock(State())
    private let answer: @Sendable (Int) -> Int

    /// - Parameter answer: called with each element; returns the further demand.
    init(answer: @escaping @Sendable (Int) -> Int = { _ in 0 }) { self.answer = answer }

    var elements: [Int] { state.withLock { $0.elements } }
    var isOver: Bool { state.withLock { $0.isOver } }
    var failure: (any Error)? { state.withLock { $0.failure } }
    /// The number of calls during another call.
    var overlaps: Int { state.withLock { $0.overlaps } }

    func receive(_ element: Int) -> Int {
      state.withLock { state in
        if state.isBusy { state.overlaps += 1 }
        state.isBusy = true
        state.elements.append(element)
      }
      defer { state.withLock { $0.isBusy = false } }
      return answer(element)
    }

    func end(_ failure: (any Error)?) { state.withLock { ($0.isOver, $0.failure) = (true, failure) } }
  }

  private typealias Reader = DemandedReader<Int, any Error>

  /// A stream, which it doesn't keep, and a way to wait for its end.
  private struct Source {
    /// The stream, which its only reader takes.
    private final class Handover: Sendable {
      let stream: Lock<AsyncThrowingStream<Int, any Error>?>

      init(_ stream: AsyncThrowingStream<Int, any Error>) { self.stream = Lock(stream) }
    }

    private let handover: Handover
    let continuation: AsyncThrowingStream<Int, any Error>.Continuation
    private let ends: AsyncStream<Void>

    init(_ policy: AsyncThrowingStream<Int, any Error>.Continuation.BufferingPolicy = .unbounded) {
      let (stream, continuation) = AsyncThrowingStream.makeStream(of: Int.self, bufferingPolicy: policy)
      (handover, self.continuation) = (Handover(stream), continuation)
      let (ends, end) = AsyncStream<Void>.makeStream()
      self.ends = ends
      continuation.onTermination = { _ in end.finish() }
    }

    /// Takes the stream; empty if it was taken before.
    var stream: AsyncThrowingStream<Int, any Error> {
      handover.stream.withLock { $0.take() } ?? AsyncThrowingStream { nil }
    }

    func end() async { for await _ in ends {} }
  }

  @Test func everyElementArrivesInOrderAndThenTheEnd() async throws {
    let (source, recorder) = (Source(), Recorder())
    let reader = Reader(recorder, delivery: .anyThread)
    reader.demand(.max)
    reader.start(source.stream)
    for number in 0..<1_000 { source.continuation.yield(number) }
    source.continuation.finish()
    try await eventually { recorder.isOver }
    #expect(recorder.elements == Array(0..<1_000) && recorder.failure == nil && recorder.overlaps == 0)
    #expect(reader.isOver)
  }

  @Test func onlyWhatIsDemandedIsReadAndAnythingElseIsTheNewest() async throws {
    let (source, recorder) = (Source(.bufferingNewest(1)), Recorder())
    let reader = Reader(recorder, delivery: .anyThread)
    reader.start(source.stream)
    source.continuation.yield(1)
    for _ in 0..<20 { await Task.yield() }
    #expect(recorder.elements.isEmpty)
    reader.demand(0)
    reader.demand(-1)
    for _ in 0..<20 { await Task.yield() }
    #expect(recorder.elements.isEmpty)

    reader.demand(1)
    try await eventually { recorder.elements.count >= 1 }
    for number in 2...50 { source.continuation.yield(number) }
    for _ in 0..<20 { await Task.yield() }
    #expect(recorder.elements == [1])
    reader.demand(2)
    try await eventually { recorder.elements.count >= 2 }
    source.continuation.yield(51)
    try await eventually { recorder.elements.count >= 3 }
    source.continuation.yield(52)
    for _ in 0..<20 { await Task.yield() }
    #expect(recorder.elements == [1, 50, 51])
    reader.cancel()
    await source.end()
  }

  @Test func aReceiverDemandsMoreWithItsAnswerAndWithinACall() async throws {
    let readers = Lock<Reader?>(nil)
    let recorder = Recorder { element in
      switch element {
      case 0: return 1
      case 1:
        readers.withLock { $0 }?.demand(2)
        return 0
      default: return 0
      }
    }
    let (source, reader) = (Source(), Reader(recorder, delivery: .anyThread))
    readers.withLock { $0 = reader }
    for number in 0..<10 { source.continuation.yield(number) }
    reader.demand(1)
    reader.start(source.stream)
    try await eventually { recorder.elements.count >= 4 }
    for _ in 0..<20 { await Task.yield() }
    #expect(recorder.elements == [0, 1, 2, 3])
    reader.cancel()
    readers.withLock { $0 = nil }
  }

  @Test func demandsThatOverflowAreUnlimited() async throws {
    let (source, recorder) = (Source(), Recorder { _ in .max })
    let reader = Reader(recorder, delivery: .anyThread)
    for _ in 0..<3 { reader.demand(.max - 1) }
    reader.start(source.stream)
    for number in 0..<100 { source.continuation.yield(number) }
    try await eventually { recorder.elements.count >= 100 }
    reader.cancel()
  }

  @Test func aFailureArrivesAfterTheElements() async throws {
    let (source, recorder) = (Source(), Recorder())
    let reader = Reader(recorder, delivery: .mainActor)
    reader.start(source.stream)
    source.continuation.yield(1)
    source.continuation.finish(throwing: Failure())
    for _ in 0..<20 { await Task.yield() }
    #expect(!recorder.isOver)
    reader.demand(2)
    try await eventually { recorder.isOver }
    #expect(recorder.elements == [1] && recorder.failure is Failure)
  }

  @Test(arguments: [StreamDelivery.mainActor, .anyThread])
  func cancellingEndsTheStreamAndReleasesEverything(delivery: StreamDelivery) async throws {
    for (demand, elements) in [(0, 0), (0, 3), (1, 0), (.max, 3)] {
      let source = Source()
      var recorder: Recorder? = Recorder()
      var reader = recorder.map { Reader($0, delivery: delivery) }
      weak let releasedRecorder = recorder
      weak let releasedReader = reader
      for number in 0..<elements { source.continuation.yield(number) }
      reader?.demand(demand)
      reader?.start(source.stream)
      if demand > 0, elements > 0 {
        try await eventually { recorder?.elements.count == elements }
      }
      reader?.cancel()
      reader?.cancel()
      #expect(reader?.isOver == true)
      await source.end()
      (recorder, reader) = (nil, nil)
      try await eventually { releasedReader == nil }
      #expect(releasedRecorder == nil)
    }
  }

  @Test func nothingIsReceivedAfterTheReceiverCancelled() async throws {
    let readers = Lock<Reader?>(nil)
    let recorder = Recorder { element in
      if element == 2 { readers.withLock { $0.take() }?.cancel() }
      return 0
    }
    let (source, reader) = (Source(), Reader(recorder, delivery: .mainActor))
    readers.withLock { $0 = reader }
    for number in 0..<10 { source.continuation.yield(number) }
    source.continuation.finish()
    reader.demand(.max)
    reader.start(source.stream)
    try await eventually { reader.isOver }
    for _ in 0..<20 { await Task.yield() }
    #expect(recorder.elements == [0, 1, 2] && !recorder.isOver)
  }

  @MainActor @Test func onTheMainActorNothingIsReceivedAfterCancelling() async throws {
    let (source, recorder) = (
      Source(),
      Recorder { _ in
        MainActor.preconditionIsolated(); return 0
      }
    )
    let reader = Reader(recorder, delivery: .mainActor)
    reader.demand(.max)
    reader.start(source.stream)
    source.continuation.yield(1)
    try await eventually { !recorder.elements.isEmpty }
    source.continuation.yield(2)
    reader.cancel()
    await source.end()
    for _ in 0..<20 { await Task.yield() }
    #expect(recorder.elements == [1])
  }

  @Test func aReaderThatWasCancelledBeforeItsStartReadsNothing() async {
    let (source, recorder) = (Source(), Recorder())
    let reader = Reader(recorder, delivery: .anyThread)
    reader.cancel()
    reader.demand(.max)
    source.continuation.yield(1)
    reader.start(source.stream)
    await source.end()
    #expect(recorder.elements.isEmpty && !recorder.isOver)
  }

  @Test func cancellingAndDemandingFromManyThreadsIsSafe() async {
    for round in 0..<200 {
      let (source, recorder) = (Source(), Recorder { $0 % 3 == 0 ? 1 : 0 })
      let reader = Reader(recorder, delivery: round.isMultiple(of: 2) ? .anyThread : .mainActor)
      await withTaskGroup { group in
        group.addTask { reader.start(source.stream) }
        for _ in 0..<4 { group.addTask { for _ in 0..<20 { reader.demand(2) } } }
        group.addTask { for number in 0..<50 { source.continuation.yield(number) } }
        for _ in 0..<3 {
          group.addTask {
            for _ in 0..<(round % 20) { await Task.yield() }
            reader.cancel()
          }
        }
      }
      await source.end()
      #expect(recorder.elements == Array(recorder.elements.indices) && recorder.overlaps == 0)
    }
  }
}
