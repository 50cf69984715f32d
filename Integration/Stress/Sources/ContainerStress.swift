import Foundation
import Synchronization
import TenonCore

/// Readers resolve, borrow and hold the instances of a container while other threads reset it, update it,
/// create children and finally delete it. This is repeated with new containers.
struct ContainerStress {
  private static let readers = 12

  private let findings: Findings
  private let seed: UInt64

  init(_ findings: Findings, _ seed: UInt64) {
    self.findings = findings
    self.seed = seed
  }

  func run(until deadline: ContinuousClock.Instant) async throws -> String {
    var (rounds, resolutions) = (0, 0)
    while !deadline.isPast, findings.isEmpty {
      resolutions += try await round(UInt64(rounds))
      rounds += 1
    }
    return "\(rounds) containers, \(resolutions) resolutions"
  }

  /// Runs one container from its creation to its deletion.
  ///
  /// - Returns: the number of resolutions.
  private func round(_ number: UInt64) async throws -> Int {
    let ledger = Ledger(findings)
    let container = try ComponentContainer {
      ledger.parts(0)
      ledger.others
    }
    let end = ContinuousClock.now + .milliseconds(250)
    let workers: [any Worker] =
      (0..<Self.readers).map { Reader(ledger: ledger, container: container, kind: $0) }
      + [
        Resetter(ledger: ledger, container: container), Updater(ledger: ledger, container: container),
        ChildMaker(ledger: ledger, container: container),
      ]
    let resolutions = await withTaskGroup(of: Int.self) { group in
      for (index, worker) in workers.enumerated() {
        let seed = seed &+ number &* 1000 &+ UInt64(index)
        group.addTask { await onThread { worker.work(seed) } }
      }
      group.addTask {
        try? await Task.sleep(until: end)
        await container.delete()
        return 0
      }
      return await group.reduce(0, +)
    }
    await ledger.close()
    return resolutions
  }
}

/// Runs a closure on a separate thread.
private func onThread<Result: Sendable>(_ body: @escaping @Sendable () -> Result) async -> Result {
  await withCheckedContinuation { continuation in Thread { continuation.resume(returning: body()) }.start() }
}

/// The work of a thread until the container is deleted.
private protocol Worker: Sendable {
  var ledger: Ledger { get }
  func step(_ random: inout SplitMix) throws
}

extension Worker {
  /// - Returns: the number of steps.
  func work(_ seed: UInt64) -> Int {
    var random = SplitMix(state: seed)
    var count = 0
    while true {
      do {
        try step(&random)
        count += 1
      } catch let error as ComponentError where error.code == .containerDeleted {
        return count
      } catch {
        ledger.findings.add("threw \(error)")
        return count
      }
    }
  }
}

/// Resolves instances in every possible way, and checks that they are alive.
private struct Reader: Worker {
  let ledger: Ledger
  let container: ComponentContainer
  let kind: Int
  let handle: ComponentHandle<Part>
  let holder: Holder?

  init(ledger: Ledger, container: ComponentContainer, kind: Int) {
    self.ledger = ledger
    self.container = container
    self.kind = kind
    handle = container.handle(Part.self)
    holder = try? container.resolve(Holder.self)
  }

  func step(_ random: inout SplitMix) throws {
    // Many reads of one kind in succession, because the critical window is a few instructions long.
    for _ in 0..<Int.random(in: 1...200, using: &random) {
      switch kind % 6 {
      case 0, 1: try container.resolve(Part.self).use()
      case 2: try container.resolve(Part.self, named: "right").use()
      case 3: try handle.with { $0.use() }
      case 4:
        try container.resolveIfPresent(Part.self)?.use()
        try holder?.part.get().use()
      default:
        let pair = try container.resolve(Pair.self)
        ledger.findings.expect(pair.left.version == pair.right.version, "an update was seen in part")
        pair.left.use()
        pair.right.use()
      }
    }
    try ledger.check(container.resolve(Single.self))
  }
}

private struct Resetter: Worker {
  let ledger: Ledger
  let container: ComponentContainer

  func step(_ random: inout SplitMix) throws {
    let resetsParts = Bool.random(using: &random)
    // Nothing waits for a reset, so that the next one begins while instances of this one are in use.
    Task {
      if resetsParts {
        // A deleted container has nothing that could be reset.
        try? await container.reset(Part.self)
      } else {
        await container.resetAll(except: Single.self)
      }
    }
    _ = try container.resolve(Single.self)
    if Int.random(in: 0..<4, using: &random) == 0 { Thread.sleep(forTimeInterval: 0.0005) }
  }
}

private struct Updater: Worker {
  let ledger: Ledger
  let container: ComponentContainer
  let version = Counter()

  func step(_ random: inout SplitMix) throws {
    let version = version.next()
    try container.update { $0.replace { ledger.parts(version) } }
    if Bool.random(using: &random) { Thread.sleep(forTimeInterval: 0.001) }
  }
}

private struct ChildMaker: Worker {
  let ledger: Ledger
  let container: ComponentContainer

  func step(_ random: inout SplitMix) throws {
    let child = try container.child { Component(Part.self) { _ in Part(version: -1, ledger: ledger) } }
    let part = try child.resolve(Part.self)
    ledger.findings.expect(part.version == -1, "a child's override wasn't used")
    part.use()
    let pair = try child.resolve(Pair.self)
    ledger.findings.expect(
      pair.left === part, "a child's component received another instance than the child's")
    try ledger.check(child.resolve(Single.self))
  }
}
