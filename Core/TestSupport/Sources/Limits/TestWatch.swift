import Foundation
import TenonFoundation
import TenonTesting

/// The tests that run now, whose limits are supervised on a dedicated thread: a test that blocks all threads
/// of the cooperative pool is found as well.
final class TestWatch: Sendable {
  static let shared = TestWatch()

  private let turns = Lock<(count: Int, running: [Int: TestTurn])>((0, [:]))

  private init() {
    Thread.detachNewThread {
      while true {
        Thread.sleep(forTimeInterval: 1)
        Self.shared.check()
      }
    }
  }

  private func check() {
    let patience = MachineLoad.patience
    for turn in turns.withLock({ Array($0.running.values) }) { turn.check(patience: patience) }
  }

  /// Supervises a test until ``end(_:)``.
  ///
  /// - Returns: the number of the test, for ``end(_:)``.
  func begin(_ turn: TestTurn) -> Int {
    turns.withLock { turns in
      turns.count += 1
      turns.running[turns.count] = turn
      return turns.count
    }
  }

  /// Ends the supervision of a test.
  func end(_ number: Int) { turns.withLock { $0.running[number] = nil } }
}
