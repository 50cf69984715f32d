public import Synchronization
public import TenonThreads

// The one corner of Core with unsafe lines, together with `SlotTable.swift`, `NamedSlotTable.swift` and `OnceInstance.swift` (the pthread
// mutex that stands in for `Mutex` under ThreadSanitizer apart). It hands out and lends shared instances without a lock (R7)
// while others update, reset and delete (R5, R8, R9).
//
// What may be taken away (an instance, a version of the graph) is reached through an atomic address. A thread that is
// about to load one first announces that it reads, and announces that it is done when it has retained what it found, or
// has finished with what it borrowed. The thread that takes something away first clears the address, then looks which
// threads read, and keeps the object until each of them has been seen to have stopped: a reader that saw the address is
// among them, and a later one sees it cleared. Readers write to fields of their own thread only, so a read costs no more
// when there are many of them. That works without a barrier in the reader, because the other side runs one on every
// thread (`tenon_fence_all_threads`); where the system has none, readers run their own. See `Reclamation`.
//
// Two orders must hold in the reader, for the compiler as well as for the processor: what is read is loaded after the
// announcement (`enter`), and it is retained before the end is announced (`leave`). `tenon_compiler_barrier` and
// `tenon_settle` say why they do.

/// What Core knows of one thread. It lives in memory of its own, whose address is the thread's `tenon_thread_state`.
@usableFromInline
struct ThreadState: ~Copyable {
  // First, because ThreadSanitizer takes a change of any of these fields for one of the first, which must not be an atomic
  // that other threads load.
  /// What the thread is creating now.
  @usableFromInline var innermost: UnsafePointer<CreationFrame>?
  /// What the thread may have found in the read under way: anything of a domain, by its odd number (at least 3); one box, by
  /// its even address; or one of the values below. Only the thread itself writes it.
  @usableFromInline let held = Atomic<UInt>(ThreadState.idle)
  /// What `leave` has to see to besides, as bits: `isAwaited`, `fencesItself`. Mostly none.
  @usableFromInline let duties = Atomic<UInt8>(0)
  /// Whether something remains to be done when the outermost request has its answer.
  @usableFromInline var mustFinish = false
  var resolution = Resolution() {
    didSet { mustFinish = !resolution.isClean }
  }

  /// The thread reads nothing.
  @usableFromInline static var idle: UInt { 0 }
  /// The thread reads nothing, and must run a barrier of its own when it begins to.
  @usableFromInline static var idleAndFencing: UInt { 2 }
  /// The thread may have found anything.
  @usableFromInline static var everything: UInt { 4 }

  /// Objects wait for the thread to stop reading, or for a sign that it isn't.
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
  /// How many creations are under way, this one included.
  @usableFromInline let depth: Int

