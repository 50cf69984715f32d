import NIOCore
import NIOHTTP1
import TenonFoundation

/// Lets exactly one request at a time through to NIO's parser, whose head and framing it has checked.
///
/// NIO's parser is lenient where a request could mean something else to a proxy (white space, repeated and
/// contradicting lengths, sizes of chunks, ends of lines), and has no limits for a request. So a head is
/// checked here and written again in its canonical form, and so is the framing of chunks. All times of a
/// connection are here, too: for the head, for the content, for idleness, and for the rest of a connection
/// whose response has been sent.
final class RequestGate: ChannelDuplexHandler {
  typealias InboundIn = ByteBuffer
  typealias InboundOut = ByteBuffer
  typealias OutboundIn = Never

  /// What comes next in the bytes of the client.
  private enum State {
    /// A request, whose first byte hasn't arrived.
    case idle
    /// The rest of a head.
    case head
    /// Content of a known length.
    case content(Int64)
    /// The line with the size of a chunk.
    case size
    /// The rest of a chunk.
    case chunk(Int64)
    /// The line that ends a chunk.
    case chunkEnd
    /// The lines behind the last chunk, of which so many are permitted.
    case trailers(Int)
    /// Nothing, until the response has been sent.
    case response
    /// Nothing, because the request was refused.
    case failed
    /// Bytes that are discarded, of which so many are permitted.
    case drained(Int)
  }

  private let limits: ServerLimits
  private let connections: Connections
  private let abandonment: Abandonment
  private var state = State.idle
  /// The bytes that haven't been used.
  private var buffer = ByteBuffer()
  /// How far the search for the end of the head has come.
  private var searched = 0
  /// The size of the content so far.
  private var received: Int64 = 0
  /// When the content has to be complete, without the time for what has been received.
  private var contentEnd = NIODeadline.now()
  /// Whether a read waits for the response.
  private var isReadHeld = false
  /// Whether the client has ended its side.
  private var isInputClosed = false
  private var timer: Scheduled<Void>?
  private var drainEnd = NIODeadline.distantFuture

  /// The head of the request that was let through last.
  private(set) var head: RequestHead?

  init(_ limits: ServerLimits, _ connections: Connections, _ abandonment: Abandonment) {
    self.limits = limits
    self.connections = connections
    self.abandonment = abandonment
  }

  func handlerAdded(context: ChannelHandlerContext) { rest(context) }

  func handlerRemoved(context: ChannelHandlerContext) { timer?.cancel() }

  // MARK: - Events

  func channelRead(context: ChannelHandlerContext, data: NIOAny) {
    var piece = unwrapInboundIn(data)
    if case .drained(let rest) = state { return discard(piece.readableBytes, of: rest, context) }
    if buffer.readableBytes == 0 {
      buffer = piece
    } else {
      buffer.writeBuffer(&piece)
    }
    advance(context)
  }

  func channelReadComplete(context: ChannelHandlerContext) {
    if case .drained = state { context.read() }
    context.fireChannelReadComplete()
  }

  func read(context: ChannelHandlerContext) {
    switch state {
    case .response, .failed: isReadHeld = true
    default: context.read()
    }
  }

  func channelInactive(context: ChannelHandlerContext) {
    timer?.cancel()
    abandonment.abandon()
    context.fireChannelInactive()
  }

  func userInboundEventTriggered(context: ChannelHandlerContext, event: Any) {
    guard let event = event as? ChannelEvent, event == .inputClosed else {
      return context.fireUserInboundEventTriggered(event)
    }
    isInputClosed = true
    switch state {
    case .response:
      // After this time, no client waits for the response any more.
      setTimer(.seconds(1), context) { gate, _ in gate.abandonment.abandon() }
    case .failed: break
    default: context.close(promise: nil)
    }
  }

  // MARK: - Requests

  /// Takes note that the response has been sent.
  func answered(_ context: ChannelHandlerContext) {
    guard case .response = state else { return }
    state = .idle
    rest(context)
    advance(context)
    // What was in the buffer is complete for the handlers behind this one.
    context.fireChannelReadComplete()
    if isInputClosed, case .idle = state { return context.close(promise: nil) }
    guard isReadHeld else { return }
    switch state {
    case .response, .failed: break
    default:
      isReadHeld = false
      context.read()
    }
  }

  /// Uses as many bytes as possible.
  private func advance(_ context: ChannelHandlerContext) {
    do throws(HTTPFailure) { while try step(context) {} } catch {
      state = .failed
      timer?.cancel()
      context.fireErrorCaught(error)
    }
    buffer.discardReadBytes()
  }

