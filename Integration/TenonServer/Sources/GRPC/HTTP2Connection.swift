import NIOCore
import NIOHPACK
import NIOHTTP2
import TenonFoundation

/// A connection of HTTP/2, each of whose streams is a call of gRPC.
final class HTTP2Connection: ChannelInboundHandler {
  typealias InboundIn = HTTP2Frame
  typealias OutboundOut = HTTP2Frame

  private let connections: Connections
  private var timer: Scheduled<Void>?
  private var streams = 0
  /// The ID of the latest stream of the client.
  private var last = HTTP2StreamID.rootStream
  private var isEnding = false

  /// The time for which a connection may have no stream.
  private static let idleTime = TimeAmount.minutes(10)

  /// A frame of a call.
  typealias Frame = HTTP2Frame.FramePayload

  private init(_ connections: Connections) { self.connections = connections }

  /// Adds the handlers of a connection to its channel.
  static func configure(
    _ channel: any Channel, _ limits: ServerLimits, _ connections: Connections, _ server: GRPCServer
  ) throws {
    let handler = HTTP2Connection(connections)
    let streams = Streams(handler, channel.eventLoop)
    let http2 = NIOHTTP2Handler(
      mode: .server, eventLoop: channel.eventLoop, connectionConfiguration: connection(limits),
      streamConfiguration: stream, streamDelegate: streams
    ) { stream in
      stream.eventLoop.makeCompletedFuture {
        let frames = try NIOAsyncChannel<Frame, Frame>(wrappingChannelSynchronously: stream)
        Task { await GRPCCall(frames, server).serve() }
      }
    }
    try channel.pipeline.syncOperations.addHandlers(WriteTime(limits), http2, handler)
  }

  private static func connection(_ limits: ServerLimits) -> NIOHTTP2Handler.ConnectionConfiguration {
    var configuration = NIOHTTP2Handler.ConnectionConfiguration()
    configuration.initialSettings = [
      HTTP2Setting(parameter: .maxConcurrentStreams, value: mostStreams),
      HTTP2Setting(parameter: .maxHeaderListSize, value: limits.headBytes),
    ]
    configuration.maximumBufferedControlFrames = 1_000
    // Google's clients measure the connection with pings.
    configuration.controlFrameRateLimit.maximumCount = 2_000
    return configuration
  }

  private static var stream: NIOHTTP2Handler.StreamConfiguration {
    var configuration = NIOHTTP2Handler.StreamConfiguration()
    configuration.outboundBufferSizeHighWatermark = 64 << 10
    configuration.outboundBufferSizeLowWatermark = 16 << 10
    // A client may cancel all of its streams together.
    configuration.streamResetFrameRateLimit.maximumCount = 2 * mostStreams
    return configuration
  }

  /// The greatest number of open streams of a connection, most of which are listeners.
  private static let mostStreams = 1_000

  // MARK: - Streams

  /// Tells the handler about streams, on its event loop.
  private final class Streams: NIOHTTP2StreamDelegate {
    private let handler: NIOLoopBound<HTTP2Connection>

    init(_ handler: HTTP2Connection, _ eventLoop: any EventLoop) {
      self.handler = NIOLoopBound(handler, eventLoop: eventLoop)
    }

    func streamCreated(_ id: HTTP2StreamID, channel: any Channel) {
      handler.value.streams += 1
      handler.value.last = max(handler.value.last, id)
      handler.value.streamsChanged(channel.parent)
    }

    func streamClosed(_ id: HTTP2StreamID, channel: any Channel) {
      handler.value.streams -= 1
      handler.value.streamsChanged(channel.parent)
    }
  }

  private func streamsChanged(_ channel: (any Channel)?) {
    guard let channel else { return }
    connections.setRests(streams == 0, channel)
    timer?.cancel()
    guard streams == 0 else { return }
    if isEnding { return channel.close(promise: nil) }
    timer = channel.eventLoop.scheduleTask(in: Self.idleTime) { channel.close(promise: nil) }
  }

  func handlerAdded(context: ChannelHandlerContext) { streamsChanged(context.channel) }

  func handlerRemoved(context: ChannelHandlerContext) { timer?.cancel() }

  // MARK: - The end

  func userInboundEventTriggered(context: ChannelHandlerContext, event: Any) {
    switch event {
    case is ServerEnds:
      isEnding = true
      let payload = Frame.goAway(lastStreamID: last, errorCode: .noError, opaqueData: nil)
      context.writeAndFlush(
        wrapOutboundOut(HTTP2Frame(streamID: .rootStream, payload: payload)), promise: nil)
    case let event as ChannelEvent where event == .inputClosed: context.close(promise: nil)
    default: context.fireUserInboundEventTriggered(event)
    }
  }

  /// Closes the connection after an error of the connection, which NIO has reported to the client.
  func errorCaught(context: ChannelHandlerContext, error: any Error) {
    if error is NIOHTTP2Errors.StreamError { return }
    context.close(promise: nil)
  }
}
