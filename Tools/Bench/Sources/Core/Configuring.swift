import CMalloc
import TenonCore

/// A generic type of which any number of distinct types can be made.
protocol Link: Sendable {
  init()
}

/// Declares, validates and configures chains of components, each with its own type.
enum Configuring {
  static func measure(_ comparison: Comparison) throws -> [Measurement] {
    var measurements: [Measurement] = []
    for size in [100, 1_000, 10_000] {
      let types = Array(Links.types.prefix(size))
      let times = try (0..<max(5, comparison.repeats)).map { _ in
        let start = ContinuousClock.now
        let container = try ComponentContainer { declare(types) }
        let taken = ContinuousClock.now - start
        keep(container)
        return taken / .nanoseconds(1)
      }
      let previous = measurements.last
      measurements.append(
        Measurement(
          name: "configure-\(size)",
          nanoseconds: median(times),
          ratios: previous.map { [$0.name: median(times) / $0.nanoseconds] } ?? [:]
        )
      )
    }
    return measurements + (try children(comparison)) + [try memory()]
  }

  /// Creates children that add one component to parents of several sizes.
  private static func children(_ comparison: Comparison) throws -> [Measurement] {
    var measurements: [Measurement] = []
    for size in [100, 1_000, 10_000] {
      let parent = try ComponentContainer { declare(Array(Links.types.prefix(size))) }
      // The first child requires an analysis of the whole graph.
      let child = try parent.child { Component(Int.self) { _ in 1 } }
      keep(child)
      let times = try (0..<max(5, comparison.repeats)).map { _ in
        let start = ContinuousClock.now
        for _ in 0..<100 { keep(try parent.child { Component(Int.self) { _ in 1 } }) }
        return (ContinuousClock.now - start) / .nanoseconds(100)
      }
      let first = measurements.first
      measurements.append(
        Measurement(
          name: "child-of-\(size)", nanoseconds: median(times),
          ratios: first.map { [$0.name: median(times) / $0.nanoseconds] } ?? [:]))
    }
    return measurements
  }

  /// Configures containers, each compared with one of a tenth of its size, to count instructions. Unlike the
  /// time, the growth of their number doesn't depend on the processor's caches.
  static func groups() -> [[Contender]] {
    let contenders = [100, 1_000, 10_000].map { size in
      let types = Array(Links.types.prefix(size))
      return Contender(name: "configure-\(size)") { count in
        for _ in 0..<count { keep(try? ComponentContainer { declare(types) }) }
        return count
      }
    }
    return [[contenders[0]], [contenders[1], contenders[0]], [contenders[2], contenders[1]]]
  }

  static func declare(_ types: [any Link.Type]) -> [AnyComponent] {
    zip(types, types.dropFirst()).reduce(into: [first(types[0])]) { components, pair in
      let (needed, type) = pair
      components.append(component(type, needing: needed))
    }
  }

  private static func first<Value: Link>(_ type: Value.Type) -> AnyComponent {
    AnyComponent(Component(type) { _ in Value() })
  }

  private static func component<Value: Link, Needed: Link>(
    _ type: Value.Type, needing needed: Needed.Type
  ) -> AnyComponent {
    AnyComponent(Component(type, needs: .required(needed)) { _, _ in Value() })
  }

  /// The memory of a configured component before its instance exists.
  private static func memory() throws -> Measurement {
    let types = Array(Links.types.prefix(1_000))
    let before = heap_bytes_in_use()
    let container = try ComponentContainer { declare(types) }
    let after = heap_bytes_in_use()
    keep(container)
    return Measurement(
      name: "memory-per-component", nanoseconds: 0, ratios: [:],
      bytes: Double(after - before) / Double(types.count))
  }
}

/// Ten thousand types.
enum Links {
  struct D0: Link {}
  struct D1: Link {}
  struct D2: Link {}
  struct D3: Link {}
  struct D4: Link {}
  struct D5: Link {}
  struct D6: Link {}
  struct D7: Link {}
  struct D8: Link {}
  struct D9: Link {}
  struct Pair<First: Link, Second: Link>: Link {}

  static let digits: [any Link.Type] = [
    D0.self, D1.self, D2.self, D3.self, D4.self, D5.self, D6.self, D7.self, D8.self, D9.self,
  ]

  static let types: [any Link.Type] = {
    let pairs = digits.flatMap { first in digits.map { pair(first, $0) } }
    return pairs.flatMap { first in pairs.map { pair(first, $0) } }
  }()

  private static func pair<First: Link, Second: Link>(
    _ first: First.Type, _ second: Second.Type
  ) -> any Link.Type {
    Pair<First, Second>.self
  }
}