  /// - Returns: whether another step may be possible.
  private func step(_ context: ChannelHandlerContext) throws(HTTPFailure) -> Bool {
    switch state {
    case .idle: return begin(context)
    case .head: return try readHead(context)
    case .content(let rest):
      guard forward(upTo: rest, context, { .content($0) }) else { return false }
      if case .content(0) = state { complete(context) }
      return true
    case .size: return try readSize(context)
    case .chunk(let rest):
      guard forward(upTo: rest, context, { .chunk($0) }) else { return false }
      if case .chunk(0) = state { state = .chunkEnd }
      return true
    case .chunkEnd:
      guard let line = try line() else { return false }
      guard line.isEmpty else { throw HTTPFailure(400, "A chunk doesn't end.") }
      emit("\r\n", context)
      state = .size
      return true
    case .trailers(let rest):
      // Trailer fields are read and ignored.
      guard let line = try line() else { return false }
      guard !line.isEmpty else {
        emit("0\r\n\r\n", context)
        complete(context)
        return true
      }
      guard rest > 1 else { throw Self.tooLarge }
      state = .trailers(rest - 1)
      return true
    case .response, .failed, .drained: return false
    }
  }

  /// Begins a request with its first byte. Empty lines before it are ignored (RFC 9112, section 2.2).
  private func begin(_ context: ChannelHandlerContext) -> Bool {
    let blank = buffer.readableBytesView.prefix { $0 == 0x0D || $0 == 0x0A }.count
    buffer.moveReaderIndex(forwardBy: blank)
    guard buffer.readableBytes > 0 else { return false }
    (state, searched) = (.head, 0)
    connections.setRests(false, context.channel)
    setTimer(.milliseconds(limits.headTime), context) { gate, context in gate.endTime(context) }
    return true
  }

  private func readHead(_ context: ChannelHandlerContext) throws(HTTPFailure) -> Bool {
    guard let end = endOfHead() else {
      guard buffer.readableBytes <= limits.headBytes else { throw Self.tooLarge }
      searched = max(0, buffer.readableBytes - 3)
      return false
    }
    guard end.head <= limits.headBytes, let bytes = buffer.readBytes(length: end.message) else {
      throw Self.tooLarge
    }
    let head = try RequestHead(Data(bytes.prefix(end.head)))
    guard head.fields.count <= limits.headFields else { throw Self.tooLarge }
    self.head = head
    received = 0
    contentEnd = .now() + .seconds(60)
    switch head.framing {
    case .length(let length):
      guard length <= limits.bodyBytes else { throw HTTPFailure(413, "The content is too large.") }
      emit(head.canonical, context)
      state = .content(length)
      if length == 0 { complete(context) } else { setStallTimer(context) }
    case .chunked:
      emit(head.canonical, context)
      state = .size
      setStallTimer(context)
    }
    return true
  }

  private func readSize(_ context: ChannelHandlerContext) throws(HTTPFailure) -> Bool {
    guard let line = try line() else { return false }
    // The size may be followed by extensions, which are ignored (RFC 9112, section 7.1.1).
    let digits = line.prefix { $0 != ";" && $0 != " " && $0 != "\t" }
    guard !digits.isEmpty, digits.utf8.allSatisfy({ Character(Unicode.Scalar($0)).isHexDigit }) else {
      throw HTTPFailure(400, "A chunk has no size.")
    }
    guard let size = Int64(digits, radix: 16), size <= limits.bodyBytes - received else {
      throw HTTPFailure(413, "The content is too large.")
    }
    guard size > 0 else {
      state = .trailers(limits.headFields)
      return true
    }
    emit("\(String(size, radix: 16))\r\n", context)
    state = .chunk(size)
    return true
  }

  /// Lets content through.
  private func forward(
    upTo rest: Int64, _ context: ChannelHandlerContext, _ next: (Int64) -> State
  ) -> Bool {
    let count = Int(min(rest, Int64(buffer.readableBytes)))
    guard count > 0, let piece = buffer.readSlice(length: count) else { return false }
    received += Int64(count)
    state = next(rest - Int64(count))
    setStallTimer(context)
    context.fireChannelRead(wrapInboundOut(piece))
    return true
  }

  /// Takes note that the request is complete.
  private func complete(_ context: ChannelHandlerContext) {
    state = .response
    timer?.cancel()
    if isInputClosed { setTimer(.seconds(1), context) { gate, _ in gate.abandonment.abandon() } }
  }

