import NIOCore
import TenonFoundation

/// The open connections, of which the ones that rest make room for others.
final class Connections: Sendable {
  /// A connection, with the time since which it has been idle or drained, if it is.
  private struct Entry {
    let channel: any Channel
    var restsSince: NIODeadline?
  }

  private let limits: ServerLimits
  private let entries = Lock<[ObjectIdentifier: Entry]>([:])
  private let memory = MemoryReturn()

  /// The time for which a connection may always be idle, because a new one hasn't sent anything yet.
  private static let shortestRest = TimeAmount.milliseconds(500)

  init(limits: ServerLimits) { self.limits = limits }

  /// Whether there are as many connections as there may be.
  var isFull: Bool { entries.withLock { $0.count >= limits.connections } }

  /// Adds a connection, until it is closed.
  func add(_ channel: any Channel) {
    let id = ObjectIdentifier(channel)
    let count = entries.withLock { entries in
      entries[id] = Entry(channel: channel, restsSince: .now())
      return entries.count
    }
    memory.note(count, channel.eventLoop)
    channel.closeFuture.whenComplete { [self, loop = channel.eventLoop] _ in
      let count = entries.withLock { entries in
        entries.removeValue(forKey: id)
        return entries.count
      }
      memory.note(count, loop)
    }
  }

  /// Takes note of whether a connection rests: whether it could be closed without a loss.
  func setRests(_ rests: Bool, _ channel: any Channel) {
    entries.withLock { $0[ObjectIdentifier(channel)]?.restsSince = rests ? .now() : nil }
  }

  /// Closes the connection that has rested longest.
  func closeLongestResting() {
    let latest = NIODeadline.now() - Self.shortestRest
    let oldest: (any Channel)? = entries.withLock { entries in
      let resting = entries.compactMap { id, entry in entry.restsSince.map { (id: id, since: $0) } }
      guard let oldest = resting.min(by: { $0.since < $1.since }), oldest.since < latest else { return nil }
      entries[oldest.id]?.restsSince = nil
      return entries[oldest.id]?.channel
    }
    oldest?.close(promise: nil)
  }

  /// Tells all connections that the server ends.
  func announceEnd() {
    for entry in entries.withLock({ Array($0.values) }) {
      entry.channel.pipeline.fireUserInboundEventTriggered(ServerEnds())
    }
  }
}

/// The event of a connection that the server ends.
struct ServerEnds: Sendable {}

/// Accepts connections one by one, while there is room for another one.
///
/// Neither a client nor a lack of file descriptors or memory can end the listener: it waits and continues.
final class AcceptGate: ChannelDuplexHandler {
  typealias InboundIn = any Channel
  typealias InboundOut = any Channel
  typealias OutboundIn = Never

  private let connections: Connections
  /// Whether the next connection is to be accepted once there is room.
  private var isHeld = false
  /// Whether the last connection couldn't be accepted.
  private var hasFailed = false

  /// The delay before an operation is retried.
  private static let pause = TimeAmount.milliseconds(10)

  init(_ connections: Connections) { self.connections = connections }

  func read(context: ChannelHandlerContext) {
    guard !isHeld else { return }
    guard hasFailed || connections.isFull else { return context.read() }
    hasFailed = false
    isHeld = true
    retryLater(context)
  }

  func channelRead(context: ChannelHandlerContext, data: NIOAny) {
    connections.add(unwrapInboundIn(data))
    context.fireChannelRead(data)
  }

  func errorCaught(context: ChannelHandlerContext, error: any Error) {
    // A peer that left is no reason to wait. After a lack of descriptors or memory, the peer waits in the
    // kernel's queue until another connection ends.
    hasFailed = true
  }

  private func retryLater(_ context: ChannelHandlerContext) {
    let bound = NIOLoopBound((self, context), eventLoop: context.eventLoop)
    context.eventLoop.scheduleTask(in: Self.pause) {
      let (gate, context) = bound.value
      gate.retry(context)
    }
  }

  private func retry(_ context: ChannelHandlerContext) {
    connections.closeLongestResting()
    guard !connections.isFull else { return retryLater(context) }
    isHeld = false
    context.read()
  }
}
