import NIOCore

/// Finds out by the first bytes of a connection whether its client speaks HTTP/2 with prior knowledge
/// (RFC 9113, section 3.3) or HTTP/1.1, and forwards all bytes.
final class ProtocolChoice: ChannelInboundHandler {
  typealias InboundIn = ByteBuffer
  typealias InboundOut = ByteBuffer

  /// A protocol.
  enum Choice { case http1, http2 }

  private let limits: ServerLimits
  private let connections: Connections
  private let configure: (any Channel, Choice) throws -> Void
  /// The bytes before the decision, which is made if this is `nil`.
  private var bytes: ByteBuffer? = ByteBuffer()
  private var timer: Scheduled<Void>?

  /// What a client of HTTP/2 sends first (RFC 9113, section 3.4).
  private static let preface = Array("PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n".utf8)

  /// The time for the rest of the first bytes. Clients send them in one piece.
  private static let prefaceTime = TimeAmount.seconds(2)

  /// - Parameter configure: adds the handlers of a protocol to a channel.
  init(
    _ limits: ServerLimits, _ connections: Connections,
    configure: @escaping (any Channel, Choice) throws -> Void
  ) {
    self.limits = limits
    self.connections = connections
    self.configure = configure
  }

  func handlerAdded(context: ChannelHandlerContext) {
    setTimer(.milliseconds(limits.idleTime), context) { context in context.close(promise: nil) }
  }

  func handlerRemoved(context: ChannelHandlerContext) { timer?.cancel() }

  func channelRead(context: ChannelHandlerContext, data: NIOAny) {
    guard bytes != nil else { return context.fireChannelRead(data) }
    connections.setRests(false, context.channel)
    var piece = unwrapInboundIn(data)
    bytes?.writeBuffer(&piece)
    let first = bytes?.readableBytesView.prefix(Self.preface.count) ?? []
    guard Self.preface.starts(with: first) else { return decide(.http1, context) }
    guard first.count < Self.preface.count else { return decide(.http2, context) }
    setTimer(Self.prefaceTime, context) { [self] context in decide(.http1, context) }
  }

  func userInboundEventTriggered(context: ChannelHandlerContext, event: Any) {
    if bytes != nil, let event = event as? ChannelEvent, event == .inputClosed {
      guard bytes?.readableBytes != 0 else { return context.close(promise: nil) }
      decide(.http1, context)
    }
    context.fireUserInboundEventTriggered(event)
  }

  private func decide(_ choice: Choice, _ context: ChannelHandlerContext) {
    timer?.cancel()
    guard let bytes else { return }
    self.bytes = nil
    do { try configure(context.channel, choice) } catch { return context.close(promise: nil) }
    context.fireChannelRead(wrapInboundOut(bytes))
    context.fireChannelReadComplete()
  }

  private func setTimer(
    _ time: TimeAmount, _ context: ChannelHandlerContext, _ body: @escaping (ChannelHandlerContext) -> Void
  ) {
    timer?.cancel()
    let bound = NIOLoopBound((body, context), eventLoop: context.eventLoop)
    timer = context.eventLoop.scheduleTask(in: time) {
      let (body, context) = bound.value
      body(context)
    }
  }
}
