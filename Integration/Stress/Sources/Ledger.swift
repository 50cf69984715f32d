import Foundation
import Synchronization
import TenonCore
import TenonFoundation

/// Counts the instances of a container.
final class Ledger: Sendable {
  let findings: Findings
  /// The parts that exist.
  let alive = Counter()
  private let singles = Counter()
  private let single = Lock<Single?>(nil)

  init(_ findings: Findings) { self.findings = findings }

  /// Returns two parts that are always replaced together.
  func parts(_ version: Int) -> [AnyComponent] {
    [
      AnyComponent(
        Component(Part.self) { _ in Part(version: version, ledger: self) }.onDelete { $0.wasDeleted() }),
      AnyComponent(
        Component(Part.self) { _ in Part(version: version, ledger: self) }.named("right").onDelete {
          $0.wasDeleted()
        }),
    ]
  }

  /// Returns the components that are never replaced: a pair, one that reaches a part through a provider, and
  /// one that is never reset.
  var others: [AnyComponent] {
    [
      AnyComponent(
        Component(Pair.self, needs: .required(Part.self), .required(Part.self, named: "right")) {
          _, left, right in
          Pair(left: left, right: right)
        }.scope(.unique)),
      AnyComponent(
        Component(Holder.self, needs: .provider(Part.self)) { _, part in Holder(part: part) }.scope(.unique)),
      AnyComponent(
        Component(Single.self) { _ in
          self.findings.expect(self.singles.next() == 1, "a shared instance was created twice")
          return Single()
        }),
    ]
  }

  /// Checks that all callers receive the same instance.
  func check(_ found: Single) {
    let first = single.withLock { single in
      single = single ?? found
      return single
    }
    findings.expect(first === found, "two instances of a shared component")
  }

  /// Checks that every instance was released with its container.
  func close() async {
    let areGone = await eventually { alive.value == 0 }
    findings.expect(areGone, "\(alive.value) instances outlive their container")
  }
}

/// An instance of a component, which detects whether it was released.
final class Part: Sendable {
  private static let mark: UInt64 = 0x7E40_4E7E_4041_1FE5

  let version: Int
  private let ledger: Ledger
  private let life = Atomic(Part.mark)
  private let deletions = Counter()

  init(version: Int, ledger: Ledger) {
    self.version = version
    self.ledger = ledger
    ledger.alive.add(1)
  }

  deinit {
    let life = life.exchange(0, ordering: .sequentiallyConsistent)
    ledger.findings.expect(life == Self.mark, "an instance was released twice")
    ledger.alive.add(-1)
  }

  /// Uses the instance, which must be alive.
  func use() {
    let life = life.load(ordering: .relaxed)
    ledger.findings.expect(life == Self.mark, "a released instance was returned")
  }

  /// Called when the instance is deleted.
  func wasDeleted() {
    use()
    ledger.findings.expect(deletions.next() == 1, "an instance was deleted twice")
  }
}

struct Pair: Sendable {
  let left: Part
  let right: Part
}

struct Holder: Sendable {
  let part: Provider<Part>
}

final class Single: Sendable {}

/// A number that several threads increment and decrement.
final class Counter: Sendable {
  private let count = Atomic(0)

  var value: Int { count.load(ordering: .sequentiallyConsistent) }

  func add(_ number: Int) { count.add(number, ordering: .sequentiallyConsistent) }

  func next() -> Int { count.add(1, ordering: .sequentiallyConsistent).newValue }
}
