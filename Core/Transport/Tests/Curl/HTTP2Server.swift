import TenonFoundation

#if os(Linux)
  import Dispatch
  import Foundation
  import TenonCore
  import TenonTestSupport

  /// A server of HTTP/2 (RFC 9113) behind a ``TLSTerminator``. A test decides when each request is answered
  /// and with what.
  ///
  /// It parses frames but not header fields, so tests identify requests by their bodies. Every response has
  /// the status 200. It observes flow control when it sends, and lets clients send without a limit.
  final class HTTP2Server: Sendable {
    /// A complete request.
    struct Request: Sendable {
      /// The number of the stream.
      let stream: UInt32
      /// The body as text.
      let text: String
      fileprivate let connection: Connection

      /// Answers with text.
      func answer(_ text: String) { connection.answer(stream, Data(text.utf8), zeros: 0) }

      /// Answers with a number of zero bytes.
      func answer(zeros: Int) { connection.answer(stream, Data(), zeros: zeros) }
    }

    private let server: RawServer
    private let terminator: TLSTerminator
    private let connections = Connections()

    /// Starts a server.
    ///
    /// - Parameter receive: called for each request when it is complete, on the connection's thread. It must
    ///   not block.
    init(_ receive: @escaping @Sendable (Request) -> Void) throws {
      let connections = connections
      server = try RawServer { raw in
        let connection = Connection(raw)
        connections.all.withLock { $0.append(connection) }
        connection.run(receive)
      }
      terminator = try TLSTerminator(to: server.port, protocols: "h2")
    }

    deinit { server.stop() }

    /// The port of TLS connections, which also accepts those of a proxy's clients.
    var port: Int { terminator.port }
    /// The certificate, which clients must trust.
    var certificate: URL { terminator.certificate.certificate }
    /// The number of connections that were accepted.
    var accepted: Int { server.accepted }
    /// The number of connections that are open.
    var open: Int { server.open }
    /// The streams that clients have reset.
    var resets: [UInt32] { connections.all.withLock { $0.flatMap(\.resets) } }
    /// The number of bytes of bodies that have been sent.
    var sent: Int { connections.all.withLock { $0.reduce(0) { $0 + $1.sent } } }

    /// Returns the URL of a target on this server.
    func url(_ target: String, host: String = "localhost") -> URL { terminator.url(target, host: host) }
  }

  private final class Connections: Sendable {
    let all = Lock<[Connection]>([])
  }

  /// One connection: a thread that reads frames, and one that writes them.
  private final class Connection: Sendable {
    private enum Kind {
      static let data: UInt8 = 0
      static let headers: UInt8 = 1
      static let reset: UInt8 = 3
      static let settings: UInt8 = 4
      static let ping: UInt8 = 6
      static let windowUpdate: UInt8 = 8
      static let endStream: UInt8 = 1
      static let acknowledgement: UInt8 = 1
      static let endHeaders: UInt8 = 4
    }

    private struct State {
      var isOpen = true
      /// Frames that aren't subject to flow control.
      var control: [Data] = []
      /// Bodies that haven't been sent completely, in the order in which they take turns.
      var bodies: [(stream: UInt32, bytes: Data, zeros: Int)] = []
      var requests: [UInt32: Data] = [:]
      var initialWindow = 65_535
      var window = 65_535
      var windows: [UInt32: Int] = [:]
      var resets: [UInt32] = []
      var sent = 0

      /// Removes and returns what may be sent next: the control frames, or a frame of a body.
      mutating func next() -> Data? {
        if !control.isEmpty {
          defer { control = [] }
          return control.reduce(Data(), +)
        }
        let turn = bodies.firstIndex { body in
          body.bytes.count + body.zeros == 0 || min(window, windows[body.stream] ?? initialWindow) > 0
        }
        guard let turn else { return nil }
        var body = bodies.remove(at: turn)
        let space = min(window, windows[body.stream] ?? initialWindow, 16_384)
        let bytes = body.bytes.prefix(space)
        let zeros = min(body.zeros, space - bytes.count)
        body.bytes = Data(body.bytes.dropFirst(bytes.count))
        body.zeros -= zeros
        let count = bytes.count + zeros
        window -= count
        windows[body.stream] = (windows[body.stream] ?? initialWindow) - count
        sent += count
        let isComplete = body.bytes.isEmpty && body.zeros == 0
        if !isComplete { bodies.append(body) }
        return frame(Kind.data, isComplete ? Kind.endStream : 0, body.stream, bytes + Data(count: zeros))
      }
    }

    private let raw: RawServer.Connection
    private let state = Lock(State())
    /// Signaled when there may be something to send.
    private let work = DispatchSemaphore(value: 0)

    init(_ raw: RawServer.Connection) { self.raw = raw }

    var resets: [UInt32] { state.withLock { $0.resets } }
    var sent: Int { state.withLock { $0.sent } }

    func answer(_ stream: UInt32, _ bytes: Data, zeros: Int) {
      state.withLock { state in
        // The header block is one byte: `:status: 200` of the static table (RFC 7541, appendix A).
        state.control.append(frame(Kind.headers, Kind.endHeaders, stream, Data([0x88])))
        state.bodies.append((stream, bytes, zeros))
      }
      work.signal()
    }

    /// Serves until the client closes the connection.
    func run(_ receive: @Sendable (HTTP2Server.Request) -> Void) {
      // At most 1,000 concurrent streams, and a window of 2^30 bytes for each stream of the client.
      let settings = Data([0, 3, 0, 0, 3, 0xE8, 0, 4, 0x40, 0, 0, 0])
      send(frame(Kind.settings, 0, 0, settings) + frame(Kind.windowUpdate, 0, 0, Data([0x40, 0, 0, 0])))
      let writerEnded = DispatchSemaphore(value: 0)
      Thread.detachNewThread { [self] in
        write()
        writerEnded.signal()
      }
      var input = Data()
      var hasPreface = false
      while let bytes = raw.read() {
        input += bytes
        if !hasPreface {
          guard input.count >= 24 else { continue }
          input = Data(input.dropFirst(24))
          hasPreface = true
        }
        while let (kind, flags, stream, payload) = Self.takeFrame(&input) {
          if let request = handle(kind, flags, stream, payload) { receive(request) }
        }
      }
      state.withLock { $0.isOpen = false }
      work.signal()
      writerEnded.wait()
    }

    private func send(_ bytes: Data) {
      state.withLock { $0.control.append(bytes) }
      work.signal()
    }

    /// Writes what may be sent, one frame at a time, so that streams take turns.
    private func write() {
      while state.withLock({ $0.isOpen }) {
        work.wait()
        while let bytes = state.withLock({ $0.isOpen ? $0.next() : nil }) {
          guard raw.write(bytes) else { return }
        }
      }
    }

    private static func takeFrame(_ input: inout Data) -> (UInt8, UInt8, UInt32, Data)? {
      guard input.count >= 9 else { return nil }
      let head = [UInt8](input.prefix(9))
      let length = Int(head[0]) << 16 | Int(head[1]) << 8 | Int(head[2])
      guard input.count >= 9 + length else { return nil }
      let payload = Data(input.dropFirst(9).prefix(length))
      input = Data(input.dropFirst(9 + length))
      return (head[3], head[4], number(Data(head[5...])), payload)
    }

    /// Handles a frame. Returns a request that it completes.
    private func handle(_ kind: UInt8, _ flags: UInt8, _ stream: UInt32, _ payload: Data) -> HTTP2Server
      .Request?
    {
      switch kind {
      case Kind.settings where flags & Kind.acknowledgement == 0:
        for start in stride(from: 0, to: payload.count - 5, by: 6) where payload[start + 1] == 4 {
          let size = Int(number(payload.dropFirst(start + 2).prefix(4)))
          state.withLock { state in
            for stream in state.windows.keys { state.windows[stream]? += size - state.initialWindow }
            state.initialWindow = size
          }
        }
        send(frame(Kind.settings, Kind.acknowledgement, 0, Data()))
      case Kind.ping where flags & Kind.acknowledgement == 0:
        send(frame(Kind.ping, Kind.acknowledgement, 0, payload))
      case Kind.windowUpdate:
        let size = Int(number(payload))
        state.withLock { state in
          if stream == 0 {
            state.window += size
          } else {
            state.windows[stream] = (state.windows[stream] ?? state.initialWindow) + size
          }
        }
        work.signal()
      case Kind.reset:
        state.withLock { state in
          state.resets.append(stream)
          state.bodies.removeAll { $0.stream == stream }
        }
      case Kind.headers, Kind.data:
        return state.withLock { state in
          if kind == Kind.data { state.requests[stream, default: Data()] += payload }
          guard flags & Kind.endStream != 0 else { return nil }
          let body = state.requests.removeValue(forKey: stream) ?? Data()
          return HTTP2Server.Request(
            stream: stream, text: String(decoding: body, as: UTF8.self), connection: self)
        }
      default: break
      }
      return nil
    }
  }

  /// Returns a frame (RFC 9113, section 4.1).
  private func frame(_ kind: UInt8, _ flags: UInt8, _ stream: UInt32, _ payload: Data) -> Data {
    let length = payload.count
    let head = [
      UInt8(length >> 16 & 0xFF), UInt8(length >> 8 & 0xFF), UInt8(length & 0xFF), kind, flags,
      UInt8(stream >> 24 & 0xFF), UInt8(stream >> 16 & 0xFF), UInt8(stream >> 8 & 0xFF), UInt8(stream & 0xFF),
    ]
    return Data(head) + payload
  }

  /// Returns a number of up to 4 bytes in network byte order, without its highest bit of 32, which is
  /// reserved.
  private func number(_ bytes: Data) -> UInt32 { bytes.reduce(0) { $0 << 8 | UInt32($1) } & 0x7FFF_FFFF }
#endif
