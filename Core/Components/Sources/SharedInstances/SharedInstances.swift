public import Synchronization
public import TenonThreads

// All unsafe code of Core is in this file, `SlotTable.swift`, `NamedSlotTable.swift`, `OnceInstance.swift`,
// `WeakInstance.swift` and `PassedArguments.swift`. It returns and lends shared instances without a lock (R7)
// while other threads update, reset and delete (R5, R8, R9).
//
// Everything that can be removed (an instance, a version of the graph) is reached through an atomic address.
// Before it loads one, a thread announces that it reads. It announces the end of the read after it has
// retained the object or has finished borrowing it. A thread that removes an object clears the address first,
// then determines which threads are reading, and keeps the object until each of them has stopped. A reader
// that saw the address is among them; a later one finds it cleared. Readers write only to fields of their own
// thread, so the cost of a read doesn't grow with the number of readers. The reader needs no memory barrier
// because the remover runs one on every thread (`tenon_fence_all_threads`); where the system has none,
// readers run their own. See `Reclamation`.
//
// The compiler and the processor must keep two orders in the reader: an object is loaded after the
// announcement (`enter`), and retained before the end is announced (`leave`). `tenon_compiler_barrier` and
// `tenon_settle` explain why they do.

/// The state that Core keeps for one thread. It is allocated separately; its address is the thread's
/// `tenon_thread_state`.
///
/// Only the owning thread writes its fields, except for `duties`, which other threads set. Other threads also
/// load `held`, and follow `innermost` while the thread waits for a creation, under the locks of
/// `Reclamation` and `CreationState`. The state exists from the thread's first request to the end of the
/// thread.
@usableFromInline
struct ThreadState: ~Copyable {
  // First, because ThreadSanitizer attributes a change of any of these fields to the first one, which
  // therefore must not be an atomic that other threads load.
  /// The innermost creation under way on the thread; `nil` if there is none.
  @usableFromInline var innermost: UnsafePointer<CreationFrame>?
  /// What the thread may have found in the current read: any object of a domain, by its odd number (at least
  /// 3); one box, by its even address; or one of the values below. Only the thread itself writes it.
  @usableFromInline let held = Atomic<UInt>(ThreadState.idle)
  /// What the thread must do when it ends a read: a bit set of `isAwaited` and `fencesItself`. Usually 0.
  @usableFromInline let duties = Atomic<UInt8>(0)
  /// Whether work remains when the outermost request has its result. Mirrors `resolution`, so that the check
  /// is one load.
  @usableFromInline var mustFinish = false
  /// The arguments of the current request, until the creation reads them; `nil` without any, and if they are
  /// in `resolution.arguments`.
  @usableFromInline var passed: PassedArguments?
  /// The request under way on the thread and the instances that it has created.
  var resolution = Resolution() {
    didSet { mustFinish = !resolution.isClean }
  }

  /// The value of `held` while the thread reads nothing.
  @usableFromInline static var idle: UInt { 0 }
  /// The value of `held` while the thread reads nothing and must run a barrier when a read begins.
  @usableFromInline static var idleAndFencing: UInt { 2 }
  /// The value of `held` while the thread may have found any object of any domain.
  @usableFromInline static var everything: UInt { 4 }

  /// The duty to report the end of the read, because objects wait for it.
  static var isAwaited: UInt8 { 1 }
  /// The duty to run a barrier at the beginning of each read.
  @usableFromInline static var fencesItself: UInt8 { 2 }

  /// Creates the state of a thread that reads nothing and creates nothing.
  init() {}
}

/// A creation under way: an element of the linked list that starts at `ThreadState.innermost`.
///
/// Usually a local variable of the function that creates; see `CurrentThread.creating(_:_:)`. Valid until the
/// creation ends.
@usableFromInline
struct CreationFrame {
  // Unretained, because retaining would cost more than the rest of a creation. The caller that runs the
  // creation holds the slot for as long as the frame exists.
  /// The slot whose instance is created.
  @usableFromInline unowned(unsafe) let slot: any AnySlot
  /// The creation that requested this one; `nil` for the outermost.
  @usableFromInline let outer: UnsafePointer<CreationFrame>?
  /// The number of creations under way, including this one.
  @usableFromInline let depth: Int

