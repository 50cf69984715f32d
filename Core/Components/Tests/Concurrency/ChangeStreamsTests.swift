import TenonCore
import TenonTesting
import Testing

@Suite(.limited) struct ChangeStreamsTests {
  @Test func streamDeliversTheFirstValueAndThenChangesOfItsKey() async {
    let streams = ChangeStreams<(id: Int, name: String)>()
    var ids = streams.stream(of: { $0.id }, { $0.name }).makeAsyncIterator()
    var names = streams.stream(of: { $0.name }, { $0.name }).makeAsyncIterator()
    streams.send((1, "a"))
    #expect(await ids.next() == "a")
    #expect(await names.next() == "a")
    streams.send((1, "b"))
    #expect(await names.next() == "b")
    streams.send((2, "b"))
    #expect(await ids.next() == "b")
    streams.send((2, "c"))
    #expect(await names.next() == "c")
  }

  @Test func streamDoesNotRepeatAnUnchangedValue() async {
    let streams = ChangeStreams<Int>()
    var values = streams.stream(of: { $0 }, { $0 }).makeAsyncIterator()
    streams.send(1)
    #expect(await values.next() == 1)
    streams.send(1)
    streams.finish()
    #expect(await values.next() == nil)
  }

  @Test func nilIsDeliveredAsAValue() async {
    let streams = ChangeStreams<Int?>()
    var values = streams.stream(of: { $0 }, { $0 }).makeAsyncIterator()
    streams.send(nil)
    #expect(await values.next() == .some(nil))
    streams.send(nil)
    streams.send(1)
    #expect(await values.next() == .some(1))
  }

  @Test func slowReaderReceivesTheNewestValue() async {
    let streams = ChangeStreams<Int>()
    var values = streams.stream(of: { $0 }, { $0 }).makeAsyncIterator()
    for value in 1...100 { streams.send(value) }
    #expect(await values.next() == 100)
  }

  @Test func finishEndsPresentAndLaterStreams() async {
    let streams = ChangeStreams<Int>()
    var early = streams.stream(of: { $0 }, { $0 }).makeAsyncIterator()
    streams.finish()
    #expect(await early.next() == nil)
    var late = streams.stream(of: { $0 }, { $0 }).makeAsyncIterator()
    streams.send(1)
    #expect(await late.next() == nil)
  }

  @Test func streamOfACancelledReaderIsReleased() async {
    final class Mark: Sendable {}
    let streams = ChangeStreams<Int>()
    weak var mark: Mark?
    do {
      let held = Mark()
      mark = held
      let stream = streams.stream(of: { $0 }) { [held] in
        _ = held; return $0
      }
      let reader = Task { for await _ in stream {} }
      reader.cancel()
      await reader.value
    }
    #expect(mark == nil)
    streams.send(1)
  }

  @Test func manyThreadsCanSendReadAndCancel() async {
    let streams = ChangeStreams<Int>()
    await withTaskGroup { group in
      for number in 0..<8 {
        group.addTask {
          for value in 0..<200 {
            streams.send(number * 1_000 + value)
            var values = streams.stream(of: { $0 }, { $0 }).makeAsyncIterator()
            streams.send(-1)
            _ = await values.next()
          }
        }
      }
    }
    streams.finish()
  }
}
