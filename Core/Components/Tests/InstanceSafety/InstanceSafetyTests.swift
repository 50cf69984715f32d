import Foundation
import Synchronization
import TenonTestSupport
import TenonTesting
import Testing

@testable import TenonCore

/// Shared instances that some threads read while others remove them. Failures occur in optimized builds,
/// where the compiler may move the retain that keeps an instance alive; `.ci/run` also runs these tests with
/// `-O` (P7).
@Suite(.limited) struct InstanceSafetyTests {
  // In separate processes, because a failure can end the process.

  @Test func r5r9NoReaderReceivesAReleasedInstance() async {
    await #expect(processExitsWith: .success) {
      let container = try Readers.makeContainer()
      let readers = Readers(of: container)
      // Failures that optimization causes are rare.
      let isOptimized = !_isDebugAssertConfiguration()
      for round in 0..<(isOptimized ? 20_000 : 2_000) {
        try Readers.takeAway(from: container, round)
        if round.isMultiple(of: 16) { await Task.yield() }
      }
      #expect(await readers.stop() == 0)
    }
  }

  @Test func r8NoReaderReceivesAReleasedInstanceOfADeletedContainer() async {
    await #expect(processExitsWith: .success) {
      for _ in 0..<100 {
        let container = try Readers.makeContainer()
        let readers = Readers(of: container)
        try await readers.haveRead()
        await container.delete()
        #expect(await readers.stop() == 0)
      }
    }
  }
}

/// Threads that access the instances of a container in every possible way, until they are stopped.
final class Readers: Sendable {
  private let isStopped = Atomic<Bool>(false)
  private let released = Counter()
  private let reads = Counter()
  private let threads = DispatchGroup()

  /// An operation that a thread repeats. It returns whether every instance that it accessed was alive.
  private typealias Read = () throws -> Bool

  private static let ways: [@Sendable (ComponentContainer) -> Read] = [
    { container in { try container.resolve(Canary.self).isAlive } },
    { container in { try container.resolve((any Sensor).self).isAlive } },
    { container in { try container.resolve(SensorArray.self).isAlive } },
    { container in { try container.resolve(Canary?.self)?.isAlive ?? false } },
    { container in { try container.resolve(Canary.self, named: "second").isAlive } },
    { container in { try container.resolveIfPresent((any Sensor).self)?.isAlive ?? false } },
    { container in { try container.resolveAll((any Sensor).self).allSatisfy(\.isAlive) } },
    { container in { try container.resolve(Provider<Canary>.self).get().isAlive } },
    { container in
      let handle = container.handle(Canary.self)
      return { try handle.with { $0 }.isAlive }
    },
    { container in
      let handle = container.handle((any Sensor).self)
      return { try handle.with { $0 }.isAlive }
    },
    { container in
      let handle = container.handle(SensorArray.self)
      return { try handle.with { $0.second }.isAlive }
    },
    { container in
      let handle = container.handle(Canary.self)
      // Borrows an instance while another one is resolved.
      return { try handle.with { try container.resolve(SensorArray.self).isAlive && $0.isAlive } }
    },
  ]

  static func makeContainer() throws -> ComponentContainer {
    try ComponentContainer {
      Component(Canary.self) { _ in .make() }
      Component(Canary.self) { _ in .make() }.named("second")
      Component(Canary?.self) { _ in .make() }
      Component((any Sensor).self) { _ in SensorArray.make() }.contributing(to: (any Sensor).self) { $0 }
      Component(SensorArray.self) { _ in .make() }
      Component(Provider<Canary>.self, needs: .provider(Canary.self)) { $1 }.scope(.unique)
    }
  }

  static func takeAway(from container: ComponentContainer, _ round: Int) throws {
    switch round % 4 {
    case 0: _ = container.retireInstances { _ in true }
    case 1: _ = try container.retireInstances(of: Canary.self)
    case 2: _ = try container.retireInstances(of: (any Sensor).self)
    default: try container.update { $0.replace { Component(Canary.self) { _ in .make() } } }
    }
  }

  init(of container: ComponentContainer) {
    for way in Self.ways {
      threads.enter()
      Thread { [self] in
        let read = way(container)
        while !isStopped.load(ordering: .relaxed) {
          for _ in 0..<64 {
            // A container throws while it is being deleted.
            if (try? read()) == false { released.increment() }
          }
          reads.increment()
        }
        threads.leave()
      }.start()
    }
  }

  /// Waits until every thread has had the opportunity to read.
  func haveRead() async throws {
    try await eventually { reads.value >= Self.ways.count }
  }

  /// Ends the threads.
  ///
  /// - Returns: the number of times that a released instance was received.
  func stop() async -> Int {
    isStopped.store(true, ordering: .relaxed)
    await withCheckedContinuation { continuation in
      threads.notify(queue: .global()) { continuation.resume() }
    }
    return released.value
  }
}