  /// Creates a frame.
  ///
  /// - Parameters:
  ///   - slot: the slot whose instance is created. The caller holds it for as long as the frame exists.
  ///   - outer: the innermost frame of the thread so far, which must outlive this one; `nil` for the first.
  @export(implementation) @inline(__always)
  init(_ slot: any AnySlot, inside outer: UnsafePointer<CreationFrame>?) {
    self.slot = slot
    self.outer = outer
    depth = (outer?.pointee.depth ?? 0) &+ 1
  }
}

/// The calling thread. Not `Sendable`: it is passed down the stack and never to another thread.
///
/// It brackets reads (`enter` and `leave`) and creations (`creating`, `pushCreation` and `popCreation`). It
/// is a pointer; copies refer to the same state.
@usableFromInline
struct CurrentThread {
  // Valid until the thread ends. Only the thread itself has a `CurrentThread` for it.
  /// The state of the thread.
  @usableFromInline let state: UnsafeMutablePointer<ThreadState>

  /// Creates a reference to the calling thread.
  ///
  /// - Parameter state: the state that `register` has allocated for it.
  @export(implementation) init(_ state: UnsafeMutablePointer<ThreadState>) { self.state = state }

  /// The calling thread. The first access on a thread registers it.
  @export(implementation) @inline(__always) static var current: CurrentThread {
    guard let known = tenon_thread_state() else { return register() }
    // Only `register` sets the address.
    return CurrentThread(known.assumingMemoryBound(to: ThreadState.self))
  }

  /// The calling thread if it is registered, reads nothing and needs no separate barrier; otherwise `nil`.
  /// This is the common case, for which beginning a read takes fewer instructions.
  @export(implementation) @inline(__always) static var idle: CurrentThread? {
    guard let known = tenon_thread_state() else { return nil }
    let thread = CurrentThread(known.assumingMemoryBound(to: ThreadState.self))
    return thread.state.pointee.held.load(ordering: .relaxed) == ThreadState.idle ? thread : nil
  }

  /// Allocates the state of the calling thread and registers it with `Reclamation`. The state is released
  /// when the thread ends.
  ///
  /// If a destructor of thread-local data uses Core after that, the thread is registered again, with another
  /// state.
  @usableFromInline static func register() -> CurrentThread {
    let state = UnsafeMutablePointer<ThreadState>.allocate(capacity: 1)
    state.initialize(to: ThreadState())
    let thread = CurrentThread(state)
    Reclamation.add(thread.id)
    tenon_set_thread_state(state) { address in
      guard let state = address?.assumingMemoryBound(to: ThreadState.self) else { return }
      // Unregistered first, so that no other thread accesses memory that has been deallocated.
      Reclamation.remove(ThreadID(state))
      state.deinitialize(count: 1)
      state.deallocate()
    }
    return thread
  }

  /// The identity of the thread, which other threads may use.
  var id: ThreadID { ThreadID(state) }

  /// Whether a creation is under way on the thread.
  @export(implementation) var isCreating: Bool { state.pointee.innermost != nil }

  /// Runs `body` with the creation of `slot` as the innermost of the thread.
  ///
  /// - Parameters:
  ///   - slot: the slot whose instance is created. The caller must hold it.
  ///   - body: creates the instance.
  /// - Returns: what `body` returns.
  /// - Throws: what `body` throws.
  @export(implementation) @inline(__always)
  func creating<Result>(_ slot: any AnySlot, _ body: () throws -> Result) rethrows -> Result {
    let outer = state.pointee.innermost
    let frame = CreationFrame(slot, inside: outer)
    return try withUnsafePointer(to: frame) { frame in
      state.pointee.innermost = frame
      defer { state.pointee.innermost = outer }
      return try body()
    }
  }

  /// Begins a creation that isn't enclosed in a call of `creating`. End it with `popCreation`, in reverse
  /// order.
  ///
  /// - Parameter slot: the slot. The caller must hold it until then.
  func pushCreation(_ slot: any AnySlot) {
    let frame = UnsafeMutablePointer<CreationFrame>.allocate(capacity: 1)
    frame.initialize(to: CreationFrame(slot, inside: state.pointee.innermost))
    state.pointee.innermost = UnsafePointer(frame)
  }

  /// Ends the creation that the last `pushCreation` began. Does nothing if no creation is under way;
  /// otherwise the innermost one must not be that of a `creating` call.
  func popCreation() {
    guard let frame = state.pointee.innermost else { return }
    state.pointee.innermost = frame.pointee.outer
    frame.deallocate()
  }

