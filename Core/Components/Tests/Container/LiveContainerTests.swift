import Dispatch
import TenonFoundation
import TenonTestSupport
import Testing

@testable import TenonCore

/// R5, R8 and R9: concurrent resolutions, resets, updates and a deletion.
@Suite(.limited) struct LiveContainerTests {
  /// An instance that records the version of the graph in which it was created, and whether it is alive.
  final class Part: Sendable {
    let version: Int
    private let isAlive = Lock(true)
    init(version: Int) { self.version = version }
    deinit { isAlive.withLock { $0 = false } }
    /// Traps in a way that a sanitizer detects if the object was deallocated.
    var check: Bool { isAlive.withLock { $0 } }
  }

  struct Pair: Sendable { let left: Int, right: Int }

  private static func parts(_ version: Int) -> [AnyComponent] {
    [
      AnyComponent(Component(Part.self) { _ in Part(version: version) }),
      AnyComponent(Component(Part.self) { _ in Part(version: version) }.named("right")),
      AnyComponent(
        Component(Pair.self, needs: .required(Part.self), .required(Part.self, named: "right")) {
          _, left, right in
          Pair(left: left.version, right: right.version)
        }.scope(.unique)),
    ]
  }

  @Test func r9ReadersNeverObserveAPartialUpdate() async throws {
    let container = try ComponentContainer { Self.parts(0) }
    let isDone = Counter()
    try await withThrowingTaskGroup(of: Int.self) { group in
      for _ in 0..<3 {
        group.addTask {
          try await onThread {
            Result {
              var count = 0
              repeat {
                let pair = try container.resolve(Pair.self)
                #expect(pair.left == pair.right)
                count += 1
              } while isDone.value == 0
              return count
            }
          }.get()
        }
      }
      let update = await onThread {
        Result { for version in 1...200 { try container.update { $0.replace { Self.parts(version) } } } }
      }
      isDone.increment()
      try update.get()
      for try await count in group { #expect(count > 0) }
    }
    #expect(try container.resolve(Pair.self).left == 200)
  }

  @Test func r5r8r9ReadersBorrowersUpdatersResettersAndADeleterRunConcurrently() async throws {
    for _ in 0..<3 { try await everythingAtOnce() }
  }

  private func everythingAtOnce() async throws {
    let container = try ComponentContainer { Self.parts(0) }
    let rounds = Counter()
    let isEnough = DispatchSemaphore(value: 0)
    /// Repeats an operation until the container is deleted; returns any other error that it throws.
    @Sendable func untilDeleted(_ body: @escaping @Sendable () throws -> Void) async -> (any Error)? {
      await onThread {
        while true {
          do {
            try body()
            if rounds.increment() == 300 { isEnough.signal() }
          } catch let error as ComponentError where error.code == .containerDeleted {
            return nil
          } catch {
            return error
          }
        }
      }
    }
    let errors = await withTaskGroup(of: (any Error)?.self) { group in
      group.addTask {
        await untilDeleted {
          let part = try container.resolve(Part.self)
          #expect(part.check)
        }
      }
      group.addTask { await untilDeleted { _ = try container.resolve(Pair.self) } }
      group.addTask {
        let handle = container.handle(Part.self, named: "right")
        return await untilDeleted { try handle.with { #expect($0.check) } }
      }
      group.addTask {
        let versions = Counter()
        return await untilDeleted {
          let version = versions.increment()
          try container.update { $0.replace { Self.parts(version) } }
        }
      }
      group.addTask {
        await untilDeleted {
          _ = container.retireInstances { _ in true }
          _ = try container.retireInstances(of: Part.self)
        }
      }
      group.addTask {
        await untilDeleted {
          let child = try container.child { Component(Part.self) { _ in Part(version: -1) } }
          let part = try child.resolve(Part.self)
          #expect(part.version == -1)
        }
      }
      group.addTask {
        await onThread { isEnough.wait() }
        await container.delete()
        return nil
      }
      return await group.reduce(into: []) { if let error = $1 { $0.append(error) } }
    }
    // An update or the deletion may have just removed the component of a reset.
    let unexpected = errors.filter { ($0 as? ComponentError)?.code != .notProvided }
    #expect(unexpected.isEmpty, "\(unexpected)")
  }

  @Test func r5TwoThreadsThatResolveOneColdComponentCreateItOnce() async throws {
    for _ in 0..<100 {
      let created = Counter()
      let container = try ComponentContainer {
        Component(Motor.self) { _ in Motor(power: created.increment()) }
      }
      let gate = DispatchSemaphore(value: 0)
      async let first = onThread {
        gate.signal()
        return Result { try container.resolve(Motor.self) }
      }
      async let second = onThread {
        gate.wait()
        return Result { try container.resolve(Motor.self) }
      }
      let (one, other) = try await (first.get(), second.get())
      #expect(one === other)
      #expect(created.value == 1)
    }
  }

  @Test func retiredInstancesAreReleasedWhileHandlesExist() async throws {
    let container = try ComponentContainer { Self.parts(0) }
    let handle = container.handle(Part.self)
    weak var part: Part?
    func use() throws {
      let current = try container.resolve(Part.self)
      part = current
      try handle.with { #expect($0 === current) }
      try handle.with { #expect($0 === current) }
    }
    try use()
    await container.reset()
    #expect(part == nil)
    try use()
    try await container.update { $0.replace { Self.parts(1) } }.value
    #expect(part == nil)
    try use()
    await container.delete()
    #expect(part == nil)
    #expect(throws: ComponentError.self) { try handle.with { _ in } }
  }

  @Test func instancesAreReleasedAfterManyThreadsHaveEnded() async throws {
    let container = try ComponentContainer { Self.parts(0) }
    weak var part: Part?
    part = try container.resolve(Part.self)
    let handle = container.handle(Part.self)
    for _ in 0..<20 { await onThread { _ = try? handle.with { $0.version } } }
    #expect(part != nil)
    await container.reset()
    #expect(part == nil)
  }
}
