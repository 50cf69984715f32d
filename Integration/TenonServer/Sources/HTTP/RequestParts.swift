import NIOCore
import NIOHTTP1

/// A part of a request.
enum RequestPart: Sendable {
  case head(RequestHead)
  case content(ByteBuffer)
  case end
  /// The request, and with it the connection, can't be used.
  case failed(HTTPFailure)
}

/// A part of a response.
typealias ResponsePart = HTTPPart<HTTPResponseHead, ByteBuffer>

/// Joins what the gate has read with what NIO's parser has, and tells the gate when a response is complete.
final class RequestParts: ChannelDuplexHandler {
  typealias InboundIn = HTTPServerRequestPart
  typealias InboundOut = RequestPart
  typealias OutboundIn = ResponsePart
  typealias OutboundOut = HTTPServerResponsePart

  private let gate: RequestGate
  private let gateContext: ChannelHandlerContext
  private var hasFailed = false

  init(_ gate: RequestGate, _ gateContext: ChannelHandlerContext) {
    self.gate = gate
    self.gateContext = gateContext
  }

  func channelRead(context: ChannelHandlerContext, data: NIOAny) {
    guard !hasFailed else { return }
    switch unwrapInboundIn(data) {
    case .head(let parsed):
      guard let head = gate.head, head.method == parsed.method.rawValue, head.target == parsed.uri else {
        return fail(HTTPFailure(400, "The head of the request can't be read."), context)
      }
      context.fireChannelRead(wrapInboundOut(.head(head)))
    case .body(let piece): context.fireChannelRead(wrapInboundOut(.content(piece)))
    case .end: context.fireChannelRead(wrapInboundOut(.end))
    }
  }

  func errorCaught(context: ChannelHandlerContext, error: any Error) {
    switch error {
    case let failure as HTTPFailure: fail(failure, context)
    case is HTTPParserError: fail(HTTPFailure(400, "The request can't be read."), context)
    default: context.close(promise: nil)
    }
  }

  private func fail(_ failure: HTTPFailure, _ context: ChannelHandlerContext) {
    guard !hasFailed else { return }
    hasFailed = true
    context.fireChannelRead(wrapInboundOut(.failed(failure)))
    context.fireChannelReadComplete()
  }

  func write(context: ChannelHandlerContext, data: NIOAny, promise: EventLoopPromise<Void>?) {
    switch unwrapOutboundIn(data) {
    case .head(let head): context.write(wrapOutboundOut(.head(head)), promise: promise)
    case .body(let piece): context.write(wrapOutboundOut(.body(.byteBuffer(piece))), promise: promise)
    case .end(let trailers):
      context.write(wrapOutboundOut(.end(trailers)), promise: promise)
      let bound = NIOLoopBound((gate, gateContext), eventLoop: context.eventLoop)
      // Not before the response is flushed.
      context.eventLoop.execute {
        let (gate, context) = bound.value
        gate.answered(context)
      }
    }
  }
}
