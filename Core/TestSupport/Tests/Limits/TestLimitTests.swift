import Foundation
import TenonFoundation
import TenonTesting
import Testing

@testable import TenonTestSupport

/// What several tasks change.
private final class Shared<Value: Sendable>: Sendable {
  private let lock: Lock<Value>
  init(_ value: Value) { lock = Lock(value) }
  var value: Value { lock.withLock { $0 } }
  func change(_ body: @Sendable (inout Value) -> Void) { lock.withLock { body(&$0) } }
}

@Suite(.limited) struct TestLimitTests {

  @Test func onlyAsManyOperationsAsThereAreTurnsRunAtOnce() async throws {
    let turns = Turns(count: 3)
    let running = Shared((now: 0, most: 0))
    try await withThrowingTaskGroup(of: Void.self) { group in
      for _ in 0..<40 {
        group.addTask {
          try await turns.run {
            running.change { running in
              running.now += 1
              running.most = max(running.most, running.now)
            }
            for _ in 0..<5 { await Task.yield() }
            running.change { $0.now -= 1 }
          }
        }
      }
      try await group.waitForAll()
    }
    #expect(running.value.most == 3)
  }

  @Test func whoCameFirstRunsFirst() async throws {
    let turns = Turns(count: 1)
    let first = Gate()
    let others = Shared<[Int]>([])
    let holder = Task { try await turns.run { try await first.pass() } }
    await first.arrival()
    var waiting: [Task<Void, any Error>] = []
    for number in 0..<5 {
      waiting.append(Task { try await turns.run { others.change { $0.append(number) } } })
      try await eventually { turns.waitingCount == number + 1 }
    }
    first.open()
    try await holder.value
    for task in waiting { try await task.value }
    #expect(others.value == Array(0..<5))
  }

  @Test func aTurnIsGivenBackByAnOperationThatThrows() async throws {
    let turns = Turns(count: 1)
    await #expect(throws: CancellationError.self) { try await turns.run { throw CancellationError() } }
    let ran = Shared(false)
    try await turns.run { ran.change { $0 = true } }
    #expect(ran.value)
  }

  @Test func p10ATestThatExceedsItsLimitIsCancelledAndFails() async throws {
    let wasCancelled = Shared(false)
    let reports = Shared<[String]>([])
    let turn = TestTurn(
      of: "Suite/test", at: #_sourceLocation, limit: .milliseconds(1), grace: .seconds(3_600)
    ) {
      report in
      reports.change { $0.append(report) }
    }
    await withKnownIssue {
      // A separate task, because the one that runs the turn is cancelled.
      _ = await Task {
        try await turn.run {
          for await _ in AsyncStream<Void>.makeStream().stream {}
          wasCancelled.change { $0 = Task.isCancelled }
        }
      }.result
    } matching: { issue in
      issue.comments.contains { $0.rawValue.contains("hadn't ended after 0.001 seconds and was cancelled") }
    }
    #expect(wasCancelled.value)
    #expect(reports.value.count == 1)
    #expect(reports.value.first?.hasPrefix("Suite/test (TenonTestSupportTests/TestLimitTests.swift:") == true)
  }

  /// Neither the test's task nor any other of the cooperative pool could end it.
  @Test func p10ATestThatDoesNotEndAlthoughItIsCancelledEndsTheRunByName() async throws {
    let result = await #expect(processExitsWith: .exitCode(1), observing: [\.standardErrorContent]) {
      let limit = Duration.milliseconds(1)
      try await TestTurn(of: "Suite/test", at: #_sourceLocation, limit: limit, grace: limit)
        .run {
          while true { usleep(1_000) }
        }
    }
    let errors = String(decoding: try #require(result).standardErrorContent, as: UTF8.self)
    #expect(errors.contains("Suite/test"))
    #expect(errors.contains("doesn't end, although it was cancelled"))
  }

  @Test func aServerEndsWithTheTestThatStartedIt() async throws {
    let turn = TestTurn(of: "Suite/test", at: #_sourceLocation, limit: .seconds(60))
    let started = Shared<LoopbackServer?>(nil)
    try await TestLimitTrait.$turn.withValue(turn) {
      try await turn.run {
        let server = try LoopbackServer { _ in [] }
        close(try LoopbackServer.connect(to: server.port))
        started.change { $0 = server }
      }
    }
    let server = try #require(started.value)
    #expect(throws: LoopbackServer.Failure.self) { close(try LoopbackServer.connect(to: server.port)) }
  }

  @Test(.limited(to: .seconds(7))) func aTestsTraitPrecedesThatOfItsSuite() throws {
    let turn = try #require(TestLimitTrait.turn)
    #expect(turn.limit.withLock { $0 } == .seconds(7))
  }

  @Test func theLimitOfASuiteIsThatOfItsTests() throws {
    let turn = try #require(TestLimitTrait.turn)
    #expect(turn.limit.withLock { $0 } == TestLimitTrait.limited.limit)
  }
}
