import Dispatch
import Foundation
import TenonFoundation
import TenonTestSupport
import Testing

@testable import TenonStorage

@Suite(.limited) struct TransferControlTests {
  @Test func progressNeverShrinks() {
    let all = Lock<[OperationProgress]>([])
    let control = TransferControl { progress in all.withLock { $0.append(progress) } }
    for (completed, total) in [(5, nil), (3, nil), (5, nil), (4, 10), (4, 10), (7, 10)] as [(Int64, Int64?)] {
      control.report(completed, of: total)
    }
    control.finish()
    control.report(9, of: 10)
    #expect(
      all.withLock { $0 } == [
        OperationProgress(completedUnitCount: 5, totalUnitCount: nil),
        OperationProgress(completedUnitCount: 5, totalUnitCount: 10),
        OperationProgress(completedUnitCount: 7, totalUnitCount: 10),
      ])
    #expect(control.progress.completedUnitCount == 7)
  }

  /// The second report comes from another thread while the closure is running.
  @Test func closureIsCalledByOneThreadAtATime() async {
    let (running, most) = (Counter(), Counter())
    let control = Lock<TransferControl?>(nil)
    let numbers = Lock<[Int64]>([])
    let reported = DispatchSemaphore(value: 0)
    let created = TransferControl { progress in
      most.raise(to: running.add(1))
      numbers.withLock { $0.append(progress.completedUnitCount) }
      if progress.completedUnitCount == 1 {
        DispatchQueue.global().async {
          control.withLock { $0 }?.report(2, of: 3)
          reported.signal()
        }
        #expect(reported.wait(timeout: .now() + 30) == .success)
      }
      _ = running.add(-1)
    }
    control.withLock { $0 = created }
    await withCheckedContinuation { continuation in
      DispatchQueue.global().async {
        created.report(1, of: 3)
        continuation.resume()
      }
    }
    #expect(most.value == 1 && numbers.withLock { $0 } == [1, 2])
  }

  @Test func cancellingAPausedTransferEndsIt() async {
    let control = TransferControl()
    control.pause()
    let waiting = Task { try await control.waitWhilePaused(.system) }
    control.cancel()
    await #expect(throws: CancellationError.self) { try await waiting.value }
    #expect(control.phase == .cancelled)
  }

  /// An app can cancel a transfer before the task that runs it is known.
  @Test(arguments: [false, true]) func cancellingEndsTheTaskWhicheverIsFirst(isCancelledFirst: Bool) {
    let control = TransferControl()
    let aborted = Counter()
    if isCancelledFirst { control.cancel() }
    control.onCancel { _ = aborted.add(1) }
    control.cancel()
    #expect(aborted.value == 1)
  }

  private final class Counter: Sendable {
    private let count = Lock(0)
    var value: Int { count.withLock { $0 } }

    func add(_ number: Int) -> Int {
      count.withLock {
        $0 += number
        return $0
      }
    }

    func raise(to number: Int) { count.withLock { $0 = max($0, number) } }
  }
}