  private func emit(_ text: String, _ context: ChannelHandlerContext) {
    context.fireChannelRead(wrapInboundOut(ByteBuffer(string: text)))
  }

  /// Reads a line, without its end; `nil` if it isn't complete.
  private func line() throws(HTTPFailure) -> String? {
    let view = buffer.readableBytesView
    guard let end = view.firstIndex(of: 0x0A) else {
      guard view.count <= limits.headBytes else { throw Self.tooLarge }
      return nil
    }
    let bytes = view[..<end]
    let line = String(decoding: bytes.last == 0x0D ? bytes.dropLast() : bytes, as: UTF8.self)
    buffer.moveReaderIndex(forwardBy: bytes.count + 1)
    return line
  }

  /// Returns the size of a head, and of the head with the empty line behind it.
  private func endOfHead() -> (head: Int, message: Int)? {
    let view = buffer.readableBytesView
    var index = view.startIndex + searched
    while let line = view[index...].firstIndex(of: 0x0A) {
      let next = view[(line + 1)...]
      if next.first == 0x0A { return (line - view.startIndex, line - view.startIndex + 2) }
      if next.starts(with: [0x0D, 0x0A]) { return (line - view.startIndex, line - view.startIndex + 3) }
      index = line + 1
    }
    return nil
  }

  private static let tooLarge = HTTPFailure(431, "The head of the request is too large.")

  // MARK: - Times

  private func rest(_ context: ChannelHandlerContext) {
    connections.setRests(true, context.channel)
    setTimer(.milliseconds(limits.idleTime), context) { _, context in context.close(promise: nil) }
  }

  /// Waits for more content: for a limited time, and in total no longer than the slowest permitted client
  /// needs.
  private func setStallTimer(_ context: ChannelHandlerContext) {
    let end = contentEnd + .seconds(received / limits.slowestBody)
    let stall = NIODeadline.now() + .milliseconds(limits.stallTime)
    setTimer(min(stall, end) - NIODeadline.now(), context) { gate, context in gate.endTime(context) }
  }

  private func endTime(_ context: ChannelHandlerContext) {
    state = .failed
    context.fireErrorCaught(HTTPFailure(408, "The request took too long."))
  }

  private func setTimer(
    _ time: TimeAmount, _ context: ChannelHandlerContext,
    _ body: @escaping (RequestGate, ChannelHandlerContext) -> Void
  ) {
    timer?.cancel()
    let bound = NIOLoopBound((self, context, body), eventLoop: context.eventLoop)
    timer = context.eventLoop.scheduleTask(in: time) {
      let (gate, context, body) = bound.value
      body(gate, context)
    }
  }

  // MARK: - The end

  /// Ends the sending side, and reads and discards what the client still sends.
  ///
  /// Closing a connection earlier could destroy the response: the kernel answers unread bytes with a reset,
  /// which may reach the client before it has read the response (RFC 9112, section 9.6). The number of bytes
  /// and the time are limited.
  func drain(_ context: ChannelHandlerContext) {
    guard !isInputClosed else { return context.close(promise: nil) }
    let unread = buffer.readableBytes
    buffer.clear()
    drainEnd = .now() + .milliseconds(limits.drainTime)
    // A connection that is drained still counts, and is closed like an idle one to make room.
    connections.setRests(true, context.channel)
    context.close(mode: .output, promise: nil)
    discard(unread, of: limits.drainBytes, context)
    context.read()
  }

  private func discard(_ count: Int, of rest: Int, _ context: ChannelHandlerContext) {
    guard count < rest else { return context.close(promise: nil) }
    state = .drained(rest - count)
    let stall = NIODeadline.now() + .milliseconds(limits.drainStall)
    setTimer(min(stall, drainEnd) - NIODeadline.now(), context) { _, context in context.close(promise: nil) }
  }
}

/// What ends the work for a client that has left.
final class Abandonment: Sendable {
  private struct State {
    var isAbandoned = false
    var cancel: (@Sendable () -> Void)?
  }

  private let state = Lock(State())

  /// Cancels the present work and all later work.
  func abandon() {
    let cancel = state.withLock { state in
      state.isAbandoned = true
      return state.cancel.take()
    }
    cancel?()
  }

  /// Sets what cancels the present work; `nil` if there is none.
  func setWork(_ cancel: (@Sendable () -> Void)?) {
    let isAbandoned = state.withLock { state in
      state.cancel = state.isAbandoned ? nil : cancel
      return state.isAbandoned
    }
    if isAbandoned { cancel?() }
  }
}
