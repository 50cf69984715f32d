import Synchronization
import TenonFoundation

@testable import TenonCore

/// An instance that reports whether it has been released, even after its release.
final class Canary: Sensor {
  private let living = Atomic<Bool>(true)

  private init() {}

  /// Creates an instance whose memory stays allocated for a while after its release, so that `isAlive` is
  /// well defined.
  static func make() -> Canary {
    let canary = Canary()
    Graveyard.shared.withLock { $0.add(canary) }
    return canary
  }

  var isAlive: Bool { living.load(ordering: .acquiring) }

  deinit { living.store(false, ordering: .releasing) }
}

/// The protocol type under which canaries are resolved.
protocol Sensor: Sendable {
  var isAlive: Bool { get }
}

/// A value with several references, which an existential stores in a separate box.
struct SensorArray: Sensor {
  let first: Canary
  let second: any Sensor
  let third: Canary?

  static func make() -> SensorArray { SensorArray(first: .make(), second: Canary.make(), third: .make()) }

  var isAlive: Bool { first.isAlive && second.isAlive && third?.isAlive ?? false }
}

/// Keeps the memory of the most recent canaries allocated, released or not, by an unowned reference to each.
private struct Graveyard {
  private struct Grave { unowned let canary: Canary }

  static let shared = Lock(Graveyard())

  private var graves: [Grave] = []
  private var oldest = 0

  mutating func add(_ canary: Canary) {
    if graves.count < 20_000 {
      graves.append(Grave(canary: canary))
    } else {
      graves[oldest] = Grave(canary: canary)
      oldest = (oldest + 1) % graves.count
    }
  }
}
