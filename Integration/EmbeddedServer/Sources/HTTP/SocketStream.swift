import TenonFoundation

#if canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#elseif canImport(Darwin)
  import Darwin
#endif

/// The bytes of a connection, read and written by the thread that owns it. Every wait has a time limit.
struct SocketStream {
  let socket: Int32
  /// The bytes that were received and not consumed.
  private(set) var buffer = Data()

  /// The peer closed the connection, or a time limit has passed.
  enum Interruption: Error {
    case closed
    case timedOut
  }

  init(_ socket: Int32) { self.socket = socket }

  /// The time of a monotonic clock in milliseconds.
  static var now: Int64 {
    var time = timespec()
    clock_gettime(CLOCK_MONOTONIC, &time)
    return Int64(time.tv_sec) * 1_000 + Int64(time.tv_nsec) / 1_000_000
  }

  /// Waits for bytes and appends them to the buffer.
  ///
  /// - Parameter deadline: on the clock of ``now``.
  mutating func fill(until deadline: Int64) throws {
    try wait(for: POLLIN, until: deadline)
    var piece = [UInt8](repeating: 0, count: 64 << 10)
    let count = recv(socket, &piece, piece.count, Int32(MSG_DONTWAIT))
    if count < 0, errno == EINTR || errno == EAGAIN { return }
    guard count > 0 else { throw Interruption.closed }
    if buffer.startIndex > 0 { buffer = Data(buffer) }
    buffer.append(contentsOf: piece[..<count])
  }

  /// Removes and returns up to `count` bytes of the buffer.
  mutating func take(_ count: Int) -> Data {
    let taken = Data(buffer.prefix(count))
    // Advances an index instead of copying the rest, which would make many small chunks expensive.
    buffer = buffer.dropFirst(taken.count)
    return taken
  }

  /// Writes all bytes.
  ///
  /// - Parameter stall: the time for which the peer may receive nothing, in milliseconds.
  func write(_ data: Data, stall: Int64) throws {
    var position = 0
    while position < data.count {
      try wait(for: POLLOUT, until: Self.now + stall)
      let count = data.withUnsafeBytes { bytes in
        send(socket, bytes.baseAddress.map { $0 + position }, data.count - position, Self.flags)
      }
      if count < 0, errno == EINTR || errno == EAGAIN { continue }
      guard count > 0 else { throw Interruption.closed }
      position += count
    }
  }

  /// Returns whether the peer has closed its side, while nothing is read.
  var isAbandoned: Bool {
    var events = pollfd(fd: socket, events: Int16(POLLIN), revents: 0)
    guard poll(&events, 1, 0) > 0 else { return false }
    var byte: UInt8 = 0
    return recv(socket, &byte, 1, Int32(MSG_PEEK) | Int32(MSG_DONTWAIT)) == 0
      || events.revents & Int16(POLLERR) != 0
  }

  private func wait(for events: Int32, until deadline: Int64) throws {
    while true {
      let left = deadline - Self.now
      guard left > 0 else { throw Interruption.timedOut }
      var entry = pollfd(fd: socket, events: Int16(events), revents: 0)
      let count = poll(&entry, 1, Int32(min(left, 60_000)))
      if count > 0 { return }
      guard count == 0 || errno == EINTR else { throw Interruption.closed }
    }
  }

  /// Writing to a connection that the peer closed must not end the process with SIGPIPE.
  #if canImport(Darwin)
    private static let flags = Int32(MSG_DONTWAIT)
  #else
    private static let flags = Int32(MSG_NOSIGNAL) | Int32(MSG_DONTWAIT)
  #endif
}
