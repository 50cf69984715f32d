#if canImport(Combine) || OpenCombine
  #if canImport(Combine)
    public import Combine
  #else
    public import OpenCombine
  #endif

  /// Publishes the elements of an asynchronous sequence, with a separate iteration for each subscriber.
  ///
  /// - **Demand**: an element is read only when the subscriber demands it. Tenon's streams keep the newest
  ///   state for a slow reader, so a slow subscriber receives the newest state, and nothing is queued. An end
  ///   is read like an element: a subscriber that demands nothing isn't told.
  /// - **Cancelling** ends the iteration, which removes the listener of a stream of Store, and releases the
  ///   subscriber. Nothing is delivered after that if it is done where the elements are delivered; a call
  ///   that has begun on another thread isn't waited for.
  /// - **Failures** complete the publisher after the elements before them.
  /// - A subscription lasts until it is cancelled or complete, and keeps nothing else alive.
  ///
  /// ```swift
  /// let rejections = StreamPublisher(store.writeRejections)
  /// ```
  public struct StreamPublisher<Stream: AsyncSequence & Sendable>: Publisher, Sendable
  where Stream.Element: Sendable {
    /// The elements of the sequence.
    public typealias Output = Stream.Element
    /// What the sequence throws; `Never` if it can't fail.
    public typealias Failure = Stream.Failure

    private let stream: @Sendable () -> Stream
    private let delivery: StreamDelivery

    /// Creates a publisher.
    ///
    /// - Parameters:
    ///   - stream: the sequence. The expression is evaluated once for each subscriber, when it subscribes.
    ///   - delivery: the thread on which subscribers are called; the main actor, by default.
    public init(
      _ stream: @autoclosure @escaping @Sendable () -> Stream, delivery: StreamDelivery = .mainActor
    ) {
      self.stream = stream
      self.delivery = delivery
    }

    /// Starts the subscription of a subscriber, for which the sequence is created.
    public func receive<S: Subscriber>(subscriber: S)
    where S.Input == Stream.Element, S.Failure == Stream.Failure {
      let reader = DemandedReader<Stream.Element, Stream.Failure>(
        SubscriberReceiver(subscriber), delivery: delivery)
      subscriber.receive(subscription: StreamSubscription(reader))
      // The subscriber may have cancelled already.
      if !reader.isOver { reader.start(stream()) }
    }
  }

  /// The subscription of one subscriber.
  private final class StreamSubscription<Element: Sendable, Failure: Error>: Subscription {
    private let reader: DemandedReader<Element, Failure>

    init(_ reader: DemandedReader<Element, Failure>) { self.reader = reader }

    func request(_ demand: Subscribers.Demand) { reader.demand(demand.count) }

    func cancel() { reader.cancel() }
  }
#endif
