import TenonFoundation
import TenonTransport
import TenonTransportInterop

#if canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#elseif canImport(Darwin)
  import Darwin
#endif

/// A connection, served by a dedicated thread: one request after another, until either side ends it.
struct Connection {
  let limits: ServerLimits
  let gateway: Gateway
  private let stream: SocketStream
  private var reader: RequestReader
  private let writer: ResponseWriter

  init(socket: Int32, limits: ServerLimits, gateway: Gateway) {
    self.limits = limits
    self.gateway = gateway
    stream = SocketStream(socket)
    reader = RequestReader(stream, limits: limits)
    writer = ResponseWriter(stream: stream, limits: limits)
  }

  /// Serves requests until the connection ends, without closing it.
  ///
  /// - Parameter rests: called with `true` when the connection becomes idle between two requests, and with
  ///   `false` afterwards.
  /// - Returns: whether the peer has a response to read and may still be sending, so that the connection must
  ///   be drained.
  mutating func serve(_ rests: (Bool) -> Void) -> Bool {
    while true {
      rests(true)
      let isAsked = reader.waitForRequest()
      rests(false)
      guard isAsked else { return false }
      do {
        guard try answer() else { return true }
      } catch let failure as HTTPFailure {
        return (try? refuse(failure)) != nil
      } catch {
        // The peer closed the connection, or the content ended with an error. Only closing the connection can
        // report that.
        return false
      }
    }
  }

  /// - Returns: whether the connection can be used for another request.
  private mutating func answer() throws -> Bool {
    let head = try reader.head()
    if let failure = gateway.access.refusal(of: head) { throw failure }
    if head["Expect"]?.lowercased() == "100-continue", head.readsChunks { try writer.writeContinue() }
    var content = RequestContent(limits: limits)
    try reader.content(of: head, into: &content)
    let closes = !head.isPersistent
    let fields = gateway.access.fields(for: head)
    if head.method == "OPTIONS" {
      try writer.writeHead(204, fields + gateway.access.preflight(head), framing: .none, closes: closes)
      return !closes
    }
    let request = try gateway.request(head, body: content.body)
    let reply = Reply(limits: limits, gateway: gateway)
    let isWhole = try reply.run(request, abandoned: { stream.isAbandoned }) { part in
      switch part {
      case .head(let status, let answered):
        let framing = Self.framing(status, answered, of: head)
        try writer.writeHead(
          status, answered.fields.map { ($0.name, $0.value) } + fields, framing: framing,
          closes: closes || framing == .connection)
        return framing
      case .piece(let piece, let framing):
        try writer.writePiece(piece, framing: framing)
        return framing
      case .end(let framing):
        try writer.writeEnd(framing: framing)
        return framing
      }
    }
    return isWhole && !closes
  }

  private static func framing(
    _ status: Int, _ fields: TenonTransportInterop.HTTPHeaders, of head: RequestHead
  ) -> ResponseWriter.Framing {
    if status == 204 || status == 304 || head.method == "HEAD" { return .none }
    if let length = fields["Content-Length"].flatMap({ Int($0) }), length >= 0 { return .length(length) }
    return head.readsChunks ? .chunks : .connection
  }

  private func refuse(_ failure: HTTPFailure) throws {
    let text = Data("\(failure.message)\n".utf8)
    let framing = ResponseWriter.Framing.length(text.count)
    let fields = [("Content-Type", "text/plain; charset=utf-8"), ("Vary", "Origin")]
    try writer.writeHead(failure.status, fields, framing: framing, closes: true)
    try writer.writePiece(text, framing: framing)
  }
}
