import TenonFoundation
import TenonTestSupport
import Testing

@testable import TenonStorage

/// What a transfer does, whatever happens first.
@Suite(.limited) struct TransferControlOrderTests {
  fileprivate struct Failure: Error {}

  /// A transfer of one step, as uploads and downloads make several of them.
  private struct Transfer {
    let control = TransferControl()
    let time = TestTime()
    /// Opens when the server answers.
    let answer = Gate()
    /// Whether the step then fails.
    var fails = false
    let steps = StepCount()

    /// Runs the transfer.
    ///
    /// - Returns: the result of the step, and for how many seconds the transfer was paused.
    func run() async throws -> (result: Int, pause: Double) {
      defer { control.finish() }
      var pause = Duration.zero
      while true {
        pause += try await control.waitWhilePaused(time.source)
        let result = try await control.interruptible { [answer, fails, steps] in
          steps.begin()
          defer { steps.end() }
          try await answer.pass()
          if fails { throw Failure() }
          return 1
        }
        if let result { return (result, pause / .seconds(1)) }
      }
    }
  }

  /// How many steps run, and have run concurrently.
  private final class StepCount: Sendable {
    private let counts = Lock((running: 0, most: 0, all: 0))
    var most: Int { counts.withLock(\.most) }
    var running: Int { counts.withLock(\.running) }
    var all: Int { counts.withLock(\.all) }

    func begin() {
      counts.withLock { counts in
        counts.running += 1
        counts.all += 1
        counts.most = max(counts.most, counts.running)
      }
    }
    func end() { counts.withLock { $0.running -= 1 } }
  }

  /// How the transfer is cancelled.
  enum Cancellation: CaseIterable {
    case ofTheControl
    case ofTheTask
    case none
  }

  private static let pause = "it is paused"
  private static let resume = "it is resumed"
  private static let passing = "ten seconds pass"
  private static let answer = "the step ends"
  private static let cancel = "it is cancelled"

  /// What happens if everything is quiet between the events.
  private struct Expectation {
    var phase = TransferControl.Phase.running
    var pause = 0.0
    var hasAnswer = false

    init(_ order: [String]) {
      for event in order where phase == .running || phase == .paused {
        switch event {
        case TransferControlOrderTests.pause: phase = .paused
        case TransferControlOrderTests.resume: phase = .running
        case TransferControlOrderTests.passing: if phase == .paused { pause += 10 }
        case TransferControlOrderTests.answer: hasAnswer = true
        default: phase = .cancelled
        }
        if phase == .running, hasAnswer { phase = .finished }
      }
    }
  }

  @Test(arguments: Cancellation.allCases, [false, true])
  func everyOrderOfPausesCancellationsAndAnswers(cancellation: Cancellation, fails: Bool) async {
    await forEveryOrder { schedule in
      let transfer = Transfer(fails: fails)
      let control = transfer.control
      let task = schedule.task { try await transfer.run() }
      schedule.event(Self.pause) { control.pause() }
      schedule.event(Self.resume) { control.resume() }
      schedule.event(Self.passing) { transfer.time.advance(by: 10) }
      schedule.event(Self.answer) { transfer.answer.open() }
      switch cancellation {
      case .ofTheControl: schedule.event(Self.cancel) { control.cancel() }
      case .ofTheTask: schedule.event(Self.cancel) { task.cancel() }
      case .none: break
      }
      await schedule.play()

      if schedule.isQuietBetweenEvents {
        let expected = Expectation(schedule.order)
        // Whoever ran the transfer has finished the control.
        #expect(control.phase == (expected.phase == .paused ? .paused : .finished))
        #expect((task.result == nil) == (expected.phase == .paused))
        #expect(task.wasCancelled == (expected.phase == .cancelled))
        #expect((task.value != nil) == (expected.phase == .finished && !fails))
        if let value = task.value { #expect(value.pause == expected.pause) }
      }
      // A transfer waits only while it is paused, and goes on afterwards.
      #expect(task.result != nil || control.phase == .paused)
      #expect(task.result == nil || control.phase == .finished)
      #expect(task.result != nil || cancellation == .none)
      control.resume()
      await schedule.quiet()
      if cancellation == .none || !task.wasCancelled {
        switch task.result {
        case .success(let value): #expect(value.result == 1 && !fails)
        case .failure(let error): #expect(error is Failure && fails)
        case nil: Issue.record("The transfer doesn't go on.")
        }
      }
      #expect(transfer.steps.running == 0 && transfer.steps.most <= 1 && transfer.steps.all <= 2)
      // Nothing has an effect on a transfer that has ended.
      for action in [control.pause, control.resume, control.cancel] { action() }
      #expect(control.phase == .finished)
    }
  }

  /// The transfer doesn't notice that it was resumed in between.
  @Test func aPauseThatFollowsAnotherAtOnceCountsWithIt() async {
    await forEveryOrder { schedule in
      let transfer = Transfer()
      let control = transfer.control
      let task = schedule.task { try await transfer.run() }
      await schedule.quiet()
      control.pause()
      await schedule.quiet()
      transfer.time.advance(by: 10)
      control.resume()
      control.pause()
      await schedule.quiet()
      transfer.time.advance(by: 5)
      control.resume()
      transfer.answer.open()
      await schedule.quiet()
      #expect(task.value?.pause == 15)
    }
  }

  /// The second pause interrupts the step that the first one has made the transfer repeat.
  @Test func aTransferIsPausedAndResumedTimeAndAgain() async {
    await forEveryOrder { schedule in
      let transfer = Transfer()
      let control = transfer.control
      let task = schedule.task { try await transfer.run() }
      for _ in 0..<3 {
        await schedule.quiet()
        control.pause()
        await schedule.quiet()
        #expect(transfer.steps.running == 0 && control.phase == .paused)
        transfer.time.advance(by: 10)
        control.resume()
        await schedule.quiet()
        #expect(transfer.steps.running == 1 && control.phase == .running)
      }
      schedule.event("a last pause") { control.pause() }
      schedule.event("its end") { control.resume() }
      await schedule.play()
      control.resume()
      transfer.answer.open()
      await schedule.quiet()
      #expect(task.value?.result == 1 && task.value?.pause == 30)
      #expect(transfer.steps.most == 1)
    }
  }
}
