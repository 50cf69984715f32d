import TenonCore
import TenonTestSupport
import Testing

@testable import TenonStore
@testable import TenonStoreEngine

@Suite(.limited) struct EngineTimersTests {
  /// An engine with a timer, which records what happens to it and when, in seconds.
  private actor Engine {
    struct Record: Equatable {
      let name: String
      let time: Double
    }

    private let time: TestTime
    private let start: ContinuousClock.Instant
    private var timers: EngineTimers?
    private(set) var records: [Record] = []

    init(_ time: TestTime) { (self.time, start) = (time, time.now) }

    func schedule(_ name: String, after delay: Duration) {
      let timers = timers ?? EngineTimers(time.source) { [weak self] in await self?.fire($0, $1) }
      self.timers = timers
      record("\(name) is scheduled")
      timers.schedule(.reading, after: delay) { [weak self] in
        self?.assumeIsolated { $0.record("\(name) fires") }
      }
    }

    func cancel() {
      record("it is cancelled")
      timers?.cancel(.reading)
    }

    private func fire(_ timer: SyncTimer, _ number: Int) { timers?.fire(timer, number) }

    private func record(_ name: String) {
      records.append(Record(name: name, time: (time.now - start) / .seconds(1)))
    }
  }

  /// What the engine has recorded if everything is quiet between the events.
  private static func expected(_ order: [String]) -> [Engine.Record] {
    var (time, waiting) = (0.0, ("first", 10.0) as (name: String, end: Double)?)
    var records = [Engine.Record(name: "first is scheduled", time: 0)]
    for event in order {
      switch event {
      case "it is scheduled again":
        waiting = ("second", time + 20)
        records.append(Engine.Record(name: "second is scheduled", time: time))
      case "it is cancelled":
        waiting = nil
        records.append(Engine.Record(name: event, time: time))
      default:
        time += event == "10 seconds pass" ? 10 : 20
        guard let due = waiting, due.end <= time else { continue }
        waiting = nil
        records.append(Engine.Record(name: "\(due.name) fires", time: time))
      }
    }
    return records
  }

  @Test func onlyWhatWasScheduledLastFires() async {
    await forEveryOrder { schedule in
      let time = TestTime()
      let engine = Engine(time)
      await engine.schedule("first", after: .seconds(10))
      schedule.event("10 seconds pass") { time.advance(by: 10) }
      schedule.event("20 seconds pass") { time.advance(by: 20) }
      schedule.event("it is scheduled again") {
        Task { await engine.schedule("second", after: .seconds(20)) }
      }
      schedule.event("it is cancelled") { Task { await engine.cancel() } }
      await schedule.play()
      let records = await engine.records
      var scheduled: Engine.Record?
      for record in records {
        if record.name.hasSuffix("is scheduled") {
          scheduled = record
        } else if record.name == "it is cancelled" {
          scheduled = nil
        } else {
          let last = try #require(scheduled, "nothing fires that isn't scheduled: \(records)")
          let name = last.name.replacing(" is scheduled", with: "")
          #expect(record.name == "\(name) fires", "\(records)")
          #expect(record.time >= last.time + (name == "first" ? 10 : 20), "it fires too early: \(records)")
          scheduled = nil
        }
      }
      if schedule.isQuietBetweenEvents { #expect(records == Self.expected(schedule.order)) }
      await engine.cancel()
    }
  }

  @Test func theWakeUpOfAReplacedActionHasNoEffect() {
    let timers = EngineTimers(TestTime().source) { _, _ in }
    defer { timers.cancelAll() }
    var fired: [String] = []
    timers.schedule(.reading, after: .seconds(1)) { fired.append("first") }
    timers.schedule(.reading, after: .seconds(2)) { fired.append("second") }
    timers.fire(.reading, 1)
    #expect(fired == [])
    timers.fire(.reading, 2)
    timers.fire(.reading, 2)
    #expect(fired == ["second"])
  }
}
