import TenonFoundation

#if os(Linux)
  import Foundation
  import TenonTestSupport
  import TenonTesting
  import TenonThreads
  import Testing

  @testable import TenonCore

  /// `membarrier(2)` starts to fail in a running process. The test runs in a separate process, because this
  /// can't be undone. ThreadSanitizer doesn't model the call, so readers never rely on it there.
  @Suite(.limited, .enabled(if: tenon_readers_must_fence() == 0)) struct RefusedBarrierTests {
    @Test func readersRunTheirOwnBarriersWhenTheSystemRefusesIt() async {
      await #expect(processExitsWith: .success) {
        let container = try Readers.makeContainer()
        let readers = Readers(of: container)
        try await readers.haveRead()
        try #require(tenon_readers_must_fence() == 0)
        await onThread {
          SystemCallFilter.refuse(.membarrier)
          _ = container.retireInstances { _ in true }
        }
        #expect(tenon_readers_must_fence() != 0)
        for round in 0..<1_000 { try Readers.takeAway(from: container, round) }
        #expect(await readers.stop() == 0)
      }
    }

    @Test func instancesAnIdleThreadMayHaveReadAreKeptUntilItReadsAgain() async {
      await #expect(processExitsWith: .success) {
        let (hasRead, mayRead, hasReadAgain, mayEnd) = (
          DispatchSemaphore(value: 0), DispatchSemaphore(value: 0), DispatchSemaphore(value: 0),
          DispatchSemaphore(value: 0)
        )
        let journal = Journal()
        let motor = WeakMotor()
        // Core is used only by threads that end, and by one thread that reads, waits and reads again.
        let container = try await onThread {
          Result {
            try ComponentContainer {
              Component(Motor.self) { _ in motor.making() }.providing((any Engine).self) { $0 }.onDelete {
                _ in
                journal.note("deleted")
              }
            }
          }
        }.get()
        Thread {
          _ = try? container.resolve(Motor.self)
          hasRead.signal()
          mayRead.wait()
          _ = try? container.resolve(String.self)
          hasReadAgain.signal()
          mayEnd.wait()
        }.start()
        let task = await onThread {
          hasRead.wait()
          SystemCallFilter.refuse(.membarrier)
          return container.retireInstances { _ in true }
        }
        // The thread isn't visible as a reader, so nothing else waits for it, but it may have found the
        // instance.
        await task.value
        #expect(journal.entries == ["deleted"])
        #expect(motor.isAlive)
        mayRead.signal()
        await onThread { hasReadAgain.wait() }
        try await eventually { !motor.isAlive }
        mayEnd.signal()
      }
    }
  }

  /// Checks whether a motor is alive without retaining it.
  private final class WeakMotor: Sendable {
    private struct Reference { weak var motor: Motor? }

    private let reference = Lock(Reference())
    var isAlive: Bool { reference.withLock { $0.motor != nil } }

    func making() -> Motor {
      let motor = Motor()
      reference.withLock { $0.motor = motor }
      return motor
    }
  }

#endif
