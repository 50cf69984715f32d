public import Synchronization
public import TenonThreads

// The one corner of Core with unsafe lines (the pthread mutex that stands in for `Mutex` under ThreadSanitizer
// apart). It hands out and lends shared instances without a lock (R7) while others update, reset and delete (R5, R8,
// R9).
//
// What may be taken away (an instance, a version of the graph) is reached through an atomic address. A thread that is
// about to load one first says that it reads, and says that it is done when it has retained what it found, or has
// finished with what it borrowed. Who takes something away first clears the address, then looks which threads read,
// and keeps the object until each of them has been seen to have stopped: a reader that saw the address is among them,
// and a later one sees it cleared. Readers write to a counter of their own thread only, so they cost no more when there
// are many of them. That works without a barrier in the reader, because the other side runs one on every thread
// (`tenon_fence_all_threads`); where the system has none, readers run their own.

/// What Core knows of one thread. It lives in memory of its own, whose address is the thread's `tenon_thread_state`.
@usableFromInline
struct ThreadState: ~Copyable {
  // First, because ThreadSanitizer takes a change of any of these fields for one of the first, which must not be an atomic
  // that other threads load.
  /// What the thread is creating now.
  @usableFromInline var innermost: UnsafePointer<CreationFrame>?
  /// Odd while the thread reads. Only the thread itself writes it.
  @usableFromInline let reads = Atomic<UInt>(0)
  /// The domain that it reads; 0 when there are several.
  @usableFromInline let domain = Atomic<UInt>(0)
  /// What `leave` has to see to besides, as bits: `isAwaited`, `fencesItself`. Mostly none.
  @usableFromInline let duties = Atomic<UInt8>(tenon_readers_must_fence() == 0 ? 0 : ThreadState.fencesItself)
  /// Whether something remains to be done when the outermost request has its answer.
  @usableFromInline var mustFinish = false
  var resolution = Resolution() {
    didSet { mustFinish = !resolution.isClean }
  }

  /// Somebody waits for the thread to stop reading.
  static var isAwaited: UInt8 { 1 }
  /// The thread must run its own barriers.
  @usableFromInline static var fencesItself: UInt8 { 2 }

  init() {}
}

/// A creation under way. It stands on the stack of the thread that creates, for as long as the creation runs.
@usableFromInline
struct CreationFrame {
  // Not retained, since that would cost more than the rest of a creation: a slot is held by whoever runs its
  // creation for as long as the frame stands.
  @usableFromInline unowned(unsafe) let slot: any AnySlot
  /// The creation that asked for this one.
  @usableFromInline let outer: UnsafePointer<CreationFrame>?

  @inlinable @inline(__always)
  init(_ slot: any AnySlot, inside outer: UnsafePointer<CreationFrame>?) {
    self.slot = slot
    self.outer = outer
  }
}

/// The calling thread. Not `Sendable`: a creation passes it along and never to another thread.
@usableFromInline
struct CurrentThread {
  // Valid as long as the thread runs, and nobody else has a `CurrentThread` of it.
  @usableFromInline let state: UnsafeMutablePointer<ThreadState>

  @inlinable init(_ state: UnsafeMutablePointer<ThreadState>) { self.state = state }

  @inlinable @inline(__always) static var current: CurrentThread {
    guard let known = tenon_thread_state() else { return register() }
    // Only `register` sets the address.
    return CurrentThread(known.assumingMemoryBound(to: ThreadState.self))
  }

  @usableFromInline static func register() -> CurrentThread {
    let state = UnsafeMutablePointer<ThreadState>.allocate(capacity: 1)
    state.initialize(to: ThreadState())
    let thread = CurrentThread(state)
    Reclamation.add(thread.id)
    tenon_set_thread_state(state) { address in
      guard let state = address?.assumingMemoryBound(to: ThreadState.self) else { return }
      // Forgotten first, so that nobody looks at memory that is gone.
      Reclamation.remove(ThreadID(state))
      state.deinitialize(count: 1)
      state.deallocate()
    }
    return thread
  }

  var id: ThreadID { ThreadID(state) }

  /// Whether the thread is creating something.
  @inlinable var isCreating: Bool { state.pointee.innermost != nil }

  /// Runs a slot's creation as the innermost of the thread.
  @inlinable @inline(__always)
  func creating<Result>(_ slot: any AnySlot, _ body: () throws -> Result) rethrows -> Result {
    let outer = state.pointee.innermost
    let frame = CreationFrame(slot, inside: outer)
    return try withUnsafePointer(to: frame) { frame in
      state.pointee.innermost = frame
      defer { state.pointee.innermost = outer }
      return try body()
    }
  }

