import Dispatch
import Synchronization
import TenonCore

/// An interface as an interop declares one.
protocol Counting: Sendable {
  func next() -> Int
}

final class Counter: Counting {
  private let step: Int
  @inline(never) init(step: Int) { self.step = step }
  @inline(never) func next() -> Int { step }
}

/// Handing out and lending an instance that exists.
enum WarmResolve {
  /// What an app without a container would use.
  enum Global {
    static let counter: any Counting = Counter(step: 1)
  }

  /// The limit for handing out a reference: one atomic load, a retain and a release.
  final class LazyHandle: Sendable {
    private let address = Atomic<UInt>(0)

    init(_ counter: any Counting) {
      address.store(UInt(bitPattern: Unmanaged.passRetained(Box(counter)).toOpaque()), ordering: .releasing)
    }

    @inline(never) var value: any Counting {
      let pointer = UnsafeRawPointer(bitPattern: address.load(ordering: .acquiring)).unsafelyUnwrapped
      return Unmanaged<Box>.fromOpaque(pointer)._withUnsafeGuaranteedRef { $0.value }
    }

    private final class Box: Sendable {
      let value: any Counting
      init(_ value: any Counting) { self.value = value }
    }
  }

  /// The container that everybody writes first.
  final class LockedDictionary: Sendable {
    private let values: Mutex<[ObjectIdentifier: any Sendable]>

    init(_ counter: any Counting) {
      values = Mutex([ObjectIdentifier((any Counting).self): counter])
    }

    @inline(never) func resolve<Value: Sendable>(_ type: Value.Type) -> Value? {
      values.withLock { $0[ObjectIdentifier(type)] } as? Value
    }
  }

  /// An object that got its reference when it was made.
  final class Injected: Sendable {
    let counter: any Counting
    init(_ counter: any Counting) { self.counter = counter }
  }

  static func measure(_ comparison: Comparison) throws -> [Measurement] {
    let container = try ComponentContainer {
      Component((any Counting).self) { _ in Counter(step: 1) }
      for index in 0..<100 {
        Component((any Counting).self) { _ in Counter(step: index) }.named("counter-\(index)")
      }
    }
    let handle = container.handle((any Counting).self)
    let lazy = LazyHandle(Counter(step: 1))
    let dictionary = LockedDictionary(Counter(step: 1))
    let injected = Injected(Counter(step: 1))
    _ = try container.resolve((any Counting).self)
    _ = try handle.with { $0.next() }

    let resolve = Contender(name: "warm-resolve") { count in
      sum(count) { (try? container.resolve((any Counting).self))?.next() ?? 0 }
    }
    let named = Contender(name: "warm-resolve-named") { count in
      sum(count) { (try? container.resolve((any Counting).self, named: "counter-7"))?.next() ?? 0 }
    }
    let borrow = Contender(name: "borrow") { count in
      sum(count) { (try? handle.with { $0.next() }) ?? 0 }
    }
    let lazyHandle = Contender(name: "lazy-handle") { count in sum(count) { lazy.value.next() } }
    let staticLet = Contender(name: "static-let") { count in sum(count) { Global.counter.next() } }
    let locked = Contender(name: "lock-and-dictionary") { count in
      sum(count) { dictionary.resolve((any Counting).self)?.next() ?? 0 }
    }
    let preInjected = Contender(name: "pre-injected") { count in sum(count) { injected.counter.next() } }

    return [
      comparison([resolve, lazyHandle, staticLet, locked, preInjected]),
      comparison([named, lazyHandle, locked]),
      comparison([borrow, staticLet, lazyHandle, preInjected]),
      comparison([resolve, lazyHandle, staticLet, locked].map(onTwoThreads)),
      comparison([borrow, staticLet, lazyHandle].map(onTwoThreads)),
    ]
  }

  @inline(__always)
  private static func sum(_ count: Int, _ body: () -> Int) -> Int {
    var sum = 0
    for _ in 0..<count { sum &+= body() }
    return sum
  }

  /// The same on two threads at once; one operation is one of each thread.
  private static func onTwoThreads(_ contender: Contender) -> Contender {
    return Contender(name: contender.name + "-2-threads") { count in
      DispatchQueue.concurrentPerform(iterations: 2) { _ in keep(contender.run(count)) }
      return count
    }
  }
}
