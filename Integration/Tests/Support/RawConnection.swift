import Foundation
import TenonFoundation

#if canImport(Glibc)
  import Glibc
#elseif canImport(Darwin)
  import Darwin
#endif

/// A TCP connection to a server on this machine that sends exactly the given bytes, on a separate thread.
actor RawConnection {
  private let executor = QueueExecutor(label: "tests.raw-connection")
  nonisolated var unownedExecutor: UnownedSerialExecutor { executor.asUnownedSerialExecutor() }
  private let socket: Int32

  struct Failure: Error {}

  /// - Parameter address: the address as `127.0.0.1:port`.
  init(_ address: String) throws {
    guard let port = address.split(separator: ":").last.flatMap({ UInt16($0) }) else { throw Failure() }
    #if canImport(Glibc)
      socket = Glibc.socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
    #else
      socket = Darwin.socket(AF_INET, SOCK_STREAM, 0)
    #endif
    guard socket >= 0 else { throw Failure() }
    _ = fcntl(socket, F_SETFD, FD_CLOEXEC)
    var peer = sockaddr_in()
    peer.sin_family = sa_family_t(AF_INET)
    peer.sin_port = port.bigEndian
    peer.sin_addr.s_addr = UInt32(0x7F00_0001).bigEndian
    let size = socklen_t(MemoryLayout<sockaddr_in>.size)
    let isConnected = withUnsafeMutablePointer(to: &peer) { [socket] in
      $0.withMemoryRebound(to: sockaddr.self, capacity: 1) { connect(socket, $0, size) == 0 }
    }
    guard isConnected else {
      close(socket)
      throw Failure()
    }
  }

  deinit { close(socket) }

  func send(_ data: Data) throws {
    var rest = data
    while !rest.isEmpty {
      let count = rest.withUnsafeBytes { Glibc.send(socket, $0.baseAddress, $0.count, Int32(MSG_NOSIGNAL)) }
      if count < 0, errno == EINTR { continue }
      guard count > 0 else { throw Failure() }
      rest = rest.dropFirst(count)
    }
  }

  /// Ends the sending side.
  func finish() { shutdown(socket, Int32(SHUT_WR)) }

  /// Receives until the peer closes the connection, until `isEnough` returns `true`, or until nothing arrives
  /// for a time.
  func receive(timeout: Duration = .seconds(60), until isEnough: @Sendable (Data) -> Bool = { _ in false })
    -> Data
  {
    var received = Data()
    var piece = [UInt8](repeating: 0, count: 1 << 16)
    let milliseconds = Int32(timeout / .milliseconds(1))
    while !isEnough(received) {
      var entry = pollfd(fd: socket, events: Int16(POLLIN), revents: 0)
      guard poll(&entry, 1, milliseconds) > 0 else { break }
      let count = recv(socket, &piece, piece.count, 0)
      guard count > 0 else { break }
      received.append(contentsOf: piece[..<count])
    }
    return received
  }

  /// Sends a request and returns the response, after which the server must close the connection.
  static func exchange(_ text: String, with address: String) async throws -> String {
    let connection = try RawConnection(address)
    try await connection.send(Data(text.utf8))
    return String(decoding: await connection.receive(), as: UTF8.self)
  }
}
