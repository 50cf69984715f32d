import TenonCore

/// The first resolution of a shared component.
enum ColdResolve {
  static func measure(_ comparison: Comparison) throws -> [Measurement] {
    let types = Array(Links.types.prefix(1_000))
    var cold: [Double] = []
    var made: [Double] = []
    for _ in 0..<comparison.repeats {
      // In a chain, the dependencies of each component exist already, because they were resolved before it.
      let container = try ComponentContainer { Configuring.declare(types) }
      cold.append(try time { for type in types { try resolve(type, from: container) } } / Double(types.count))
      made.append(time { for type in types { keep(make(type)) } } / Double(types.count))
    }
    return [
      Measurement(
        name: "cold-resolve", nanoseconds: median(cold), ratios: ["constructor": median(cold) / median(made)])
    ]
  }

  private static func time(_ body: () throws -> Void) rethrows -> Double {
    let start = ContinuousClock.now
    try body()
    return (ContinuousClock.now - start) / .nanoseconds(1)
  }

  private static func resolve<Value: Link>(_ type: Value.Type, from container: ComponentContainer) throws {
    keep(try container.resolve(type))
  }

  private static func make<Value: Link>(_ type: Value.Type) -> Value { Value() }
}
