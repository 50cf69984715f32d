import Dispatch
import Synchronization
import TenonCore
import TenonFoundation

#if canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#elseif canImport(Darwin)
  import Darwin
#endif

/// An interface, as an interop module declares it.
protocol Counting: Sendable {
  func next() -> Int
}

final class Counter: Counting {
  private let step: Int
  @inline(never) init(step: Int) { self.step = step }
  @inline(never) func next() -> Int { step }
}

/// Returning and borrowing an instance that exists.
enum WarmResolve {
  /// What an app without a container would use.
  enum Global {
    static let counter: any Counting = Counter(step: 1)
  }

  /// The lower bound for returning a reference: one atomic load, a retain and a release.
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

  /// A dictionary behind a lock: a straightforward container, implemented well. Its values are in boxes of
  /// their types, so that reading one requires no dynamic cast.
  final class LockedDictionary: Sendable {
    private let boxes: Mutex<[ObjectIdentifier: any AnyObject & Sendable]>

    init(_ counter: any Counting) {
      boxes = Mutex([ObjectIdentifier((any Counting).self): Box(counter)])
    }

    @inline(never) func resolve<Value: Sendable>(_ type: Value.Type) -> Value? {
      boxes.withLock { $0[ObjectIdentifier(type)] }.map { unsafeDowncast($0, to: Box<Value>.self).value }
    }

    private final class Box<Value: Sendable>: Sendable {
      let value: Value
      init(_ value: Value) { self.value = value }
    }
  }

  /// An object that received its reference when it was created.
  final class PreInjected: Sendable {
    let counter: any Counting
    init(_ counter: any Counting) { self.counter = counter }
  }

  /// An object with an injected property.
  struct Screen: Sendable {
    @Injected var counter: any Counting
  }

  /// An interface that nothing provides.
  protocol Absent: Sendable {
    func next() -> Int
  }

  /// Locks that nobody else wants: that of this package, the one on which it is built, and the system's.
  final class Locks: Sendable {
    let tenon = Lock(0)
    let swift = Mutex(0)
    private let system: SystemMutex

    init() { system = SystemMutex() }

    @inline(never) func next() -> Int { system.next() }
  }

  /// A counter behind a mutex of POSIX, as Foundation's `NSLock` has one.
  private final class SystemMutex: @unchecked Sendable {
    private let mutex = UnsafeMutablePointer<pthread_mutex_t>.allocate(capacity: 1)
    private var count = 0

    init() { pthread_mutex_init(mutex, nil) }

    deinit {
      pthread_mutex_destroy(mutex)
      mutex.deallocate()
    }

    func next() -> Int {
      pthread_mutex_lock(mutex)
      defer { pthread_mutex_unlock(mutex) }
      count &+= 1
      return count
    }
  }

  /// A weak reference behind a lock: what an app without a container would use for an instance that others
  /// keep.
  final class LockedWeak: Sendable {
    private struct Reference { weak var counter: Counter? }
    private let reference: Mutex<Reference>

    init(_ counter: Counter) { reference = Mutex(Reference(counter: counter)) }

    @inline(never) var value: Counter? { reference.withLock { $0.counter } }
  }

  /// An instance of a component with an argument.
  struct Step: Sendable {
    let size: Int
  }

  /// The provider that a component stores to resolve another component later.
  struct Later: Sendable {
    let counter: Provider<any Counting>
  }

