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
    /// Forwards the request to another server on this machine, over a new connection. Blocks until the
    /// response is complete according to its `Content-Length` or its last chunk, or that server closes the
    /// connection: Google's Firestore emulator keeps it open in spite of `Connection: close`.
    ///
    /// The fields `Connection` and `Content-Length` are replaced, and `Expect` is dropped, because the body
    /// follows immediately (RFC 9110, sections 7.6.1, 8.6 and 10.1.1). All other fields are sent in their
    /// order.
    ///
    /// - Parameter port: the port of the server on 127.0.0.1.
    /// - Returns: the bytes of the response, including its head, in the form in which they were received.
    ///   They are incomplete if the connection broke.
    /// - Throws: ``LoopbackServer/Failure`` if the connection can't be opened, the request can't be written
    ///   or the server sends nothing.
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
    /// Sends bytes to a port and returns what the peer sends until a response is complete or it closes the
    /// connection. Blocks.
    ///
    /// - Parameters:
    ///   - bytes: the bytes to send, all of them before the first is read.
    ///   - port: the port on 127.0.0.1.
    /// - Throws: ``LoopbackServer/Failure`` if the connection can't be opened or the bytes can't be written.
    ///   An error while reading ends the result.
    fileprivate static func exchange(_ bytes: Data, port: UInt16) throws -> Data {
      let connection = try connect(to: port)
      defer { _ = close(connection) }
      guard write(bytes, to: connection) else { throw Failure() }
      var answer = Data()
      while !isComplete(answer), fill(&answer, from: connection) {}
      return answer
    }

    /// Whether a response is complete according to its `Content-Length` or its last chunk; `false` if it has
    /// neither.
    private static func isComplete(_ response: Data) -> Bool {
      guard let end = response.range(of: Data("\r\n\r\n".utf8)) else { return false }
      let lines = String(decoding: response[..<end.lowerBound], as: UTF8.self).lowercased()
        .components(separatedBy: "\r\n")
      func value(_ name: String) -> String? {
        lines.first { $0.hasPrefix("\(name):") }
          .map { $0.dropFirst(name.utf8.count + 1).trimmingCharacters(in: .whitespaces) }
      }
      var rest = response[end.upperBound...]
      guard value("transfer-encoding") == "chunked" else {
        return value("content-length").flatMap { Int($0) }.map { rest.count >= $0 } ?? false
      }
      // The size of each chunk, its data, and the end of the line (RFC 9112, section 7.1).
      while let lineEnd = rest.range(of: Data("\r\n".utf8)) {
        let line = String(decoding: rest[..<lineEnd.lowerBound], as: UTF8.self)
        guard let size = Int(line, radix: 16), size >= 0, rest.count >= size else { return false }
        rest = rest[lineEnd.upperBound...].dropFirst(size)
        guard rest.count >= 2 else { return false }
        if size == 0 { return true }
        rest = rest.dropFirst(2)
      }
      return false
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
