/// A shortage of memory on the system.
public enum MemoryPressure: Sendable, Hashable {
  /// Some programs are waiting for memory.
  case warning
  /// All programs are waiting for memory, or the system will soon terminate some.
  case critical
}

/// A source of memory pressure events.
public protocol MemoryPressureSource: Sendable {
  /// The events from now on. The source is observed for as long as the sequence is iterated.
  var events: AsyncStream<MemoryPressure> { get }
}

extension ResetTrigger {
  /// The system is short of memory; see ``ComponentContainer/resetUnderMemoryPressure(_:)``.
  public static let memoryPressure = ResetTrigger("memory pressure")
}

extension ComponentContainer {
  /// Releases the instances with the trigger ``ResetTrigger/memoryPressure`` whenever memory is short.
  ///
  /// - Parameter source: the source of events; the system by default.
  /// - Returns: the task that observes the source. It ends when it is cancelled, when the source ends, or at the first event
  ///   after the container has been deleted or deallocated.
  @discardableResult
  public func resetUnderMemoryPressure(
    _ source: any MemoryPressureSource = SystemMemoryPressure()
  ) -> Task<Void, Never> {
    let events = source.events
    return Task { [weak self] in
      for await _ in events {
        guard let self, self.life.phase == .live else { return }
        await self.giveUp { $0.definition.resetTriggers.contains(.memoryPressure) }.value
      }
    }
  }
}
