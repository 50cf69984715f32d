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

  extension LoopbackServer.Request {
    /// Forwards the request to another server on this machine, over a new connection. Blocks until that server closes
    /// the connection.
    ///
    /// The fields `Connection` and `Content-Length` are replaced, and `Expect` is dropped, because the body follows at
    /// once (RFC 9110, sections 7.6.1, 8.6 and 10.1.1). All other fields are sent in their order.
    ///
    /// - Parameter port: the port of the server on 127.0.0.1.
    /// - Returns: the bytes of the response, including its head, in the form in which they were received. They are
    ///   incomplete if the connection broke.
    /// - Throws: ``LoopbackServer/Failure`` if the connection can't be opened, the request can't be written or the server
    ///   sends nothing.
    package func forwarded(to port: UInt16) throws -> Data {
      var text = "\(method) \(target) HTTP/1.1\r\n"
      let own = ["connection", "content-length", "expect"]
      for (name, value) in fields where !own.contains(name.lowercased()) { text += "\(name): \(value)\r\n" }
      text += "Content-Length: \(body.count)\r\nConnection: close\r\n\r\n"
      let response = try LoopbackServer.exchange(Data(text.utf8) + body, port: port)
      guard !response.isEmpty else { throw LoopbackServer.Failure() }
      return response
    }
  }

  extension LoopbackServer {
    /// Sends bytes to a port and returns everything that the peer sends until it closes the connection. Blocks.
    ///
    /// - Parameters:
    ///   - bytes: the bytes to send, all of them before the first is read.
    ///   - port: the port on 127.0.0.1.
    /// - Throws: ``LoopbackServer/Failure`` if the connection can't be opened or the bytes can't be written. An error
    ///   while reading ends the result.
    fileprivate static func exchange(_ bytes: Data, port: UInt16) throws -> Data {
      let connection = try connect(to: port)
      defer { _ = close(connection) }
      guard write(bytes, to: connection) else { throw Failure() }
      var answer = Data()
      while fill(&answer, from: connection) {}
      return answer
    }

    /// Opens a connection to a port of this machine. Blocks.
    ///
    /// - Parameter port: the port on 127.0.0.1.
    /// - Returns: the file descriptor, which the caller closes.
    /// - Throws: ``LoopbackServer/Failure`` if the connection can't be opened.
    static func connect(to port: UInt16) throws -> Int32 {
      var (connection, address) = try socket(port: port)
      let size = socklen_t(MemoryLayout<sockaddr_in>.size)
      let isConnected = withUnsafeMutablePointer(to: &address) { address in
        address.withMemoryRebound(to: sockaddr.self, capacity: 1) { address in
          #if canImport(Glibc)
            Glibc.connect(connection, address, size) == 0
          #elseif canImport(Musl)
            Musl.connect(connection, address, size) == 0
          #elseif canImport(Android)
            Android.connect(connection, address, size) == 0
          #else
            Darwin.connect(connection, address, size) == 0
          #endif
        }
      }
      guard isConnected else {
        defer { _ = close(connection) }
        throw Failure()
      }
      return connection
    }
  }
#endif
