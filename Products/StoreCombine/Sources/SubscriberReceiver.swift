#if canImport(Combine) || OpenCombine
  #if canImport(Combine)
    import Combine
  #else
    import OpenCombine
  #endif

  /// Passes what a ``DemandedReader`` reads to a subscriber.
  ///
  /// `@unchecked Sendable`: Combine's subscribers don't declare on which threads they can be called. Its rule
  /// is that a publisher calls a subscriber from any thread, but never concurrently. The reader keeps it: a
  /// single task calls the receiver, and waits for each call. The subscriber isn't used in any other way
  /// after the receiver was created.
  struct SubscriberReceiver<S: Subscriber>: DemandedReceiver, @unchecked Sendable {
    private let subscriber: S

    init(_ subscriber: S) { self.subscriber = subscriber }

    func receive(_ element: S.Input) -> Int { subscriber.receive(element).count }

    func end(_ failure: S.Failure?) {
      subscriber.receive(completion: failure.map { .failure($0) } ?? .finished)
    }
  }

  extension Subscribers.Demand {
    /// The number of demanded elements; `Int.max` if it is unlimited.
    var count: Int { max ?? .max }
  }
#endif
