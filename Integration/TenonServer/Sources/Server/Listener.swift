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

/// Accepts connections on ports of 127.0.0.1, and of ::1 where that exists, for HTTP/1.1 and HTTP/2, and serves
/// them on two event loops.
struct Listener: Sendable {
  /// The ports on which it listens.
  let places: ServedPlaces
  private let channels: [any Channel]
  private let connections: Connections
  private let group: MultiThreadedEventLoopGroup

  /// Begins to listen.
  ///
  /// - Throws: ``ConfigurationProblem`` if a port can't be listened on.
  init(
    endpoints: [Endpoint], limits: ServerLimits, gateway: Gateway
  ) async throws(ConfigurationProblem) {
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
    var channels: [any Channel] = []
    var ports: [Emulator: UInt16] = [:]
    var portsOfIPv6: Set<UInt16> = []
    for endpoint in endpoints {
      let channel: any Channel
      do { channel = try await bootstrap.bind(host: "127.0.0.1", port: Int(endpoint.port)).get() } catch {
        let reason = (error as? IOError).map { String(cString: strerror($0.errnoCode)) } ?? "\(error)"
        let names = endpoint.emulators.map(\.rawValue).joined(separator: ", ")
        throw ConfigurationProblem(
          "127.0.0.1:\(endpoint.port) can't be listened on for \(names): \(reason). \(endpoint.advice)")
      }
      channels.append(channel)
      let port = channel.localAddress?.port.flatMap { UInt16(exactly: $0) } ?? endpoint.port
      for emulator in endpoint.emulators { ports[emulator] = port }
      // Some clients look up localhost, and use the first address that they find. Where this one doesn't exist, or
      // is in use, they try the other one.
      if let other = try? await bootstrap.bind(host: "::1", port: Int(port)).get() {
        channels.append(other)
        portsOfIPv6.insert(port)
      }
    }
    self.channels = channels
    places = ServedPlaces(ports, onIPv6: portsOfIPv6)
  }

  /// Accepts no further connections, and tells the open ones that the server ends.
  func end() async {
    for channel in channels { try? await channel.close().get() }
    connections.announceEnd()
    // Until the event loops have done that.
    for eventLoop in group.makeIterator() { try? await eventLoop.submit {}.get() }
  }
}
