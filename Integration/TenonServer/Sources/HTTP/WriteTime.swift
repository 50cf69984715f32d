import NIOCore

/// Closes a connection whose peer receives nothing for a time, although something is to be sent.
final class WriteTime: ChannelDuplexHandler {
  typealias InboundIn = ByteBuffer
  typealias OutboundIn = IOData

  private let time: TimeAmount
  private var timer: Scheduled<Void>?

  init(_ limits: ServerLimits) { time = .milliseconds(limits.stallTime) }

  func channelWritabilityChanged(context: ChannelHandlerContext) {
    timer?.cancel()
    if !context.channel.isWritable {
      let channel = context.channel
      timer = context.eventLoop.scheduleTask(in: time) { channel.close(promise: nil) }
    }
    context.fireChannelWritabilityChanged()
  }

  func handlerRemoved(context: ChannelHandlerContext) { timer?.cancel() }
}