  /// What is being created, from the first request to the present one.
  var slots: [any AnySlot] { Self.slots(from: state.pointee.innermost) }

  fileprivate static func slots(from innermost: UnsafePointer<CreationFrame>?) -> [any AnySlot] {
    var slots: [any AnySlot] = []
    var frame = innermost
    while let current = frame {
      slots.append(current.pointee.slot)
      frame = current.pointee.outer
    }
    return slots.reversed()
  }

  /// Says that the thread reads in `domain` from now on. Give the result to `leave`.
  @inlinable @inline(__always) func enter(_ domain: UInt) -> UInt {
    let reads = state.pointee.reads.load(ordering: .relaxed)
    if reads & 1 == 0 {
      state.pointee.domain.store(domain, ordering: .relaxed)
      state.pointee.reads.store(reads &+ 1, ordering: .relaxed)
      fence()
    } else if state.pointee.domain.load(ordering: .relaxed) != domain {
      state.pointee.domain.store(0, ordering: .relaxed)
      fence()
    }
    return reads
  }

  /// Ends what `enter` began. Reads may be nested; only the outermost counts.
  @inlinable @inline(__always) func leave(_ reads: UInt) {
    guard reads & 1 == 0 else { return }
    state.pointee.reads.store(reads &+ 2, ordering: .releasing)
    if state.pointee.duties.load(ordering: .relaxed) != 0 { leaveWithDuties() }
  }

  /// Keeps the loads that follow behind the stores before.
  @inlinable @inline(__always) func fence() {
    if state.pointee.duties.load(ordering: .relaxed) & ThreadState.fencesItself != 0 {
      atomicMemoryFence(ordering: .sequentiallyConsistent)
    } else {
      // On x86 this only binds the compiler; the processor is bound by whoever takes something away.
      atomicMemoryFence(ordering: .acquiringAndReleasing)
    }
  }

  @usableFromInline func leaveWithDuties() {
    if state.pointee.duties.load(ordering: .relaxed) & ThreadState.fencesItself != 0 {
      atomicMemoryFence(ordering: .sequentiallyConsistent)
    }
    let duties = state.pointee.duties.bitwiseAnd(~ThreadState.isAwaited, ordering: .relaxed).oldValue
    if duties & ThreadState.isAwaited != 0 { Reclamation.releaseUnread() }
  }
}

/// Tells threads apart, also from other threads.
struct ThreadID: Hashable, Sendable {
  private let address: UInt

  fileprivate init(_ state: UnsafeMutablePointer<ThreadState>) { address = UInt(bitPattern: state) }

  fileprivate var state: UnsafeMutablePointer<ThreadState> {
    // An id is looked at only while its thread is registered, or waits for a creation and so still runs.
    UnsafeMutablePointer(bitPattern: address).unsafelyUnwrapped
  }

  /// What the thread is creating. Only for a thread that waits: it stands still until it is woken, and it wrote these
  /// frames before it entered the lock under which this is called.
  var slotsWhileWaiting: [any AnySlot] { CurrentThread.slots(from: state.pointee.innermost) }
}

/// Releases what was taken away when nobody reads it any more.
enum Reclamation {
  private struct Batch {
    var readers: [(thread: ThreadID, reads: UInt)]
    var objects: [any AnyObject & Sendable]
    let whenFree: @Sendable () -> Void
  }

  private struct State {
    var threads: Set<ThreadID> = []
    var batches: [Batch] = []

    /// Takes out the batches that nobody reads any more.
    mutating func takeUnread() -> [Batch] {
      for index in batches.indices {
        batches[index].readers.removeAll { reader in
          reader.thread.state.pointee.reads.load(ordering: .acquiring) != reader.reads
        }
      }
      let unread = batches.filter(\.readers.isEmpty)
      batches.removeAll(where: \.readers.isEmpty)
      return unread
    }
  }

  private static let state = Lock(State())

  static func add(_ thread: ThreadID) { state.withLock { _ = $0.threads.insert(thread) } }

  static func remove(_ thread: ThreadID) {
    let unread = state.withLock { state in
      state.threads.remove(thread)
      for index in state.batches.indices { state.batches[index].readers.removeAll { $0.thread == thread } }
      return state.takeUnread()
    }
    release(unread)
  }