  /// The number of creations under way on the thread.
  var depth: Int { state.pointee.innermost?.pointee.depth ?? 0 }

  /// Returns whether a creation under way satisfies a predicate, searched from the innermost to the
  /// outermost.
  ///
  /// Complexity: O(*n*) in the depth.
  ///
  /// - Parameter isMeant: the predicate.
  func isCreating(where isMeant: (any AnySlot) -> Bool) -> Bool {
    var frame = state.pointee.innermost
    while let current = frame {
      if isMeant(current.pointee.slot) { return true }
      frame = current.pointee.outer
    }
    return false
  }

  /// The slots of the creations under way, outermost first. Time and memory are proportional to the depth, so
  /// this is only for errors.
  var slots: [any AnySlot] { Self.slots(from: state.pointee.innermost) }

  /// Returns the slots of a frame and of the frames around it, outermost first.
  ///
  /// - Parameter innermost: the frame; `nil` for no slots.
  /// - Complexity: O(*n*) in the depth.
  fileprivate static func slots(from innermost: UnsafePointer<CreationFrame>?) -> [any AnySlot] {
    var slots: [any AnySlot] = []
    var frame = innermost
    while let current = frame {
      slots.append(current.pointee.slot)
      frame = current.pointee.outer
    }
    return slots.reversed()
  }

  /// What `leave` needs to know of the read that it ends: the previous value of `held`. It is idle unless the
  /// read is nested.
  @usableFromInline
  struct Reading {
    /// The value of `held` before the read, which `leave` restores.
    @usableFromInline let outer: UInt

    /// Describes a read.
    ///
    /// - Parameter outer: the value of `held` before the read.
    @export(implementation) init(inside outer: UInt) { self.outer = outer }

    /// Whether the read isn't nested in another one.
    @export(implementation) @inline(__always) var isOutermost: Bool { outer <= ThreadState.idleAndFencing }
  }

  /// Announces the beginning of a read in `domain`. Every call must be paired with a call of `leave`, in
  /// reverse order.
  ///
  /// - Parameter domain: the domain of the container that is read; see `ContainerLife.domain`.
  /// - Returns: the value to pass to `leave`.
  @export(implementation) @inline(__always) func enter(_ domain: UInt) -> Reading {
    let outer = state.pointee.held.load(ordering: .relaxed)
    return outer == ThreadState.idle ? enterIdle(domain) : enter(domain, inside: outer)
  }

  /// Like `enter(_:)`, for a thread that is known to be idle.
  ///
  /// - Parameter domain: the domain of the container that is read.
  /// - Returns: the value to pass to `leave`.
  @export(implementation) @inline(__always) func enterIdle(_ domain: UInt) -> Reading {
    // Releasing: a thread that sees the new value must also see the end of the previous read.
    state.pointee.held.store(domain, ordering: .releasing)
    // The remover's barrier orders the processor's accesses.
    tenon_compiler_barrier()
    return Reading(inside: ThreadState.idle)
  }

  /// Begins a read that is nested in another one, or that needs a barrier. A nested read of another domain
  /// announces `everything`, so that the objects of the outer one stay protected.
  ///
  /// - Parameters:
  ///   - domain: the domain of the container that is read.
  ///   - outer: the current value of `held`.
  /// - Returns: the value to pass to `leave`.
  @usableFromInline func enter(_ domain: UInt, inside outer: UInt) -> Reading {
    let reading = Reading(inside: outer)
    let held = reading.isOutermost || outer == domain ? domain : ThreadState.everything
    state.pointee.held.store(held, ordering: .releasing)
    fence()
    return reading
  }

  /// Announces that the thread uses only one instance of what it found. From now on, only the release of that
  /// instance waits for the read, however long the instance is borrowed. Does nothing in a nested read.
  ///
  /// Nothing else that was found in the read, such as a slot or a version of the graph, may be used
  /// afterwards.
  ///
  /// - Parameters:
  ///   - reading: the read, as `enter` returned it.
  ///   - instance: the instance that the read found.
  @export(implementation) @inline(__always)
  func narrow<Value>(_ reading: Reading, to instance: BorrowedInstance<Value>) {
    guard reading.isOutermost else { return }
    tenon_compiler_barrier()
    state.pointee.held.store(instance.address, ordering: .releasing)
  }

