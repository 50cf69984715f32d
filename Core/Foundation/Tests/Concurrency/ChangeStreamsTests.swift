import TenonFoundation
import TenonTestSupport
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
    let read = await withTaskGroup(of: [Int?].self) { group in
      for number in 0..<8 {
        group.addTask {
          var read: [Int?] = []
          for value in 0..<200 {
            let sent = number * 1_000 + value
            streams.send(sent)
            var values = streams.stream(of: { $0 }, { $0 }).makeAsyncIterator()
            streams.send(-1)
            let next = await values.next()
            // A stream delivers what is sent after its creation.
            read.append(next == sent ? nil : next)
          }
          return read
        }
      }
      return await group.reduce(into: []) { $0 += $1 }
    }
    #expect(read.count == 1_600 && !read.contains(nil))
    var last = streams.stream(of: { $0 }, { $0 }).makeAsyncIterator()
    streams.send(-2)
    #expect(await last.next() == -2)
    streams.finish()
    #expect(await last.next() == nil)
  }

  /// A reader receives what is sent between its beginning and its end, whatever the order.
  @Test func everyOrderOfValuesReadersAndEnds() async {
    await forEveryOrder { schedule in
      let streams = ChangeStreams<String>()
      let seen = Lock<[String]>([])
      let seenLater = Lock<[String]>([])
      let stream = streams.stream(of: { $0 }, { $0 })
      let reader = schedule.task { for await value in stream { seen.withLock { $0.append(value) } } }
      let later = Lock<ScheduledTask<Void>?>(nil)
      schedule.event("1") { streams.send("1") }
      schedule.event("2") { streams.send("2") }
      schedule.event("cancel") { reader.cancel() }
      schedule.event("finish") { streams.finish() }
      schedule.event("later") {
        let stream = streams.stream(of: { $0 }, { $0 })
        let task = schedule.task { for await value in stream { seenLater.withLock { $0.append(value) } } }
        later.withLock { $0 = task }
      }
      await schedule.play()
      #expect(reader.result != nil && later.withLock(\.self)?.result != nil)
      func values(_ events: some Sequence<String>) -> [String] { events.filter { $0 == "1" || $0 == "2" } }
      let live = schedule.order.prefix { $0 != "finish" }
      let expected = values(live.prefix { $0 != "cancel" })
      let expectedLater = values(live.drop { $0 != "later" })
      if schedule.isQuietBetweenEvents {
        #expect(seen.withLock(\.self) == expected && seenLater.withLock(\.self) == expectedLater)
      } else {
        // A slow reader skips values, but not the newest one.
        #expect(expectedLater.isEmpty || seenLater.withLock(\.self).last == expectedLater.last)
        #expect(Set(seen.withLock(\.self)).isSubset(of: values(live)))
      }
    }
  }
}