  /// Releases objects that can't be reached any more when every thread that reads `domain` now has stopped, and then
  /// calls `whenFree`. Their addresses must have been cleared before.
  static func retire(
    _ objects: [any AnyObject & Sendable],
    domain: UInt,
    whenFree: @escaping @Sendable () -> Void = {}
  ) {
    let unread = state.withLock { state in
      for thread in state.threads {
        _ = thread.state.pointee.duties.bitwiseOr(ThreadState.isAwaited, ordering: .relaxed)
      }
      // From here on, whoever found one of the addresses is seen to read, and whoever isn't seen finds none. And
      // whoever stops reading later sees that it is awaited.
      tenon_fence_all_threads()
      var readers: [(ThreadID, UInt)] = []
      for thread in state.threads {
        let reads = thread.state.pointee.reads.load(ordering: .acquiring)
        let theirs = thread.state.pointee.domain.load(ordering: .relaxed)
        if reads & 1 == 1, theirs == domain || theirs == 0 { readers.append((thread, reads)) }
      }
      state.batches.append(Batch(readers: readers, objects: objects, whenFree: whenFree))
      return state.takeUnread()
    }
    release(unread)
  }

  static func releaseUnread() { release(state.withLock { $0.takeUnread() }) }

  /// Outside the lock, because a `deinit` may do anything.
  private static func release(_ batches: [Batch]) {
    for var batch in batches {
      batch.objects = []
      batch.whenFree()
    }
  }
}

/// Holds an instance so that it has an address.
@usableFromInline
final class Box<Value: Sendable>: Sendable {
  @usableFromInline let value: Value
  init(_ value: Value) { self.value = value }

  /// The box in an object that is known to be one.
  static func known(_ object: any AnyObject & Sendable) -> Box<Value> {
    // Boxes are kept by cell, and a cell has one type.
    unsafeDowncast(object, to: Box<Value>.self)
  }
}

/// A published instance that isn't retained: valid until the thread leaves.
@usableFromInline
struct BorrowedInstance<Value: Sendable> {
  @usableFromInline let box: Unmanaged<Box<Value>>

  @inlinable @inline(__always) init(box: Unmanaged<Box<Value>>) { self.box = box }

  /// The instance, retained.
  @inlinable @inline(__always) var value: Value { box._withUnsafeGuaranteedRef { $0.value } }

  /// Lends the instance without retaining it.
  @inlinable @inline(__always)
  func lend<Result>(_ body: (Value) throws -> Result) rethrows -> Result {
    try box._withUnsafeGuaranteedRef { try body($0.value) }
  }
}

/// An object that can be replaced while others read it.
@usableFromInline
struct AtomicReference<Object: AnyObject & Sendable>: ~Copyable, Sendable {
  /// The address of a retained object; 0 when there is none.
  @usableFromInline let address = Atomic<UInt>(0)

  init() {}

  /// The object, not retained, if there is one. Call it between `enter` and `leave`.
  @inlinable @inline(__always) var unretained: Unmanaged<Object>? {
    // Whoever clears the address keeps the object until this thread has left.
    UnsafeRawPointer(bitPattern: address.load(ordering: .acquiring)).map { Unmanaged.fromOpaque($0) }
  }

  /// Runs `body` with the object, not retained, if there is one. Call it between `enter` and `leave`.
  @inlinable @inline(__always) func borrow<Result>(_ body: (Object) throws -> Result) rethrows -> Result? {
    guard let object = unretained else { return nil }
    return try object._withUnsafeGuaranteedRef { try body($0) }
  }

  /// Puts an object in, and gives the one that was there. Retire it; don't just let go of it.
  func exchange(_ object: consuming Object?) -> Object? {
    let new = object.map { UInt(bitPattern: Unmanaged.passRetained($0).toOpaque()) } ?? 0
    let old = address.exchange(new, ordering: .sequentiallyConsistent)
    return UnsafeRawPointer(bitPattern: old).map { Unmanaged<Object>.fromOpaque($0).takeRetainedValue() }
  }

  deinit { _ = exchange(nil) }
}

/// Finds the cell and the slot of a type: a frozen table with open addressing, keyed by the type's address.
@usableFromInline
struct SlotTable: Sendable {
  @usableFromInline
  struct Entry: Sendable {
    /// The type's address; 0 in an empty place.
    @usableFromInline var type: UInt
    // The addresses of the cell and the slot, which the wiring keeps alive. Copying references instead would count
    // them up and down in every look-up.
    @usableFromInline var cell: UInt
    @usableFromInline var slot: UInt
  }

  @usableFromInline let entries: [Entry]
  @usableFromInline let mask: UInt