  /// Lends an instance to `body`, then ends the read.
  ///
  /// - Parameters:
  ///   - instance: the instance that the read found.
  ///   - reading: the read.
  ///   - body: receives the instance, unretained.
  /// - Returns: what `body` returns.
  /// - Throws: what `body` throws.
  @export(implementation) @inline(__always)
  func lend<Value, Result>(
    _ instance: BorrowedInstance<Value>, _ reading: Reading, to body: (Value) throws -> Result
  ) throws -> Result {
    narrow(reading, to: instance)
    defer { leave(reading, givingUp: instance) }
    return try instance.lend(body)
  }

  /// Ends a read from which nothing is kept.
  ///
  /// - Parameter reading: the read, as `enter` returned it.
  @export(implementation) @inline(__always) func leave(_ reading: Reading) {
    tenon_compiler_barrier()
    announceEnd(of: reading)
  }

  /// Ends a read and returns a retained copy of the instance that it found.
  ///
  /// Every function that returns an object that it found in a read must end the read with this or with
  /// `leave(_:returning:)`. Otherwise the optimizer may move the retain of the result past the end of the
  /// read; see `tenon_settle`.
  ///
  /// - Parameters:
  ///   - reading: the read, as `enter` returned it.
  ///   - instance: the instance that the read found.
  /// - Returns: the instance, which may be used after the read.
  @export(implementation) @inline(__always)
  func leave<Value>(_ reading: Reading, copying instance: BorrowedInstance<Value>) -> Value {
    // Copied in place: moving the copy afterwards would take longer than the rest of a read.
    defer { leave(reading, givingUp: instance) }
    return instance.value
  }

  /// Ends a read after the last use of the instance that it found; see `tenon_settle`.
  ///
  /// - Parameters:
  ///   - reading: the read, as `enter` returned it.
  ///   - instance: the instance, which must not be used afterwards.
  @export(implementation) @inline(__always)
  func leave<Value>(_ reading: Reading, givingUp instance: BorrowedInstance<Value>) {
    tenon_settle(instance.box.toOpaque())
    announceEnd(of: reading)
  }

  /// Ends a read and returns `result`, which was obtained in it and isn't the instance itself; see
  /// `leave(_:copying:)`.
  ///
  /// - Parameters:
  ///   - reading: the read, as `enter` returned it.
  ///   - result: a value that owns what it refers to, for example the slot that was found or the retained
  ///     graph.
  @export(implementation) @inline(__always)
  func leave<Result>(_ reading: Reading, returning result: consuming Result) -> Result {
    var result = result
    // Unprotected, because `tenon_settle` doesn't write through the address, so a stack canary could detect
    // nothing.
    _withUnprotectedUnsafeMutablePointer(to: &result) { tenon_settle($0) }
    announceEnd(of: reading)
    return result
  }

  /// Restores the previous value of `held`, and performs the thread's duties, if any: the common end of all
  /// forms of `leave`.
  @export(implementation) @inline(__always) func announceEnd(of reading: Reading) {
    state.pointee.held.store(reading.outer, ordering: .releasing)
    // A thread that saw this one reading has set a duty before.
    tenon_compiler_barrier()
    if state.pointee.duties.load(ordering: .relaxed) != 0 { seeToDuties() }
  }

  /// Orders the stores before the call ahead of the loads after it: with a barrier if the thread must run its
  /// own, otherwise for the compiler only.
  private func fence() {
    if state.pointee.duties.load(ordering: .relaxed) & ThreadState.fencesItself != 0 {
      atomicMemoryFence(ordering: .sequentiallyConsistent)
    } else {
      tenon_compiler_barrier()
    }
  }

  /// Performs what `duties` demands at the end of a read. Does nothing at the end of a nested read.
  @usableFromInline func seeToDuties() {
    fence()
    // The outer read may have found what other threads wait for.
    guard Reading(inside: state.pointee.held.load(ordering: .relaxed)).isOutermost else { return }
    let duties = state.pointee.duties.bitwiseAnd(~ThreadState.isAwaited, ordering: .relaxed).oldValue
    // Before other threads learn that this thread runs its own barriers.
    if duties & ThreadState.fencesItself != 0 { mustFence() }
    if duties & ThreadState.isAwaited != 0 { Reclamation.stop(id) }
  }

  /// Makes the thread run a barrier at the beginning of every read from now on. Call it on the thread itself
  /// while it reads nothing.
  func mustFence() { state.pointee.held.store(ThreadState.idleAndFencing, ordering: .releasing) }
}

