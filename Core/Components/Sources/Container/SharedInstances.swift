import Synchronization

#if canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#elseif canImport(Darwin)
  import Darwin
#elseif canImport(WinSDK)
  import WinSDK
#endif

// The one corner of Core with unsafe lines (the pthread mutex that stands in for `Mutex` under ThreadSanitizer
// apart). It hands out shared instances without a lock (R7) and still lets `delete` release them while others
// read (R8).
//
// A published instance sits in a box whose address is in an atomic. Between loading that address and retaining
// the instance a reader counts as being inside the gate. Who takes a box away first clears the address, then
// waits until nobody is inside, and only then releases the box: every reader that saw the address has retained
// by then, and every later one sees none.

/// Counts the readers that are between loading an address and retaining what is there.
///
/// `@unchecked Sendable`: the stripes are atomics in memory that this object allocates and frees; the pointer
/// itself never changes.
final class ReaderGate: @unchecked Sendable {
  /// A counter on a cache line of its own (two of 64 bytes, since processors fetch them in pairs).
  private struct Stripe: ~Copyable {
    let readers = Atomic<Int>(0)
    private let padding: (Int, Int, Int, Int, Int, Int, Int) = (0, 0, 0, 0, 0, 0, 0)
    private let morePadding: (Int, Int, Int, Int, Int, Int, Int, Int) = (0, 0, 0, 0, 0, 0, 0, 0)
  }

  private static let stripeCount = 16
  private let stripes: UnsafeMutablePointer<Stripe>

  init() {
    stripes = .allocate(capacity: Self.stripeCount)
    for index in 0..<Self.stripeCount { (stripes + index).initialize(to: Stripe()) }
  }

  deinit {
    stripes.deinitialize(count: Self.stripeCount)
    stripes.deallocate()
  }

  /// Runs `body` as a reader. `body` must be short and must not wait.
  @inline(__always)
  func read<Result>(_ body: () -> Result) -> Result {
    let stripe = stripes + Self.stripeOfThisThread()
    // Sequentially consistent on both sides: either the reader sees the cleared address, or `drain` sees the
    // reader.
    stripe.pointee.readers.wrappingAdd(1, ordering: .sequentiallyConsistent)
    defer { stripe.pointee.readers.wrappingSubtract(1, ordering: .releasing) }
    return body()
  }

  /// Returns when everybody who was inside when it was called has left.
  func drain() {
    for index in 0..<Self.stripeCount {
      while (stripes + index).pointee.readers.load(ordering: .sequentiallyConsistent) != 0 { yieldThread() }
    }
  }

  /// Threads have separate stacks, so the address of a local spreads them over the stripes without a look-up.
  @inline(__always)
  private static func stripeOfThisThread() -> Int {
    var local: UInt8 = 0
    let address = withUnsafeMutablePointer(to: &local) { UInt(bitPattern: $0) }
    // Stacks lie some 512 KiB or 8 MiB apart; frames within one rarely cross 64 KiB.
    return Int(truncatingIfNeeded: ((address &>> 16) &* 0x9E37_79B9_7F4A_7C15) &>> 60)
  }

  private func yieldThread() {
    #if os(Windows)
      _ = SwitchToThread()
    #else
      sched_yield()
    #endif
  }
}

/// Where one shared instance is published.
final class InstanceCell<Value: Sendable>: Sendable {
  /// Holds an instance so that it has an address.
  final class Box: Sendable {
    let value: Value
    init(_ value: Value) { self.value = value }
  }

  /// The address of a retained `Box`; 0 when there is none.
  private let address = Atomic<UInt>(0)

  /// The instance, if one is published.
  @inline(__always)
  func load(_ gate: ReaderGate) -> Value? {
    gate.read {
      guard let box = UnsafeRawPointer(bitPattern: address.load(ordering: .sequentiallyConsistent)) else {
        return nil
      }
      // The gate keeps the box alive; copying the value retains it.
      return Unmanaged<Box>.fromOpaque(box)._withUnsafeGuaranteedRef { $0.value }
    }
  }

  /// Publishes an instance in an empty cell.
  func publish(_ value: Value) {
    let box = Unmanaged.passRetained(Box(value))
    address.store(UInt(bitPattern: box.toOpaque()), ordering: .sequentiallyConsistent)
  }

  /// Empties the cell and gives its box. The caller must drain the gate before it lets go of the box.
  func unpublish() -> Box? {
    let old = address.exchange(0, ordering: .sequentiallyConsistent)
    guard let box = UnsafeRawPointer(bitPattern: old) else { return nil }
    return Unmanaged<Box>.fromOpaque(box).takeRetainedValue()
  }

  deinit { _ = unpublish() }
}

/// Finds the slot of a type: a frozen table with open addressing, keyed by the type's address.
struct SlotTable: Sendable {
  private struct Entry: Sendable {
    /// The type's address; 0 in an empty place.
    var type: UInt
    /// The address of the slot, which `slots` keeps alive. Copying a reference instead would count it up and down in
    /// every look-up.
    var slot: UInt
  }

  private let entries: [Entry]
  private let mask: UInt
  private let slots: [ComponentKey: any AnySlot]

  init(_ slots: [ComponentKey: any AnySlot]) {
    let plain = slots.filter { $0.key.name == nil }
    var capacity = 4
    while capacity < plain.count * 2 { capacity *= 2 }
    var entries = [Entry](repeating: Entry(type: 0, slot: 0), count: capacity)
    let mask = UInt(capacity - 1)
    for (key, slot) in plain {
      let type = UInt(bitPattern: key.type)
      var index = Self.start(type) & mask
      while entries[Int(index)].type != 0 { index = (index &+ 1) & mask }
      let address = UInt(bitPattern: Unmanaged.passUnretained(slot as AnyObject).toOpaque())
      entries[Int(index)] = Entry(type: type, slot: address)
    }
    self.entries = entries
    self.mask = mask
    self.slots = slots
  }

  /// The published instance of a type without a name; `nil` when there is none.
  @inline(__always)
  func instance<Value: Sendable>(of type: Value.Type, _ gate: ReaderGate) -> Value? {
    let wanted = UInt(bitPattern: ObjectIdentifier(type))
    var index = Self.start(wanted) & mask
    while true {
      let entry = entries[Int(index)]
      if entry.type == wanted, let slot = UnsafeRawPointer(bitPattern: entry.slot) {
        // The table is built from keys: the slot under `Value`'s address is a `Slot<Value>`, and `slots` holds it.
        return Unmanaged<Slot<Value>>.fromOpaque(slot)._withUnsafeGuaranteedRef { $0.cell.load(gate) }
      }
      if entry.type == 0 { return nil }
      index = (index &+ 1) & mask
    }
  }

  /// The slot of a key.
  subscript(key: ComponentKey) -> (any AnySlot)? { slots[key] }

  private static func start(_ type: UInt) -> UInt { (type &* 0x9E37_79B9_7F4A_7C15) &>> 32 }
}