  /// Each measurement with the contenders to which it is compared.
  static func groups() throws -> [[Contender]] {
    let container = try ComponentContainer {
      Component((any Counting).self) { _ in Counter(step: 1) }
      for index in 0..<100 {
        Component((any Counting).self) { _ in Counter(step: index) }.named("counter-\(index)")
      }
      Component(Later.self, needs: .provider((any Counting).self)) { Later(counter: $1) }
      Component(Counter.self) { _ in Counter(step: 1) }.scope(.weak)
      Component(PreInjected.self, needs: .required((any Counting).self)) { PreInjected($1) }.scope(.graph)
      Component(Step.self, arguments: Int.self) { _, size in Step(size: size) }
    }
    let kept = try container.resolve(Counter.self)
    let lockedWeak = LockedWeak(kept)
    let handle = container.handle((any Counting).self)
    let lazy = LazyHandle(Counter(step: 1))
    let dictionary = LockedDictionary(Counter(step: 1))
    let locks = Locks()
    let preInjected = PreInjected(Counter(step: 1))
    let screen = Screen()
    _ = try ComponentContainer.withCurrent(container) { try screen.$counter.get() }
    let provider = try container.resolve(Later.self).counter
    _ = try container.resolve((any Counting).self, named: "counter-7")
    _ = try handle.with { $0.next() }

    let resolve = Contender(name: "warm-resolve") { count in
      sum(count) { (try? container.resolve((any Counting).self))?.next() ?? 0 }
    }
    let ifPresent = Contender(name: "resolve-if-present") { count in
      sum(count) { (try? container.resolveIfPresent((any Counting).self))??.next() ?? 0 }
    }
    let named = Contender(name: "warm-resolve-named") { count in
      sum(count) { (try? container.resolve((any Counting).self, named: "counter-7"))?.next() ?? 0 }
    }
    let absent = Contender(name: "resolve-absent") { count in
      sum(count) { (try? container.resolveIfPresent((any Absent).self))??.next() ?? 0 }
    }
    let weak = Contender(name: "weak-resolve") { count in
      // The instance exists as long as something holds it.
      withExtendedLifetime(kept) { sum(count) { (try? container.resolve(Counter.self))?.next() ?? 0 } }
    }
    let weakReference = Contender(name: "lock-and-weak") { count in
      sum(count) { lockedWeak.value?.next() ?? 0 }
    }
    let graph = Contender(name: "graph-resolve") { count in
      sum(count) { (try? container.resolve(PreInjected.self))?.counter.next() ?? 0 }
    }
    let argument = Contender(name: "resolve-argument") { count in
      sum(count) { (try? container.resolve(Step.self, arguments: 1))?.size ?? 0 }
    }
    let provided = Contender(name: "provider-get") { count in
      sum(count) { (try? provider.get())?.next() ?? 0 }
    }
    let injected = Contender(name: "injected-read") { count in sum(count) { screen.counter.next() } }
    let borrow = Contender(name: "borrow") { count in
      sum(count) { (try? handle.with { $0.next() }) ?? 0 }
    }
    let lazyHandle = Contender(name: "lazy-handle") { count in sum(count) { lazy.value.next() } }
    let staticLet = Contender(name: "static-let") { count in sum(count) { Global.counter.next() } }
    let locked = Contender(name: "lock-and-dictionary") { count in
      sum(count) { dictionary.resolve((any Counting).self)?.next() ?? 0 }
    }
    let lock = Contender(name: "lock") { count in
      sum(count) {
        locks.tenon.withLock {
          $0 &+= 1; return $0
        }
      }
    }
    let mutex = Contender(name: "swift-mutex") { count in
      sum(count) {
        locks.swift.withLock {
          $0 &+= 1; return $0
        }
      }
    }
    let system = Contender(name: "pthread-mutex") { count in sum(count) { locks.next() } }
    let given = Contender(name: "pre-injected") { count in sum(count) { preInjected.counter.next() } }

    return [
      [resolve, lazyHandle, staticLet, locked, given],
      [ifPresent, resolve, lazyHandle, locked],
      [named, resolve, lazyHandle, locked],
      [absent, resolve, lazyHandle, locked],
      [weak, resolve, lazyHandle, weakReference],
      [graph, resolve, lazyHandle, locked],
      [argument, resolve, lazyHandle, locked],
      [provided, resolve, lazyHandle, locked],
      [injected, resolve, lazyHandle, locked],
      [lock, mutex, system],
      [borrow, staticLet, lazyHandle, given],
    ]
  }

  static func measure(_ comparison: Comparison) throws -> [Measurement] {
    let groups = try groups()
    let both = [groups[0].dropLast(), groups[groups.count - 1].dropLast()].map { $0.map(onTwoThreads) }
    return (groups + both).map(comparison.callAsFunction)
  }

  @inline(__always)
  private static func sum(_ count: Int, _ body: () -> Int) -> Int {
    var sum = 0
    for _ in 0..<count { sum &+= body() }
    return sum
  }

  /// The same on two threads concurrently. One operation is one on each thread.
  private static func onTwoThreads(_ contender: Contender) -> Contender {
    return Contender(name: contender.name + "-2-threads") { count in
      DispatchQueue.concurrentPerform(iterations: 2) { _ in keep(contender.run(count)) }
      return count
    }
  }
}