/// Identifies a thread. Unlike `CurrentThread`, it may be used on any thread.
///
/// It is unique among the registered threads. A thread that starts later may have the ID of one that has
/// ended, because the ID is the address of the thread's state.
struct ThreadID: Hashable, Sendable {
  private let address: UInt

  fileprivate init(_ state: UnsafeMutablePointer<ThreadState>) { address = UInt(bitPattern: state) }

  /// The state of the thread. Access it only while the thread is registered.
  var state: UnsafeMutablePointer<ThreadState> {
    // The ID is dereferenced only while its thread is registered, or waits for a creation and therefore still
    // runs.
    UnsafeMutablePointer(bitPattern: address).unsafelyUnwrapped
  }

  /// The slots of the creations under way on the thread, outermost first. Only for a thread that waits: it is
  /// suspended until it is woken, and wrote these frames before it acquired the lock under which this is
  /// called.
  var slotsWhileWaiting: [any AnySlot] { CurrentThread.slots(from: state.pointee.innermost) }
}

/// Holds an instance in an object, so that it has an address. Immutable.
///
/// An instance of any type, also a structure or an existential, is published by storing the address of its
/// box in an atomic word.
@usableFromInline
final class Box<Value: Sendable>: Sendable {
  /// The instance.
  @usableFromInline let value: Value
  /// Creates a box.
  ///
  /// - Parameter value: the instance.
  @export(implementation) init(_ value: Value) { self.value = value }

  /// Returns an object that is known to be a box in its type.
  ///
  /// - Parameter object: a `Box<Value>`. In optimised builds, the type isn't checked.
  @export(implementation) static func known(_ object: any AnyObject & Sendable) -> Box<Value> {
    // Boxes are stored by cell, and a cell has one type.
    unsafeDowncast(object, to: Box<Value>.self)
  }
}

/// A published instance that isn't retained. Valid until the read that found it ends.
@usableFromInline
struct BorrowedInstance<Value: Sendable> {
  /// The box that holds the instance.
  @usableFromInline let box: Unmanaged<Box<Value>>

  @export(implementation) @inline(__always) init(box: Unmanaged<Box<Value>>) { self.box = box }

  /// The address of the box, which `narrow(_:to:)` announces.
  @export(implementation) @inline(__always) var address: UInt { UInt(bitPattern: box.toOpaque()) }

  /// The instance, retained.
  @export(implementation) @inline(__always) var value: Value { box._withUnsafeGuaranteedRef { $0.value } }

  /// Lends the instance without retaining it.
  ///
  /// - Parameter body: receives the instance. A reference that it stores is retained as usual.
  /// - Returns: what `body` returns.
  /// - Throws: what `body` throws.
  @export(implementation) @inline(__always)
  func lend<Result>(_ body: (Value) throws -> Result) rethrows -> Result {
    try box._withUnsafeGuaranteedRef { try body($0.value) }
  }
}

/// A strong reference that can be replaced while other threads read it.
///
/// It owns one reference count of the object. Readers must hold what contains the reference, because
/// deallocating it releases the object immediately, without waiting for reads.
@usableFromInline
struct AtomicReference<Object: AnyObject & Sendable>: ~Copyable, Sendable {
  /// The address of a retained object; 0 if there is none.
  @usableFromInline let address = Atomic<UInt>(0)

  /// Creates a reference to no object.
  init() {}

  /// The object, unretained, or `nil`. Call it between `enter` and `leave`.
  @export(implementation) @inline(__always) var unretained: Unmanaged<Object>? {
    // A thread that clears the address keeps the object until this thread has left.
    UnsafeRawPointer(bitPattern: address.load(ordering: .acquiring)).map { Unmanaged.fromOpaque($0) }
  }

  /// Calls `body` with the unretained object. Call it between `enter` and `leave`.
  ///
  /// - Parameter body: receives the object, which it must not store.
  /// - Returns: what `body` returns; `nil` if there is no object.
  /// - Throws: what `body` throws.
  @export(implementation) @inline(__always)
  func borrow<Result>(_ body: (Object) throws -> Result) rethrows -> Result? {
    guard let object = unretained else { return nil }
    return try object._withUnsafeGuaranteedRef { try body($0) }
  }

