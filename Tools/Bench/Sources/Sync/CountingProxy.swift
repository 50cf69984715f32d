import TenonFoundation

#if os(Linux)
  import Foundation
  import TenonCore

  /// Forwards connections to a server, and counts the bytes of both directions: those of TCP's streams,
  /// without its headers.
  final class CountingProxy: Sendable {
    /// The address as `host:port`.
    let address: String
    private let listener: Int32
    private let target: sockaddr_in
    private let count = Lock(0)

    /// Starts to accept connections on 127.0.0.1.
    ///
    /// - Parameter port: the port of the server on 127.0.0.1.
    init(to port: UInt16) throws {
      listener = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
      target = Loopback.address(port)
      guard let own = Loopback.listen(listener) else {
        throw ContenderFailed(description: "There is no port.")
      }
      address = "127.0.0.1:\(own)"
      Thread.detachNewThread { [self] in
        while case let client = accept(listener, nil, nil), client >= 0 { connect(client) }
      }
    }

    /// Returns the number of bytes since the last call.
    func take() -> Int {
      count.withLock { count in
        defer { count = 0 }
        return count
      }
    }

    /// Stops to accept connections. Those that exist continue.
    func end() { shutdown(listener, Int32(SHUT_RDWR)) }

    /// Connects a client with the server.
    private func connect(_ client: Int32) {
      let server = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
      var address = target
      let isConnected = withUnsafePointer(to: &address) { pointer in
        pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
          Glibc.connect(server, $0, socklen_t(MemoryLayout<sockaddr_in>.size)) == 0
        }
      }
      guard isConnected else {
        close(server)
        close(client)
        return
      }
      for end in [client, server] {
        var isOn: Int32 = 1
        setsockopt(end, Int32(IPPROTO_TCP), TCP_NODELAY, &isOn, socklen_t(MemoryLayout<Int32>.size))
      }
      // Closed by the direction that ends last.
      let open = Lock(2)
      for (from, to) in [(client, server), (server, client)] {
        Thread.detachNewThread { [self] in
          forward(from, to)
          guard
            open.withLock({
              $0 -= 1; return $0 == 0
            })
          else { return }
          close(from)
          close(to)
        }
      }
    }

    /// Forwards one direction to its end.
    private func forward(_ from: Int32, _ to: Int32) {
      var buffer = [UInt8](repeating: 0, count: 64 << 10)
      while case let received = recv(from, &buffer, buffer.count, 0), received > 0 {
        count.withLock { $0 += received }
        var sent = 0
        while sent < received {
          let part = buffer.withUnsafeBytes {
            send(to, $0.baseAddress.map { $0 + sent }, received - sent, Int32(MSG_NOSIGNAL))
          }
          guard part > 0 else {
            shutdown(from, Int32(SHUT_RD))
            return
          }
          sent += part
        }
      }
      shutdown(to, Int32(SHUT_WR))
    }
  }

  /// Addresses of 127.0.0.1.
  enum Loopback {
    static func address(_ port: UInt16) -> sockaddr_in {
      var address = sockaddr_in()
      address.sin_family = sa_family_t(AF_INET)
      address.sin_port = port.bigEndian
      address.sin_addr.s_addr = inet_addr("127.0.0.1")
      return address
    }

    /// Makes a socket listen on a free port, and returns it; `nil` if there is none.
    static func listen(_ socket: Int32) -> UInt16? {
      var address = address(0)
      var length = socklen_t(MemoryLayout<sockaddr_in>.size)
      let isListening = withUnsafeMutablePointer(to: &address) { pointer in
        pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { address in
          bind(socket, address, length) == 0 && Glibc.listen(socket, 128) == 0
            && getsockname(socket, address, &length) == 0
        }
      }
      return isListening ? UInt16(bigEndian: address.sin_port) : nil
    }

    /// Returns a port that is currently free; `nil` if there is none.
    static func freePort() -> UInt16? {
      let socket = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
      defer { close(socket) }
      return listen(socket)
    }
  }
#endif
