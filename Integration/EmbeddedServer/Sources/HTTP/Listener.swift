import TenonFoundation

#if canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#elseif canImport(Darwin)
  import Darwin
#endif

/// Accepts connections on 127.0.0.1 and serves each on a dedicated thread, up to the limit.
///
/// Neither a client nor a lack of file descriptors or memory can end the listener: it waits and continues.
final class Listener: Sendable {
  private struct State {
    /// The open connections, with the time since which they have been idle or drained, if they are.
    var connections: [Int32: Int64?] = [:]
  }

  /// The address on which it listens.
  let port: UInt16
  private let socket: Int32
  private let limits: ServerLimits
  private let gateway: Gateway
  private let state = Lock(State())
  private let drain: Drain

  /// - Parameter port: the port; 0 selects a free one.
  init(port: UInt16, limits: ServerLimits, gateway: Gateway) throws {
    self.limits = limits
    self.gateway = gateway
    #if canImport(Glibc)
      socket = Glibc.socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
    #elseif canImport(Musl)
      socket = Musl.socket(AF_INET, Int32(SOCK_STREAM), 0)
    #else
      socket = Darwin.socket(AF_INET, SOCK_STREAM, 0)
    #endif
    guard socket >= 0 else { throw Problem("A socket can't be created") }
    var isReused: Int32 = 1
    setsockopt(socket, SOL_SOCKET, SO_REUSEADDR, &isReused, socklen_t(MemoryLayout<Int32>.size))
    var address = sockaddr_in()
    address.sin_family = sa_family_t(AF_INET)
    address.sin_port = port.bigEndian
    address.sin_addr.s_addr = UInt32(0x7F00_0001).bigEndian
    var size = socklen_t(MemoryLayout<sockaddr_in>.size)
    let socket = socket
    let isBound = withUnsafeMutablePointer(to: &address) {
      $0.withMemoryRebound(to: sockaddr.self, capacity: 1) {
        bind(socket, $0, size) == 0 && listen(socket, 128) == 0 && getsockname(socket, $0, &size) == 0
      }
    }
    guard isBound else {
      let problem = Problem("127.0.0.1:\(port) can't be listened on")
      close(socket)
      throw problem
    }
    self.port = UInt16(bigEndian: address.sin_port)
    drain = try Drain(limits: limits)
  }

  /// Starts to accept connections, until the process ends.
  ///
  /// - Throws: if the system can't start a thread.
  func start() throws {
    try drain.start { [self] in end($0) }
    let isStarted = ServerThread.start { [self] in
      while true { acceptNext() }
    }
    guard isStarted else { throw Problem("A thread can't be started") }
  }

  private func acceptNext() {
    waitForPeer()
    makeRoom()
    let connection = accept(socket, nil, nil)
    guard connection >= 0 else {
      switch errno {
      case EMFILE, ENFILE, ENOBUFS, ENOMEM:
        // The peer waits in the kernel's queue until another connection ends.
        closeLongestResting()
        usleep(Self.pause)
      case EINTR, ECONNABORTED: break
      default: usleep(10_000)
      }
      return
    }
    var isOn: Int32 = 1
    setsockopt(connection, Int32(IPPROTO_TCP), TCP_NODELAY, &isOn, socklen_t(MemoryLayout<Int32>.size))
    _ = fcntl(connection, F_SETFD, FD_CLOEXEC)
    #if canImport(Darwin)
      setsockopt(connection, SOL_SOCKET, SO_NOSIGPIPE, &isOn, socklen_t(MemoryLayout<Int32>.size))
    #endif
    state.withLock { $0.connections[connection] = .some(SocketStream.now) }
    // Without a thread, the connection is closed, so that its client can try again.
    if !ServerThread.start({ [self] in serve(connection) }) { end(connection) }
  }

  private func serve(_ socket: Int32) {
    var connection = Connection(socket: socket, limits: limits, gateway: gateway)
    let isToBeDrained = connection.serve { rests in
      state.withLock { $0.connections[socket] = .some(rests ? SocketStream.now : nil) }
    }
    guard isToBeDrained else { return end(socket) }
    // A connection that is drained still counts, and is closed like an idle one to make room.
    state.withLock { $0.connections[socket] = .some(SocketStream.now) }
    drain.take(socket)
  }

  /// Closes a connection. Holds the lock, so that a later connection with the same descriptor can't be shut
  /// down.
  private func end(_ connection: Int32) {
    state.withLock {
      $0.connections[connection] = nil
      _ = close(connection)
    }
  }

  /// The delay before an operation is retried, in microseconds.
  private static let pause: useconds_t = 10_000
  /// The time for which a connection may always be idle, in milliseconds, because a new one hasn't sent
  /// anything yet.
  private static let shortestRest: Int64 = 500

  private func waitForPeer() {
    var entry = pollfd(fd: socket, events: Int16(POLLIN), revents: 0)
    while poll(&entry, 1, -1) < 0, errno == EINTR {}
  }

  /// Waits until another connection can be accepted.
  private func makeRoom() {
    while state.withLock({ $0.connections.count }) >= limits.connections {
      closeLongestResting()
      usleep(Self.pause)
    }
  }

  /// Shuts down the connection that has been idle or drained longest. Its thread, or the drain, then closes
  /// it.
  private func closeLongestResting() {
    let latest = SocketStream.now - Self.shortestRest
    state.withLock { state in
      let resting = state.connections.compactMap { socket, since in since.map { (socket: socket, since: $0) }
      }
      guard let oldest = resting.min(by: { $0.since < $1.since }), oldest.since < latest else { return }
      if !drain.drop(oldest.socket) { shutdown(oldest.socket, Int32(SHUT_RDWR)) }
    }
  }

  /// The reason why the server can't listen.
  struct Problem: Error, CustomStringConvertible {
    let description: String

    init(_ what: String) { description = "\(what): \(String(cString: strerror(errno)))." }
  }
}
