import NIOCore
import NIOHTTP1
import TenonFoundation
import TenonTransport
import TenonTransportInterop

/// A connection of HTTP/1.1: one request after another, until either side ends it.
struct HTTPConnection: Sendable {
  private let limits: ServerLimits
  private let gateway: Gateway
  private let channel: NIOAsyncChannel<RequestPart, ResponsePart>
  private let abandonment: Abandonment
  private let gate: NIOLoopBound<(RequestGate, ChannelHandlerContext)>

  /// Adds the handlers of a connection to its channel, and begins to serve it.
  static func configure(
    _ channel: any Channel, _ limits: ServerLimits, _ connections: Connections, _ gateway: Gateway
  ) throws {
    let pipeline = channel.pipeline.syncOperations
    let abandonment = Abandonment()
    let gate = RequestGate(limits, connections, abandonment)
    try pipeline.addHandlers(WriteTime(limits), gate)
    let context = try pipeline.context(handler: gate)
    // The framing of a response is decided here, also for HEAD and HTTP/1.0.
    var encoding = HTTPResponseEncoder.Configuration()
    encoding.automaticallySetFramingHeaders = false
    try pipeline.addHandlers(
      HTTPResponseEncoder(configuration: encoding),
      ByteToMessageHandler(HTTPRequestDecoder(leftOverBytesStrategy: .dropBytes)),
      RequestParts(gate, context))
    let connection = HTTPConnection(
      limits: limits, gateway: gateway,
      channel: try NIOAsyncChannel(wrappingChannelSynchronously: channel), abandonment: abandonment,
      gate: NIOLoopBound((gate, context), eventLoop: channel.eventLoop))
    Task { await connection.serve() }
  }

  /// Serves requests until the connection ends.
  private func serve() async {
    // An error means that the peer closed the connection, or that the content ended with an error, which only
    // closing the connection can report.
    try? await channel.executeThenClose { inbound, outbound in
      var parts = inbound.makeAsyncIterator()
      while let part = try await parts.next(isolation: #isolation) {
        do {
          switch part {
          case .head(let head):
            if try await logged(head, &parts, outbound) { continue }
            return try await drain()
          case .failed(let failure):
            gateway.log.end(gateway.log.begin("a", "damaged request"), "\(failure.status)")
            throw failure
          case .content, .end: continue
          }
        } catch let failure as HTTPFailure {
          try await refuse(failure, outbound)
          return try await drain()
        }
      }
    }
  }

  /// Lets the gate read what the client still sends, and waits for the end.
  private func drain() async throws {
    let gate = gate
    channel.channel.eventLoop.execute {
      let (gate, context) = gate.value
      gate.drain(context)
    }
    try await channel.channel.closeFuture.get()
  }

  /// Answers a request, and writes a line about it.
  ///
  /// - Returns: whether the connection can be used for another request.
  private func logged(
    _ head: RequestHead, _ parts: inout NIOAsyncChannelInboundStream<RequestPart>.AsyncIterator,
    _ outbound: NIOAsyncChannelOutboundWriter<ResponsePart>
  ) async throws -> Bool {
    let entry = gateway.log.begin(head.method, head.target)
    do {
      let (status, isPersistent) = try await answer(head, &parts, outbound)
      gateway.log.end(entry, "\(status)")
      return isPersistent
    } catch {
      // Without a response, the client has left.
      gateway.log.end(entry, "\((error as? HTTPFailure)?.status ?? 499)")
      throw error
    }
  }

  /// - Returns: the status, and whether the connection can be used for another request.
  private func answer(
    _ head: RequestHead, _ parts: inout NIOAsyncChannelInboundStream<RequestPart>.AsyncIterator,
    _ outbound: NIOAsyncChannelOutboundWriter<ResponsePart>
  ) async throws -> (status: Int, isPersistent: Bool) {
    if let failure = gateway.access.refusal(of: head) { throw failure }
    if head["Expect"]?.lowercased() == "100-continue", head.readsChunks {
      try await outbound.write(.head(HTTPResponseHead(version: .http1_1, status: .continue)))
    }
    var content = RequestContent(limits: limits)
    receiving: while true {
      switch try await parts.next(isolation: #isolation) {
      case .content(let piece): try await content.append(Data(piece.readableBytesView))
      case .end: break receiving
      case .failed(let failure): throw failure
      case .head, nil: throw CancellationError()
      }
    }
    let writer = ResponseWriter(outbound: outbound, limits: limits)
    let fields = gateway.access.fields(for: head)
    if head.method == "OPTIONS", !gateway.forwardsOptions(head) {
      try await writer.writeHead(
        204, fields + gateway.access.preflight(head), framing: .none, closes: !head.isPersistent)
      try await writer.writeEnd()
      return (204, head.isPersistent)
    }
    let request = try gateway.request(head, body: try await content.body())
    let file = content.file
    defer { withExtendedLifetime(file) {} }
    return try await withinTime { [gateway] isLate in
      let answer = await gateway.answer(request)
      if isLate() { throw HTTPFailure(504, "The backend took too long.") }
      return (answer.status, try await writer.write(answer, fields, to: head))
    }
  }

  /// Runs the work of a request, which is cancelled if its client leaves, and when the time for it has passed.
  private func withinTime<Value: Sendable>(
    _ work: @escaping @Sendable (_ isLate: @escaping @Sendable () -> Bool) async throws -> Value
  ) async throws -> Value {
    let end = NIODeadline.now() + .seconds(limits.answerTime)
    let task = Task { try await work { NIODeadline.now() >= end } }
    let timer = channel.channel.eventLoop.scheduleTask(deadline: end) { task.cancel() }
    defer { timer.cancel() }
    abandonment.setWork { task.cancel() }
    defer { abandonment.setWork(nil) }
    return try await task.value
  }

  private func refuse(
    _ failure: HTTPFailure, _ outbound: NIOAsyncChannelOutboundWriter<ResponsePart>
  ) async throws {
    let text = Data("\(failure.message)\n".utf8)
    let fields = [("Content-Type", "text/plain; charset=utf-8"), ("Vary", "Origin")]
    let writer = ResponseWriter(outbound: outbound, limits: limits)
    try await writer.writeHead(failure.status, fields, framing: .length(text.count), closes: true)
    try await writer.writePiece(text)
    try await writer.writeEnd()
  }
}
