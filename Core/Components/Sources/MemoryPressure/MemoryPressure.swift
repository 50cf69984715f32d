/// A shortage of memory on the system.
public enum MemoryPressure: Sendable, Hashable {
  /// Some programs are waiting for memory.
  case warning
  /// All programs are waiting for memory, or the system will soon terminate some.
  case critical
}

/// A source of memory pressure events. Implement it for a platform with another source, or to drive a test.
public protocol MemoryPressureSource: Sendable {
  /// The events from now on. The source is observed for as long as the sequence is iterated.
  /// ``ComponentContainer/resetUnderMemoryPressure(_:)`` reads this property once per call.
  var events: AsyncStream<MemoryPressure> { get }
}

extension ResetTrigger {
  /// The system is short of memory; see ``ComponentContainer/resetUnderMemoryPressure(_:)``.
  public static let memoryPressure = ResetTrigger("memory pressure")
}

extension ComponentContainer {
  /// Releases the instances with the trigger ``ResetTrigger/memoryPressure`` whenever memory is short, of
  /// whatever degree.
  ///
  /// ```swift
  /// let container = try ComponentContainer {
  ///   Component(ImageCache.self) { _ in ImageCache() }.reset(.memoryPressure)
  /// }
  /// container.resetUnderMemoryPressure()
  /// ```
  ///
  /// Call it once per container: each call observes the source. What holds a released instance keeps it; the
  /// next `resolve` creates another. Events that occur while the `onDelete` actions of an earlier one run are
  /// handled afterwards, if the source buffers them. Instances that children create themselves aren't
  /// affected.
  ///
  /// - Parameter source: the source of events; the system by default.
  /// - Returns: the task that observes the source. It ends when it is cancelled, when the source ends, or at
  ///   the first event after the container has been deleted or deallocated.
  @discardableResult
  public func resetUnderMemoryPressure(
    _ source: any MemoryPressureSource = SystemMemoryPressure()
  ) -> Task<Void, Never> {
    let events = source.events
    return Task { [weak self] in
      for await _ in events {
        guard let self, self.life.phase == .live else { return }
        await self.reset(.memoryPressure)
      }
    }
  }
}
