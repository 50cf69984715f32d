/// How short of memory the system is.
public enum MemoryPressure: Sendable, Hashable {
  /// Some programs wait for memory.
  case warning
  /// All of them do, or the system will soon end some.
  case critical
}

/// Tells when memory is short.
public protocol MemoryPressureSource: Sendable {
  /// The events from now on. The sequence is watched as long as it is iterated.
  var events: AsyncStream<MemoryPressure> { get }
}

extension ResetTrigger {
  /// The system is short of memory; see ``ComponentContainer/resetUnderMemoryPressure(_:)``.
  public static let memoryPressure = ResetTrigger("memory pressure")
}

extension ComponentContainer {
  /// Gives the instances that say so up whenever memory is short; see ``ResetTrigger/memoryPressure``.
  ///
  /// - Parameter source: what tells when memory is short; the system by default.
  /// - Returns: the task that watches. It ends when it is cancelled, when the source ends, and at the first event after
  ///   the container is gone.
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
