import TenonFoundation

#if canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#elseif canImport(Darwin)
  import Darwin
#endif

/// Reads and discards what peers still send after their last response, on one thread for all connections.
///
/// Closing a connection earlier could destroy the response: the kernel answers unread bytes with a reset,
/// which may reach the peer before it has read the response (RFC 9112, section 9.6). The number of bytes and
/// the time are limited.
final class Drain: Sendable {
  /// The remaining allowance of a connection.
  private struct Allowance {
    var bytes: Int
    /// On the clock of ``SocketStream/now``.
    var end: Int64
    var stallsAt: Int64

    var deadline: Int64 { min(end, stallsAt) }
  }

  private let limits: ServerLimits
  private let allowances = Lock<[Int32: Allowance]>([:])
  /// Wakes the thread: one byte for each new connection.
  private let bell: (listening: Int32, ringing: Int32)

  init(limits: ServerLimits) throws {
    self.limits = limits
    var ends: [Int32] = [-1, -1]
    guard pipe(&ends) == 0 else { throw Listener.Problem("A pipe can't be created") }
    for end in ends {
      _ = fcntl(end, F_SETFD, FD_CLOEXEC)
      _ = fcntl(end, F_SETFL, O_NONBLOCK)
    }
    bell = (ends[0], ends[1])
  }

  /// Starts the thread, which runs until the process ends.
  ///
  /// - Parameter close: closes a connection that is drained or has exhausted its allowance.
  /// - Throws: if the system can't start it.
  func start(closing close: @escaping @Sendable (Int32) -> Void) throws {
    let isStarted = ServerThread.start { [self] in
      var buffer = [UInt8](repeating: 0, count: 64 << 10)
      while true { turn(&buffer, closing: close) }
    }
    guard isStarted else { throw Listener.Problem("A thread can't be started") }
  }

  /// Takes over a connection: shuts its sending side down, reads until its end, and closes it.
  func take(_ socket: Int32) {
    shutdown(socket, Int32(SHUT_WR))
    let now = SocketStream.now
    allowances.withLock {
      $0[socket] = Allowance(
        bytes: limits.drainBytes, end: now + limits.drainTime, stallsAt: now + limits.drainStall)
    }
    ring()
  }

  /// Stops draining a connection, to make room for another one.
  ///
  /// - Returns: whether the connection was being drained.
  func drop(_ socket: Int32) -> Bool {
    let isDrained = allowances.withLock { allowances in
      allowances[socket]?.end = .min
      return allowances[socket] != nil
    }
    if isDrained { ring() }
    return isDrained
  }

  private func ring() {
    let byte: [UInt8] = [0]
    // A full pipe wakes the thread as well.
    _ = write(bell.ringing, byte, byte.count)
  }

  /// Waits for any of the connections, and reads a chunk from each that has bytes.
  private func turn(_ buffer: inout [UInt8], closing close: (Int32) -> Void) {
    let (sockets, deadline) = allowances.withLock { (Array($0.keys), $0.values.map(\.deadline).min()) }
    var entries = [pollfd(fd: bell.listening, events: Int16(POLLIN), revents: 0)]
    entries += sockets.map { pollfd(fd: $0, events: Int16(POLLIN), revents: 0) }
    let now = SocketStream.now
    let wait = deadline.map { Int32(max($0, now) - now) } ?? -1
    guard poll(&entries, nfds_t(entries.count), wait) >= 0 else { return }
    if entries[0].revents != 0 { _ = read(bell.listening, &buffer, buffer.count) }
    for entry in entries.dropFirst() {
      var isEnded = false
      var count = 0
      if entry.revents != 0 {
        count = recv(entry.fd, &buffer, buffer.count, Int32(MSG_DONTWAIT))
        isEnded = count == 0 || (count < 0 && errno != EAGAIN && errno != EINTR)
      }
      if isEnded || isSpent(entry.fd, by: count) {
        allowances.withLock { $0[entry.fd] = nil }
        close(entry.fd)
      }
    }
  }

  /// Returns whether a connection has exhausted its allowance.
  private func isSpent(_ socket: Int32, by count: Int) -> Bool {
    let now = SocketStream.now
    return allowances.withLock { allowances in
      guard var allowance = allowances[socket] else { return false }
      if count > 0 {
        allowance.bytes -= count
        allowance.stallsAt = now + limits.drainStall
      }
      allowances[socket] = allowance
      return allowance.bytes <= 0 || allowance.deadline <= now
    }
  }
}
