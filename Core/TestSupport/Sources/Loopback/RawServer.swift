#if !os(Windows)
  package import Foundation

  #if canImport(Glibc)
    import Glibc
  #elseif canImport(Musl)
    import Musl
  #elseif canImport(Android)
    import Android
  #elseif canImport(Darwin)
    import Darwin
  #endif

  /// A server for tests that sends exactly the bytes that a test chooses, on a free port of 127.0.0.1 or on
  /// another socket, with one thread per connection. It parses nothing, so it can break every rule of HTTP.
  package final class RawServer: Sendable {
    /// The address on which a server listens.
    package enum Address: Sendable {
      /// A free port of 127.0.0.1.
      case loopback
      /// A free port of ::1.
      case loopback6
      /// A Unix domain socket.
      case unix(path: String)
    }

    /// A connection of a client. Its functions block, and are called on the connection's thread.
    package struct Connection: Sendable {
      fileprivate let descriptor: Int32

      /// Returns the next bytes, up to 64 KiB; `nil` when the client has closed the connection.
      package func read() -> Data? {
        var bytes = Data()
        return LoopbackServer.fill(&bytes, from: descriptor) ? bytes : nil
      }

      /// Reads up to the end of a request's head, and returns what was read; `nil` if the client has closed
      /// the connection before.
      package func readHead() -> Data? {
        var bytes = Data()
        while bytes.range(of: Data("\r\n\r\n".utf8)) == nil {
          guard LoopbackServer.fill(&bytes, from: descriptor) else { return nil }
        }
        return bytes
      }

      /// Reads the next request, including its body.
      ///
      /// - Parameter rest: the bytes that were read after the previous request; empty at first.
      /// - Returns: `nil` if the client has closed the connection, or if the request isn't HTTP.
      package func readRequest(_ rest: inout Data) -> LoopbackServer.Request? {
        LoopbackServer.read(from: descriptor, &rest)
      }

      /// Sends bytes.
      ///
      /// - Returns: whether all bytes were sent. If not, the client has closed the connection.
      @discardableResult
      package func write(_ bytes: Data) -> Bool { LoopbackServer.write(bytes, to: descriptor) }

      /// Sends text.
      @discardableResult
      package func write(_ text: String) -> Bool { write(Data(text.utf8)) }

      /// Waits until the client has closed the connection, and ignores what it sends.
      package func drain() { while read() != nil {} }

      /// Ends the sending side. The client may go on sending.
      package func finish() { _ = shutdown(descriptor, Int32(SHUT_WR)) }

      /// Makes ``read()`` return `nil`, also on another thread.
      package func endReading() { _ = shutdown(descriptor, Int32(SHUT_RD)) }

      /// Ends the connection immediately. Closing it may end it later: a process that is being started has a
      /// copy of each descriptor.
      package func shutDown() { _ = shutdown(descriptor, Int32(SHUT_RDWR)) }

      /// Makes closing the connection reset it, which discards what the client hasn't received.
      package func resetWhenClosed() {
        var linger = linger(l_onoff: 1, l_linger: 0)
        setsockopt(descriptor, SOL_SOCKET, SO_LINGER, &linger, socklen_t(MemoryLayout.size(ofValue: linger)))
      }
    }

    /// The port; 0 on a Unix domain socket.
    package let port: UInt16
    private let address: Address
    private let listener: SocketListener

    /// Starts a server.
    ///
    /// - Parameters:
    ///   - address: where to listen.
    ///   - serve: called for each connection, on its thread. The connection is closed when it returns.
    /// - Throws: `LoopbackServer.Failure` if the socket can't be opened.
    package init(
      at address: Address = .loopback, _ serve: @escaping @Sendable (Connection) -> Void
    ) throws {
      self.address = address
      let (socket, port) = try Self.listen(address)
      (listener, self.port) = (SocketListener(socket), port)
      listener.start { connection in serve(Connection(descriptor: connection)) }
    }

    /// The number of connections that were accepted.
    package var accepted: Int { listener.accepted }

    /// The number of connections that are open.
    package var open: Int { listener.open }

    /// Stops accepting connections, and shuts down those that are open. Further calls have no effect.
    package func stop() { listener.stop() }

    /// Returns the URL of a target on this server.
    ///
    /// - Parameters:
    ///   - target: the path and the query, beginning with a slash.
    ///   - scheme: the scheme; `http` by default.
    package func url(_ target: String, scheme: String = "http") -> URL {
      switch address {
      case .loopback: URL(string: "\(scheme)://127.0.0.1:\(port)\(target)")!
      case .loopback6: URL(string: "\(scheme)://[::1]:\(port)\(target)")!
      case .unix: URL(string: "\(scheme)://localhost\(target)")!
      }
    }

    /// Opens a listening socket, and returns it with its port.
    private static func listen(_ address: Address) throws -> (Int32, UInt16) {
      switch address {
      case .loopback: return try LoopbackServer.listen()
      case .loopback6:
        var name = sockaddr_in6()
        name.sin6_family = sa_family_t(AF_INET6)
        name.sin6_addr = in6addr_loopback
        let listener = try listen(AF_INET6, &name)
        var size = socklen_t(MemoryLayout.size(ofValue: name))
        withUnsafeMutablePointer(to: &name) { name in
          name.withMemoryRebound(to: sockaddr.self, capacity: 1) { _ = getsockname(listener, $0, &size) }
        }
        return (listener, UInt16(bigEndian: name.sin6_port))
      case .unix(let path):
        var name = sockaddr_un()
        name.sun_family = sa_family_t(AF_UNIX)
        guard path.utf8.count < MemoryLayout.size(ofValue: name.sun_path) else {
          throw LoopbackServer.Failure()
        }
        withUnsafeMutableBytes(of: &name.sun_path) { $0.copyBytes(from: path.utf8) }
        return (try listen(AF_UNIX, &name), 0)
      }
    }

    /// Opens a listening socket at an address of any family.
    private static func listen<Name>(_ family: Int32, _ name: inout Name) throws -> Int32 {
      #if canImport(Glibc)
        let listener = socket(family, Int32(SOCK_STREAM.rawValue), 0)
      #else
        let listener = socket(family, SOCK_STREAM, 0)
      #endif
      LoopbackServer.closeOnExec(listener)
      let size = socklen_t(MemoryLayout<Name>.size)
      let isBound = withUnsafeMutablePointer(to: &name) { name in
        name.withMemoryRebound(to: sockaddr.self, capacity: 1) { bind(listener, $0, size) == 0 }
      }
      guard listener >= 0, isBound, Self.listen(listener) else {
        defer { _ = close(listener) }
        throw LoopbackServer.Failure()
      }
      return listener
    }

    private static func listen(_ listener: Int32) -> Bool {
      #if canImport(Glibc)
        Glibc.listen(listener, 1024) == 0
      #elseif canImport(Musl)
        Musl.listen(listener, 1024) == 0
      #elseif canImport(Android)
        Android.listen(listener, 1024) == 0
      #else
        Darwin.listen(listener, 1024) == 0
      #endif
    }
  }
#endif