  @inlinable @inline(__always)
  init(_ slot: any AnySlot, inside outer: UnsafePointer<CreationFrame>?) {
    self.slot = slot
    self.outer = outer
    depth = (outer?.pointee.depth ?? 0) &+ 1
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

  /// The calling thread, if it is known and reads nothing: mostly it is, and what begins a read then is shorter.
  @inlinable @inline(__always) static var idle: CurrentThread? {
    guard let known = tenon_thread_state() else { return nil }
    let thread = CurrentThread(known.assumingMemoryBound(to: ThreadState.self))
    return thread.state.pointee.held.load(ordering: .relaxed) == ThreadState.idle ? thread : nil
  }

  @usableFromInline static func register() -> CurrentThread {
    let state = UnsafeMutablePointer<ThreadState>.allocate(capacity: 1)
    state.initialize(to: ThreadState())
    let thread = CurrentThread(state)
    Features.threadBegan(thread.id)
    tenon_set_thread_state(state) { address in
      guard let state = address?.assumingMemoryBound(to: ThreadState.self) else { return }
      // Forgotten first, so that nobody looks at memory that is gone.
      Features.threadEnded(ThreadID(state))
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

  /// Begins a creation that `body` of `creating` doesn't enclose. End it with `popCreation`, in reverse order.
  ///
  /// - Parameter slot: kept by the caller until then.
  func pushCreation(_ slot: any AnySlot) {
    let frame = UnsafeMutablePointer<CreationFrame>.allocate(capacity: 1)
    frame.initialize(to: CreationFrame(slot, inside: state.pointee.innermost))
    state.pointee.innermost = UnsafePointer(frame)
  }

  func popCreation() {
    guard let frame = state.pointee.innermost else { return }
    state.pointee.innermost = frame.pointee.outer
    frame.deallocate()
  }

  /// How many creations are under way.
  var depth: Int { state.pointee.innermost?.pointee.depth ?? 0 }

  /// Whether a creation under way is such, from the present one to the first request.
  func isCreating(where isMeant: (any AnySlot) -> Bool) -> Bool {
    var frame = state.pointee.innermost
    while let current = frame {
      if isMeant(current.pointee.slot) { return true }
      frame = current.pointee.outer
    }
    return false
  }

  /// What is being created, from the first request to the present one. Takes time and memory in proportion to the depth,
  /// so it is only for errors.
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

  /// What `leave` needs to know of the read that it ends: what the thread held before. It is idle, unless this read is
  /// part of another one.
  @usableFromInline
  struct Reading {
    @usableFromInline let outer: UInt

    @inlinable init(inside outer: UInt) { self.outer = outer }

    @inlinable @inline(__always) var isOutermost: Bool { outer <= ThreadState.idleAndFencing }
  }

  /// Announces that the thread reads in `domain` from now on. Give the result to `leave`.
  @inlinable @inline(__always) func enter(_ domain: UInt) -> Reading {
    let outer = state.pointee.held.load(ordering: .relaxed)
    return outer == ThreadState.idle ? enterIdle(domain) : enter(domain, inside: outer)
  }

  /// The same for a thread that is idle.
  @inlinable @inline(__always) func enterIdle(_ domain: UInt) -> Reading {
    // Releasing: a thread that sees that this one holds something else now must also see the end of its last read.
    state.pointee.held.store(domain, ordering: .releasing)
    // The processor is bound by the thread that takes something away.
    tenon_compiler_barrier()
    return Reading(inside: ThreadState.idle)
  }

  /// Begins a read that is part of another one, or that needs a barrier.
  @usableFromInline func enter(_ domain: UInt, inside outer: UInt) -> Reading {
    let reading = Reading(inside: outer)
    let held = reading.isOutermost || outer == domain ? domain : ThreadState.everything
    state.pointee.held.store(held, ordering: .releasing)
    fence()
    return reading
  }

  /// Announces that the thread keeps nothing of what it found but one instance. Only this one's release waits for it from
  /// now on, however long it is borrowed.
  @inlinable @inline(__always) func narrow<Value>(_ reading: Reading, to instance: BorrowedInstance<Value>) {
    guard reading.isOutermost else { return }
    tenon_compiler_barrier()
    state.pointee.held.store(instance.address, ordering: .releasing)
  }

  /// Lends what was found, and ends the read.
  @inlinable @inline(__always)
  func lend<Value, Result>(
    _ instance: BorrowedInstance<Value>, _ reading: Reading, to body: (Value) throws -> Result
  ) throws -> Result {
    narrow(reading, to: instance)
    defer { leave(reading, givingUp: instance) }
    return try instance.lend(body)
  }

  /// Ends a read that nothing is kept of.
  @inlinable @inline(__always) func leave(_ reading: Reading) {
    tenon_compiler_barrier()
    announceEnd(of: reading)
  }

  /// Ends a read with a copy of the instance that it found.
  ///
  /// Every function that returns something that it found in a read ends the read by this or by `leave(_:returning:)`.
  /// Otherwise the optimizer may retain the result after the read has ended; see `tenon_settle`.
  @inlinable @inline(__always)
  func leave<Value>(_ reading: Reading, copying instance: BorrowedInstance<Value>) -> Value {
    // The copy is made in place: moving it afterwards would take longer than the rest of a read.
    defer { leave(reading, givingUp: instance) }
    return instance.value
  }

  /// Ends a read after the last use of the instance that it found; see `tenon_settle`.
  @inlinable @inline(__always)
  func leave<Value>(_ reading: Reading, givingUp instance: BorrowedInstance<Value>) {
    tenon_settle(instance.box.toOpaque())
    announceEnd(of: reading)
  }

  /// Ends a read from which `result` was taken, which is something else than the instance.
  @inlinable @inline(__always)
  func leave<Result>(_ reading: Reading, returning result: consuming Result) -> Result {
    var result = result
    // Unprotected: `tenon_settle` does nothing with the address that a canary on the stack could detect.
    _withUnprotectedUnsafeMutablePointer(to: &result) { tenon_settle($0) }
    announceEnd(of: reading)
    return result
  }

  @inlinable @inline(__always) func announceEnd(of reading: Reading) {
    state.pointee.held.store(reading.outer, ordering: .releasing)
    // A thread that found this one reading has set a duty before.
    tenon_compiler_barrier()
    if state.pointee.duties.load(ordering: .relaxed) != 0 { seeToDuties() }
  }

  /// Keeps the loads that follow behind the stores before.
  private func fence() {
    if state.pointee.duties.load(ordering: .relaxed) & ThreadState.fencesItself != 0 {
      atomicMemoryFence(ordering: .sequentiallyConsistent)
    } else {
      tenon_compiler_barrier()
    }
  }

  /// What remains to be done at the end of a read.
  @usableFromInline func seeToDuties() {
    fence()
    // What the thread still reads, it may have found in the outer read.
    guard Reading(inside: state.pointee.held.load(ordering: .relaxed)).isOutermost else { return }
    let duties = state.pointee.duties.bitwiseAnd(~ThreadState.isAwaited, ordering: .relaxed).oldValue
    // Before others learn that this thread runs its own barriers.
    if duties & ThreadState.fencesItself != 0 { mustFence() }
    if duties & ThreadState.isAwaited != 0 { Features.threadStoppedReading(id) }
  }

  /// Has the thread, which reads nothing now, run a barrier whenever it begins to.
  func mustFence() { state.pointee.held.store(ThreadState.idleAndFencing, ordering: .releasing) }
}

/// Tells threads apart, also from other threads.
struct ThreadID: Hashable, Sendable {
  private let address: UInt

  fileprivate init(_ state: UnsafeMutablePointer<ThreadState>) { address = UInt(bitPattern: state) }

  var state: UnsafeMutablePointer<ThreadState> {
    // An id is looked at only while its thread is registered, or waits for a creation and so still runs.
    UnsafeMutablePointer(bitPattern: address).unsafelyUnwrapped
  }

  /// What the thread is creating. Only for a thread that waits: it stands still until it is woken, and it wrote these
  /// frames before it entered the lock under which this is called.
  var slotsWhileWaiting: [any AnySlot] { CurrentThread.slots(from: state.pointee.innermost) }
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

  @inlinable @inline(__always) var address: UInt { UInt(bitPattern: box.toOpaque()) }

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

  /// The box of the published instance, retained, if there is one. Call it between `enter` and `leave`.
  var anyBox: (any AnyObject & Sendable)? {
    guard let pointer = UnsafeRawPointer(bitPattern: address.load(ordering: .acquiring)) else { return nil }
    // Only boxes are put in, and they are sendable.
    return unsafeBitCast(
      Unmanaged<AnyObject>.fromOpaque(pointer).takeUnretainedValue(), to: (any AnyObject & Sendable).self)
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

/// Retains objects without ever releasing them.
func keepForever(_ objects: [any AnyObject & Sendable]) {
  for object in objects { _ = Unmanaged.passRetained(object as AnyObject) }
}