  init(_ slots: [ComponentKey: any AnySlot]) {
    var capacity = 4
    while capacity < slots.count * 2 { capacity *= 2 }
    var entries = [Entry](repeating: Entry(type: 0, cell: 0, slot: 0), count: capacity)
    let mask = UInt(capacity - 1)
    for (key, slot) in slots where key.name == nil {
      let type = UInt(bitPattern: key.type)
      var index = Self.start(type) & mask
      while entries[Int(index)].type != 0 { index = (index &+ 1) & mask }
      entries[Int(index)] = Entry(
        type: type,
        cell: UInt(bitPattern: Unmanaged.passUnretained(slot.cell).toOpaque()),
        slot: UInt(bitPattern: Unmanaged.passUnretained(slot as AnyObject).toOpaque())
      )
    }
    self.entries = entries
    self.mask = mask
  }

  /// The place of a type without a name.
  @inlinable @inline(__always) func entry(of type: any Any.Type) -> Entry? {
    let wanted = UInt(bitPattern: ObjectIdentifier(type))
    var index = Self.start(wanted) & mask
    while true {
      let entry = entries[Int(truncatingIfNeeded: index)]
      if entry.type == wanted { return entry }
      if entry.type == 0 { return nil }
      index = (index &+ 1) & mask
    }
  }

  @inlinable static func start(_ type: UInt) -> UInt { (type &* 0x9E37_79B9_7F4A_7C15) &>> 32 }
}

extension SlotTable.Entry {
  // The table is built from keys: what stands under `Value`'s address are a cell and a slot of `Value`.

  /// The published instance, not retained, if there is one.
  @inlinable @inline(__always)
  func instance<Value: Sendable>(of type: Value.Type) -> BorrowedInstance<Value>? {
    let cell = UnsafeRawPointer(bitPattern: cell).unsafelyUnwrapped
    return Unmanaged<InstanceCell>.fromOpaque(cell)._withUnsafeGuaranteedRef { $0.instance(of: type) }
  }

  /// The slot, retained.
  @inlinable @inline(__always) func slot<Value: Sendable>(of type: Value.Type) -> Slot<Value> {
    let slot = UnsafeRawPointer(bitPattern: slot).unsafelyUnwrapped
    return Unmanaged<Slot<Value>>.fromOpaque(slot).takeUnretainedValue()
  }
}

extension AnySlot {
  /// This slot with its type. A key has one type, and so has the slot under it.
  @usableFromInline func typed<Value: Sendable>(_ type: Value.Type) -> Slot<Value> {
    unsafeDowncast(self, to: Slot<Value>.self)
  }
}

extension InstanceCell {
  /// The published instance, not retained, if there is one. Call it between `enter` and `leave`, and with the type of the
  /// key: a cell serves one.
  @inlinable @inline(__always)
  func instance<Value: Sendable>(of type: Value.Type) -> BorrowedInstance<Value>? {
    UnsafeRawPointer(bitPattern: address.load(ordering: .acquiring)).map {
      BorrowedInstance(box: .fromOpaque($0))
    }
  }

  /// Puts a box in, and gives the one that was there. Retire it; don't just let go of it.
  func exchange(_ box: (any AnyObject & Sendable)?) -> (any AnyObject & Sendable)? {
    let new = box.map { UInt(bitPattern: Unmanaged.passRetained($0 as AnyObject).toOpaque()) } ?? 0
    let old = address.exchange(new, ordering: .sequentiallyConsistent)
    guard let pointer = UnsafeRawPointer(bitPattern: old) else { return nil }
    // Only boxes are put in, and they are sendable.
    return unsafeBitCast(
      Unmanaged<AnyObject>.fromOpaque(pointer).takeRetainedValue(), to: (any AnyObject & Sendable).self)
  }
}

/// The same type as one of sendable values, for the part of a type that is known to be sendable as a whole: `Wrapped` of
/// an `Optional`, `Element` of an `Array`. The compiler can't look that up, since `Sendable` leaves nothing at run time;
/// for the same reason both forms of the metatype are one address.
func sendable(_ type: any Any.Type) -> any Sendable.Type { unsafeBitCast(type, to: (any Sendable.Type).self) }

/// A sendable value that is an object, as one: the cast gives the value itself, whose type is sendable, and only the
/// compiler has forgotten that. Both existentials are one reference, since `Sendable` leaves nothing at run time.
func sendableObject<Value: Sendable>(_ value: Value) -> any AnyObject & Sendable {
  unsafeBitCast(value as AnyObject, to: (any AnyObject & Sendable).self)
}

/// An object in the type that it is known to have: each `Make` is made in one place from its state and the function that
/// names the state's type, and both never change.
@inlinable @inline(__always)
func known<Object: AnyObject>(_ object: any AnyObject & Sendable, as type: Object.Type) -> Object {
  unsafeDowncast(object, to: type)
}
