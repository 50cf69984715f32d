import Dispatch

/// Who is creating what in a container; guarded by its lock. Warm look-ups never come here.
struct CreationState {
  enum Phase {
    case live
    case deleting
    case deleted
  }

  /// One thread's work for one `resolve`, with everything that it creates on the way.
  struct Resolution {
    struct Frame {
      let slot: ObjectIdentifier
      let key: ComponentKey
    }

    /// From the first request to what is being created now.
    var frames: [Frame] = []
    /// The slot that this thread waits for, because another thread creates it.
    var waitingFor: ObjectIdentifier?
    /// The instances of `.graph` components within this resolution.
    var instances: [ObjectIdentifier: any Sendable] = [:]

    var path: [ComponentKey] { frames.map(\.key) }
  }

  /// A shared instance that was created.
  struct Created {
    let component: ComponentDefinition.ID
    let duration: Duration
  }

  var phase = Phase.live
  var resolutions: [ThreadID: Resolution] = [:]
  /// Shared and weak slots under creation, with the thread at work.
  var creators: [ObjectIdentifier: ThreadID] = [:]
  var waiters: [ObjectIdentifier: [DispatchSemaphore]] = [:]
  /// In order of creation.
  var created: [Created] = []
  /// Called when the last resolution has ended.
  var whenIdle: [CheckedContinuation<Void, Never>] = []

  /// What a thread waits for by asking for a slot that another one creates: the path back to `thread`, if
  /// waiting would never end.
  func cycle(from thread: ThreadID, to slot: ObjectIdentifier, key: ComponentKey) -> [ComponentKey]? {
    var path = resolutions[thread]?.path ?? []
    var wanted = slot
    while let creator = creators[wanted], let theirs = resolutions[creator] {
      if creator == thread { return Self.closed(path + [key]) }
      let frames = theirs.frames.drop { $0.slot != wanted }
      path += frames.map(\.key)
      guard let next = theirs.waitingFor else { return nil }
      wanted = next
    }
    return nil
  }

  /// The part of a path that forms a circle: from the first occurrence of its last key.
  static func closed(_ path: [ComponentKey]) -> [ComponentKey] {
    guard let last = path.last, let start = path.firstIndex(of: last) else { return path }
    return Array(path[start...])
  }
}
