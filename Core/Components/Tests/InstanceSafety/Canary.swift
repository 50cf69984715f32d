import Synchronization

@testable import TenonCore

/// An instance that knows whether it has been released, and can be asked even then.
final class Canary: Sensor {
  private let living = Atomic<Bool>(true)

  private init() {}

  /// Makes one whose memory is kept for a while after its release, so that `isAlive` is well defined.
  static func make() -> Canary {
    let canary = Canary()
    Graveyard.shared.withLock { $0.add(canary) }
    return canary
  }

  var isAlive: Bool { living.load(ordering: .acquiring) }

  deinit { living.store(false, ordering: .releasing) }
}

/// What canaries are resolved as.
protocol Sensor: Sendable {
  var isAlive: Bool { get }
}

/// A value of several references, which is kept in a box of its own in an existential.
struct SensorArray: Sensor {
  let first: Canary
  let second: any Sensor
  let third: Canary?

  static func make() -> SensorArray { SensorArray(first: .make(), second: Canary.make(), third: .make()) }

  var isAlive: Bool { first.isAlive && second.isAlive && third?.isAlive ?? false }
}

/// Keeps the memory of the canaries that were made last, released or not: an unowned reference does.
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
