import Dispatch

extension Slot {
  private enum Step: Sendable {
    case found(Value)
    case create
    case wait(DispatchSemaphore)
    case fail(ComponentError)
  }

  private var scope: Scope { component.definition.scope }
  private var cellID: ObjectIdentifier { ObjectIdentifier(cell) }

  /// The instance of a scope that keeps instances, when it isn't published.
  @usableFromInline func createKept(_ thread: CurrentThread) throws -> Value {
    while true {
      switch begin(thread) {
      case .found(let instance): return instance
      case .wait(let semaphore): semaphore.wait()
      case .fail(let error): throw error
      case .create: return try createClaimed(thread)
      }
    }
  }

  /// The instance; `nil` when the component declines (R3).
  @usableFromInline func valueUnlessDeclined(_ thread: CurrentThread) throws -> Value? {
    do {
      return try value(thread)
    } catch let error as ComponentError where error.declines(key) {
      return nil
    }
  }

  /// Decides what a thread that asks for the instance has to do.
  private func begin(_ thread: CurrentThread) -> Step {
    let resolution = thread.state.pointee.resolution
    let mine = resolution.instances[cellID].map { Box<Value>.known($0).value }
    let isUnderWay = thread.isCreating(for: component.life)
    return CreationState.shared.withLock { state in
      state.waitingFor[thread.id] = nil
      if let box = state.lent.removeValue(forKey: thread.id) { return .found(Box<Value>.known(box).value) }
      if let instance = mine ?? cell.weakly as? Value ?? cell.load(Value.self, thread, domain: domain) {
        return .found(instance)
      }
      if scope != .graph, state.creators[cellID] != nil {
        if let path = state.cycle(from: thread.id, path: thread.path, to: cellID, key: key) {
          switch state.openCircle(closedBy: thread.id, askingFor: cellID) {
          case .instance(let box): return .found(Box<Value>.known(box).value)
          case .wait: break
          case .none: return .fail(.cycle(path))
          }
        }
        return .wait(state.wait(thread.id, for: cellID))
      }
      guard component.life.beginCreation(isUnderWay: isUnderWay) else {
        return .fail(.deleted(key, owner: component.life.owner))
      }
      if scope != .graph { state.creators[cellID] = thread.id }
      return .create
    }
  }

  private func createClaimed(_ thread: CurrentThread) throws -> Value {
    let start = ContinuousClock.now
    let instance: Value
    do {
      instance = try thread.creating(self) {
        do {
          let instance = try make(thread)
          if scope == .weak, !(type(of: instance as Any) is AnyClass) { throw ComponentError.weakValue(key) }
          return instance
        } catch {
          throw thread.wrapped(error, of: self)
        }
      }
    } catch {
      end(nil, since: start, took: .zero)
      throw error
    }
    let duration = ContinuousClock.now - start
    if scope == .graph || hasCompletion || thread.hasUnfinished {
      thread.state.pointee.resolution.instances[cellID] = Box(instance)
    }
    if hasCompletion || thread.hasUnfinished {
      if scope != .graph {
        let box = Box(instance)
        CreationState.shared.withLock { $0.unfinished[cellID] = box }
      }
      let completion = completion
      thread.finishLater(self, action: { try completion?(instance) }) { isFinished in
        self.end(isFinished ? instance : nil, since: start, took: duration)
      }
    } else {
      end(instance, since: start, took: duration)
    }
    return instance
  }

  /// Ends a creation: publishes the instance, if there is one, and wakes who waits.
  private func end(_ instance: Value?, since start: ContinuousClock.Instant, took duration: Duration) {
    CreationState.shared.withLock { state in
      component.life.endCreation { created in
        guard let instance, scope != .graph else { return nil }
        let box = Box(instance)
        if component.isRemoved {
          // An update took the component away meanwhile; who asked before gets the instance, nobody after.
          return isSource ? RetiredInstance(component: component, box: box) : nil
        }
        if scope == .weak {
          cell.keepWeakly(sendableObject(instance))
        } else {
          _ = cell.exchange(box)
          if isSource { created.append(.init(component: component, start: start, duration: duration)) }
        }
        return nil
      }
      if scope != .graph { state.release(cellID) }
    }
  }

  /// Puts a new instance of a scope that keeps none in line for its `onCreate` action.
  @usableFromInline func addCompletion(of instance: Value, _ thread: CurrentThread) throws {
    guard !thread.state.pointee.resolution.origin.contains(ObjectIdentifier(component)) else {
      throw ComponentError.cycle(thread.path + [key, key])
    }
    let completion = completion
    thread.finishLater(self, action: { try completion?(instance) }, end: { _ in })
  }
}

extension CurrentThread {
  var hasUnfinished: Bool { !state.pointee.resolution.unfinished.isEmpty }
}