  /// Replaces the object and returns the previous one, which the caller must pass to `Reclamation.retire`:
  /// releasing it directly could leave a reader with a dangling reference.
  ///
  /// - Parameter object: the new object; `nil` for none.
  /// - Returns: the previous object, with the reference count that this held; `nil` if there was none.
  func exchange(_ object: consuming Object?) -> Object? {
    let new = object.map { UInt(bitPattern: Unmanaged.passRetained($0).toOpaque()) } ?? 0
    let old = address.exchange(new, ordering: .sequentiallyConsistent)
    return UnsafeRawPointer(bitPattern: old).map { Unmanaged<Object>.fromOpaque($0).takeRetainedValue() }
  }

  deinit { _ = exchange(nil) }
}

extension AnySlot {
  /// Returns the slot in its type. The type must be that of the key: a key has one type, and so has its slot.
  ///
  /// - Parameter type: the type of the slot's key. In optimised builds, it isn't checked.
  @usableFromInline func typed<Value: Sendable>(_ type: Value.Type) -> Slot<Value> {
    unsafeDowncast(self, to: Slot<Value>.self)
  }
}

extension InstanceCell {
  /// Returns the published instance, unretained, or `nil`. Call it between `enter` and `leave`, with the type
  /// of the cell's key.
  ///
  /// - Parameter type: the type of the cell's key, which isn't checked.
  /// - Returns: the instance, valid until the read ends.
  @export(implementation) @inline(__always)
  func instance<Value: Sendable>(of type: Value.Type) -> BorrowedInstance<Value>? {
    UnsafeRawPointer(bitPattern: address.load(ordering: .acquiring)).map {
      BorrowedInstance(box: .fromOpaque($0))
    }
  }

  /// The box of the published instance, retained, or `nil`. Call it between `enter` and `leave`.
  var anyBox: (any AnyObject & Sendable)? {
    guard let pointer = UnsafeRawPointer(bitPattern: address.load(ordering: .acquiring)) else { return nil }
    // Only boxes are stored, and they are sendable.
    return unsafeBitCast(
      Unmanaged<AnyObject>.fromOpaque(pointer).takeUnretainedValue(), to: (any AnyObject & Sendable).self)
  }

  /// Replaces the box and returns the previous one, which the caller must pass to `Reclamation.retire`.
  ///
  /// - Parameter box: a `Box` in the type of the cell's key; `nil` to remove the instance.
  /// - Returns: the previous box; `nil` if there was none.
  func exchange(_ box: (any AnyObject & Sendable)?) -> (any AnyObject & Sendable)? {
    let new = box.map { UInt(bitPattern: Unmanaged.passRetained($0 as AnyObject).toOpaque()) } ?? 0
    let old = address.exchange(new, ordering: .sequentiallyConsistent)
    guard let pointer = UnsafeRawPointer(bitPattern: old) else { return nil }
    // Only boxes are stored, and they are sendable.
    return unsafeBitCast(
      Unmanaged<AnyObject>.fromOpaque(pointer).takeRetainedValue(), to: (any AnyObject & Sendable).self)
  }
}

/// Returns a metatype as one of a sendable type. The type must be part of a sendable type: `Wrapped` of an
/// `Optional`, `Element` of an `Array`.
///
/// A dynamic cast can't establish that, because `Sendable` is a marker protocol without a run-time
/// representation. For the same reason both metatypes have the same representation, a single address.
///
/// - Parameter type: the metatype, for example that of `Wrapped` in an optional dependency.
/// - Returns: the same metatype.
func sendable(_ type: any Any.Type) -> any Sendable.Type { unsafeBitCast(type, to: (any Sendable.Type).self) }

/// Returns a sendable value that is an object, as an object. The value must be a class instance.
///
/// The cast to `AnyObject` yields the value itself; only the static type loses `Sendable`. Both existentials
/// are a single reference, because `Sendable` has no run-time representation.
///
/// - Parameter value: an instance of a class. A value of another type would be boxed, in a new object for
///   each call.
/// - Returns: the value itself.
func sendableObject<Value: Sendable>(_ value: Value) -> any AnyObject & Sendable {
  unsafeBitCast(value as AnyObject, to: (any AnyObject & Sendable).self)
}

/// Returns an object in the type that it is known to have. Unchecked: each `Make` is created in one place
/// from its state and from the function that names the state's type, and neither changes.
///
/// - Parameters:
///   - object: the state of a `Make`.
///   - type: the type of that state.
@export(implementation) @inline(__always)
func known<Object: AnyObject>(_ object: any AnyObject & Sendable, as type: Object.Type) -> Object {
  unsafeDowncast(object, to: type)
}
