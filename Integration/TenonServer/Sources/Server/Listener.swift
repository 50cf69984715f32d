import NIOCore
import NIOPosix
import TenonFoundation

#if canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#elseif canImport(Darwin)
  import Darwin
#endif

/// Accepts connections on 127.0.0.1, for HTTP/1.1 and HTTP/2, and serves them on two event loops.
struct Listener: Sendable {
  /// The port on which it listens.
  let port: UInt16
  private let channel: any Channel
  private let connections: Connections
  private let group: MultiThreadedEventLoopGroup

  /// Begins to listen.
  ///
  /// - Parameter port: the port; 0 selects a free one.
  /// - Throws: ``Problem``.
  init(port: UInt16, limits: ServerLimits, gateway: Gateway) async throws(Problem) {
    let connections = Connections(limits: limits)
    self.connections = connections
    let calls = GRPCServer(gateway: gateway)
    let group = MultiThreadedEventLoopGroup(numberOfThreads: 2)
    self.group = group
    let bootstrap = ServerBootstrap(group: group)
      .serverChannelOption(.backlog, value: 128)
      .serverChannelOption(.maxMessagesPerRead, value: 1)
      .serverChannelOption(.socketOption(.so_reuseaddr), value: 1)
      .serverChannelInitializer { channel in
        channel.eventLoop.makeCompletedFuture {
          try channel.pipeline.syncOperations.addHandler(AcceptGate(connections))
        }
      }
      .childChannelOption(.tcpOption(.tcp_nodelay), value: 1)
      .childChannelOption(.allowRemoteHalfClosure, value: true)
      .childChannelInitializer { channel in
        channel.eventLoop.makeCompletedFuture {
          let protocols = ProtocolChoice(limits, connections) { channel, choice in
            switch choice {
            case .http1: try HTTPConnection.configure(channel, limits, connections, gateway)
            case .http2: try HTTP2Connection.configure(channel, limits, connections, calls)
            }
          }
          try channel.pipeline.syncOperations.addHandler(protocols)
        }
      }
    do {
      channel = try await bootstrap.bind(host: "127.0.0.1", port: Int(port)).get()
    } catch {
      let reason = (error as? IOError).map { String(cString: strerror($0.errnoCode)) } ?? "\(error)"
      throw Problem(description: "127.0.0.1:\(port) can't be listened on: \(reason).")
    }
    self.port = channel.localAddress?.port.flatMap { UInt16(exactly: $0) } ?? port
  }

  /// Accepts no further connections, and tells the open ones that the server ends.
  func end() async {
    try? await channel.close().get()
    connections.announceEnd()
    // Until the event loops have done that.
    for eventLoop in group.makeIterator() { try? await eventLoop.submit {}.get() }
  }

  /// The reason why the server can't listen.
  struct Problem: Error, CustomStringConvertible {
    let description: String
  }
}
