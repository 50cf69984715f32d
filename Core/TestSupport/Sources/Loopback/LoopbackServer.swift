import TenonFoundation

#if !os(Windows)
  package import Foundation
  import TenonCore

  #if canImport(Glibc)
    import Glibc
  #elseif canImport(Musl)
    import Musl
  #elseif canImport(Android)
    import Android
  #elseif canImport(Darwin)
    import Darwin
  #endif

  /// An HTTP/1.1 server for tests on a free port of 127.0.0.1, with one thread per connection.
  ///
  /// A test defines the server's responses step by step, including behavior that no correct server has:
  /// pausing within a response, closing the connection early, never ending a body. The server runs until it
  /// is stopped or the test that started it ends, even if the test keeps only a URL. One that no test started
  /// runs until the process ends.
  ///
  /// A connection is kept open for further requests until the client sends `Connection: close`, a step ends
  /// it or the peer closes it (RFC 9112, section 9.3). Requests of one connection are answered one after
  /// another. The body of a request may have a `Content-Length` or be chunked; its size isn't limited. An
  /// incomplete request isn't answered.
  ///
  /// ```swift
  /// let gate = ThreadGate()
  /// let server = try LoopbackServer { _ in [.chunkedHead(), .chunk("a"), .wait(gate), .lastChunk] }
  /// let response = try await transport.stream(TransportRequest(.get, server.url("/")))
  /// gate.open()
  /// server.stop()
  /// ```
  package final class LoopbackServer: Sendable {
    /// A request that the server received.
    package struct Request: Sendable {
      /// The method, for example `GET`.
      package var method: String
      /// The request target: the path and the query.
      package var target: String
      /// The header fields, in order, without the white space around their values. A line without a colon is
      /// dropped.
      package var fields: [(name: String, value: String)]
      /// The body.
      package var body: Data

      /// Returns the value of the first field with a name, compared without regard to case, or `nil` if there
      /// is none.
      package func field(_ name: String) -> String? {
        fields.first { $0.name.lowercased() == name.lowercased() }?.value
      }
    }

    /// One step of a response. The server executes the steps in order.
    package enum Step: Sendable {
      /// Sends bytes.
      case bytes(Data)
      /// Blocks until the test opens the gate.
      case wait(ThreadGate)
      /// Pauses for a number of microseconds.
      case pause(microseconds: UInt32)
      /// Sends the same bytes every millisecond until the peer closes the connection. The pauses leave the
      /// processors to the other tests.
      case forever(Data)
      /// Closes the connection. Later steps are ignored.
      case hangUp
    }

    /// The state, which the threads of the connections share under the lock.
    private struct State {
      /// The requests so far, including those that are being answered.
      package var requests: [Request] = []
      /// The number of requests that are being answered.
      var answering = 0
      /// The callers of ``drained()`` that are waiting.
      var whenDrained: [CheckedContinuation<Void, Never>] = []
    }

    /// The port on 127.0.0.1.
    package let port: UInt16
    private let listener: SocketListener
    private let state = Lock(State())
    /// Returns the steps of the response to a request.
    private let answer: @Sendable (Request) -> [Step]

    /// Starts a server. When this returns, the port accepts connections.
    ///
    /// - Parameter answer: returns the steps of the response to a request. It runs on the thread of the
    ///   connection and may block.
    /// - Throws: ``Failure`` if the port can't be opened.
    package init(_ answer: @escaping @Sendable (Request) -> [Step]) throws {
      self.answer = answer
      let (socket, port) = try Self.listen()
      (listener, self.port) = (SocketListener(socket), port)
      listener.start { [self] connection in serve(connection) }
    }

    /// Stops accepting connections and shuts down all that are open. Threads that are executing a step end
    /// after it: a thread that waits at a gate does so until the test opens it. Returns without waiting for
    /// the threads. Further calls have no effect.
    package func stop() { listener.stop() }

    /// Returns the URL of a target on this server.
    ///
    /// - Parameters:
    ///   - target: the path and the query, beginning with a slash and with percent encoding where URLs
    ///     require it.
    ///   - host: the name of the host, for tests of origins; `127.0.0.1` by default.
    package func url(_ target: String, host: String = "127.0.0.1") -> URL {
      URL(string: "http://\(host):\(port)\(target)")!
    }

    /// The requests so far, in the order in which they were received.
    package var requests: [Request] { state.withLock { $0.requests } }

    /// Waits until no request is being answered. Connections may remain open. Returns immediately if there
    /// was no request.
    ///
    /// Cancelling the calling task doesn't end the wait.
    package func drained() async {
      await withCheckedContinuation { continuation in
        let isIdle = state.withLock { state in
          if state.answering == 0 { return true }
          state.whenDrained.append(continuation)
          return false
        }
        if isIdle { continuation.resume() }
      }
    }

    /// Answers the requests of one connection until it is closed. Runs on the thread of the connection, and
    /// blocks it.
    ///
    /// - Parameter connection: the file descriptor of the connection, which the listener closes afterwards.
    private func serve(_ connection: Int32) {
      var input = Data()
      var isOpen = true
      while isOpen, let request = Self.read(from: connection, &input) {
        state.withLock { state in
          state.requests.append(request)
          state.answering += 1
        }
        isOpen = answer(request).allSatisfy { perform($0, on: connection) }
        if request.field("Connection")?.lowercased() == "close" { isOpen = false }
        let waiters = state.withLock { state in
          state.answering -= 1
          guard state.answering == 0 else { return [CheckedContinuation<Void, Never>]() }
          defer { state.whenDrained = [] }
          return state.whenDrained
        }
        waiters.forEach { $0.resume() }
      }
    }

    /// Executes a step, on the thread of the connection. May block it.
    ///
    /// - Parameters:
    ///   - step: the step.
    ///   - connection: the file descriptor of the connection.
    /// - Returns: whether the connection remains open.
    private func perform(_ step: Step, on connection: Int32) -> Bool {
      switch step {
      case .bytes(let data): return Self.write(data, to: connection)
      case .wait(let gate): gate.pass()
      case .pause(let microseconds): usleep(microseconds)
      case .forever(let data):
        while Self.write(data, to: connection) { usleep(1_000) }
        return false
      case .hangUp: return false
      }
      return true
    }
  }

  // MARK: - Sockets

  extension LoopbackServer {
    /// An error of the operating system.
    package struct Failure: Error {
      /// The value of `errno` when the error was created.
      package let code = errno
    }

    /// Keeps a socket from the processes that tests start, which would hold a connection open that has ended
    /// here.
    static func closeOnExec(_ socket: Int32) { _ = fcntl(socket, F_SETFD, FD_CLOEXEC) }

    /// Creates a TCP socket and the address of a port on 127.0.0.1.
    ///
    /// - Parameter port: the port; 0 for a free one, which the system chooses when the socket is bound.
    /// - Returns: the file descriptor, which the caller closes, and the address in network byte order.
    /// - Throws: ``Failure`` if the system has no socket left.
    static func socket(port: UInt16) throws -> (Int32, sockaddr_in) {
      #if canImport(Glibc)
        let number = Glibc.socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
      #elseif canImport(Musl)
        let number = Musl.socket(AF_INET, Int32(SOCK_STREAM), 0)
      #elseif canImport(Android)
        let number = Android.socket(AF_INET, Int32(SOCK_STREAM), 0)
      #else
        let number = Darwin.socket(AF_INET, Int32(SOCK_STREAM), 0)
      #endif
      guard number >= 0 else { throw Failure() }
      closeOnExec(number)
      var address = sockaddr_in()
      address.sin_family = sa_family_t(AF_INET)
      address.sin_port = port.bigEndian
      address.sin_addr.s_addr = UInt32(0x7F00_0001).bigEndian
      return (number, address)
    }

    /// Opens a listening socket on a free port and returns its file descriptor and the port.
    ///
    /// Up to 1,024 connections, or fewer if the system's limit is lower, may wait to be accepted.
    ///
    /// - Throws: ``Failure`` if the system has no socket or port left.
    static func listen() throws -> (Int32, UInt16) {
      var (listener, address) = try socket(port: 0)
      var size = socklen_t(MemoryLayout<sockaddr_in>.size)
      let isBound = withUnsafeMutablePointer(to: &address) { address in
        address.withMemoryRebound(to: sockaddr.self, capacity: 1) { address in
          bind(listener, address, size) == 0 && getsockname(listener, address, &size) == 0
        }
      }
      #if canImport(Glibc)
        let isListening = isBound && Glibc.listen(listener, 1024) == 0
      #elseif canImport(Musl)
        let isListening = isBound && Musl.listen(listener, 1024) == 0
      #elseif canImport(Android)
        let isListening = isBound && Android.listen(listener, 1024) == 0
      #else
        let isListening = isBound && Darwin.listen(listener, 1024) == 0
      #endif
      guard isListening else {
        defer { _ = close(listener) }
        throw Failure()
      }
      return (listener, UInt16(bigEndian: address.sin_port))
    }

    /// Writes all bytes to a connection. Blocks. A closed connection raises no `SIGPIPE` on Linux.
    ///
    /// - Parameters:
    ///   - data: the bytes.
    ///   - connection: the file descriptor of the connection.
    /// - Returns: whether all bytes were written. If not, the peer has closed the connection or an error
    ///   occurred.
    static func write(_ data: Data, to connection: Int32) -> Bool {
      #if canImport(Darwin)
        let flags: Int32 = 0
      #else
        let flags = Int32(MSG_NOSIGNAL)
      #endif
      return data.withUnsafeBytes { bytes in
        var sent = 0
        while sent < bytes.count {
          let count = send(connection, bytes.baseAddress! + sent, bytes.count - sent, flags)
          guard count > 0 else { return false }
          sent += count
        }
        return true
      }
    }

    /// Reads the next bytes, up to 64 KiB, and appends them to a buffer. Blocks.
    ///
    /// - Returns: `false` if the peer has closed the connection or an error occurred.
    static func fill(_ input: inout Data, from connection: Int32) -> Bool {
      var buffer = [UInt8](repeating: 0, count: 65536)
      let count = recv(connection, &buffer, buffer.count, 0)
      guard count > 0 else { return false }
      input.append(contentsOf: buffer[..<count])
      return true
    }

    /// Reads the next request of a connection (RFC 9112). Blocks. `Expect: 100-continue` is answered before
    /// the body is read (RFC 9110, section 10.1.1).
    ///
    /// - Parameters:
    ///   - connection: the file descriptor of the connection.
    ///   - input: the bytes that were read after the previous request. The bytes of the request are removed
    ///     from it, and the rest belongs to the next request of the connection.
    /// - Returns: `nil` if the connection was closed or the request line doesn't have three parts. A missing
    ///   or malformed `Content-Length` counts as 0.
    static func read(from connection: Int32, _ input: inout Data) -> Request? {
      let separator = Data("\r\n\r\n".utf8)
      var end = input.range(of: separator)
      while end == nil {
        guard fill(&input, from: connection) else { return nil }
        end = input.range(of: separator)
      }
      guard let end else { return nil }
      let lines = String(decoding: input[..<end.lowerBound], as: UTF8.self).components(separatedBy: "\r\n")
      let start = lines[0].split(separator: " ")
      guard start.count == 3 else { return nil }
      let fields = lines.dropFirst().compactMap { line -> (name: String, value: String)? in
        guard let colon = line.firstIndex(of: ":") else { return nil }
        return (
          String(line[..<colon]), line[line.index(after: colon)...].trimmingCharacters(in: .whitespaces)
        )
      }
      input = Data(input[end.upperBound...])
      var request = Request(method: String(start[0]), target: String(start[1]), fields: fields, body: Data())
      if request.field("Expect") == "100-continue" {
        guard write(Data("HTTP/1.1 100 Continue\r\n\r\n".utf8), to: connection) else { return nil }
      }
      if request.field("Transfer-Encoding")?.lowercased() == "chunked" {
        guard let body = readChunks(from: connection, &input) else { return nil }
        request.body = body
        return request
      }
      let length = Int(request.field("Content-Length") ?? "0") ?? 0
      while input.count < length { guard fill(&input, from: connection) else { return nil } }
      request.body = Data(input.prefix(length))
      input = Data(input.dropFirst(length))
      return request
    }

    /// Reads a chunked body without trailer fields (RFC 9112, section 7.1).
    ///
    /// - Returns: `nil` if the connection was closed or a size is malformed.
    private static func readChunks(from connection: Int32, _ input: inout Data) -> Data? {
      let lineEnd = Data("\r\n".utf8)
      var body = Data()
      while true {
        var end = input.range(of: lineEnd)
        while end == nil {
          guard fill(&input, from: connection) else { return nil }
          end = input.range(of: lineEnd)
        }
        guard let end, let size = Int(String(decoding: input[..<end.lowerBound], as: UTF8.self), radix: 16)
        else {
          return nil
        }
        input = Data(input[end.upperBound...])
        while input.count < size + 2 { guard fill(&input, from: connection) else { return nil } }
        body += input.prefix(size)
        input = Data(input.dropFirst(size + 2))
        if size == 0 { return body }
      }
    }
  }
#endif
