import NIOCore
import NIOHPACK
import NIOHTTP2
import TenonFoundation

/// A call of gRPC on a stream of HTTP/2
/// (https://github.com/grpc/grpc/blob/master/doc/PROTOCOL-HTTP2.md).
struct GRPCCall: Sendable {
  private let frames: NIOAsyncChannel<HTTP2Frame.FramePayload, HTTP2Frame.FramePayload>
  private let server: GRPCServer

  init(
    _ frames: NIOAsyncChannel<HTTP2Frame.FramePayload, HTTP2Frame.FramePayload>, _ server: GRPCServer
  ) {
    self.frames = frames
    self.server = server
  }

  /// Serves the call until it ends, is cancelled, or its deadline passes.
  func serve() async {
    let channel = frames.channel
    try? await frames.executeThenClose { inbound, outbound in
      let writer = GRPCWriter(outbound, channel)
      var messages = GRPCMessages(inbound.makeAsyncIterator())
      guard let head = try await messages.head() else { return }
      let log = server.gateway.log
      let entry = log.begin(
        head.headers.first(name: ":method") ?? "", head.headers.first(name: ":path") ?? "")
      if let (status, message) = server.refusal(of: head.headers) {
        log.end(entry, "\(status)")
        return await writer.refuse(status, message)
      }
      messages.encoding = head.headers.first(name: "grpc-encoding") ?? "identity"
      let inbox = GRPCInbox()
      let work = begin(head.headers, inbox, writer)
      do {
        while let message = try await messages.next() { await inbox.put(message) }
        inbox.finish()
      } catch let status as GRPCStatus {
        inbox.finish(status)
      }
      await work.value
      log.end(entry, (writer.code ?? .cancelled).name)
    }
  }

  /// Begins the work of the call, which ends the stream.
  private func begin(_ head: HPACKHeaders, _ inbox: GRPCInbox, _ writer: GRPCWriter) -> Task<Void, Never> {
    let (channel, server) = (frames.channel, server)
    let work = Task {
      do {
        try await server.run(head, inbox, writer, on: channel.eventLoop)
        await writer.end(.ok)
      } catch {
        await writer.end(GRPCStatus(of: error))
      }
      inbox.close()
      // A client that is still sending is told to stop, which is no error (RFC 9113, section 8.1). NIO would say
      // that the stream is cancelled, and clients would report that instead of the status.
      let stop = HTTP2Frame.FramePayload.rstStream(.noError)
      channel.writeAndFlush(stop).whenComplete { _ in channel.close(promise: nil) }
    }
    // The stream closes when the client resets it, and when the connection ends.
    channel.closeFuture.whenComplete { _ in work.cancel() }
    do throws(GRPCStatus) {
      guard let time = try Self.timeout(head) else { return work }
      let timer = channel.eventLoop.scheduleTask(in: time) {
        Task { await writer.end(GRPCStatus(.deadlineExceeded, "The deadline of the call has passed.")) }
        work.cancel()
      }
      channel.closeFuture.whenComplete { _ in timer.cancel() }
    } catch {
      Task { await writer.end(error) }
      work.cancel()
    }
    return work
  }

  /// Returns the time for a call; `nil` if it has no limit.
  ///
  /// - Throws: ``GRPCStatus`` for one that can't be read.
  private static func timeout(_ head: HPACKHeaders) throws(GRPCStatus) -> TimeAmount? {
    guard let text = head.first(name: "grpc-timeout") else { return nil }
    let units: [Character: TimeAmount] = [
      "H": .hours(1), "M": .minutes(1), "S": .seconds(1), "m": .milliseconds(1), "u": .microseconds(1),
      "n": .nanoseconds(1),
    ]
    guard let unit = text.last.flatMap({ units[$0] }), (2...9).contains(text.utf8.count),
      let count = Int64(text.dropLast()), count >= 0
    else {
      throw GRPCStatus(.invalidArgument, "grpc-timeout isn't a number of at most 8 digits with a unit.")
    }
    // A day is longer than any call.
    let day = TimeAmount.hours(24)
    return count > day.nanoseconds / unit.nanoseconds ? day : .nanoseconds(count * unit.nanoseconds)
  }
}
