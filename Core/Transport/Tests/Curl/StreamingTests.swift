import TenonFoundation

#if os(Linux)
  import Foundation
  import TenonCore
  import TenonTestSupport
  import TenonTesting
  import TenonTransport
  import TenonTransportInterop
  import Testing

  @Suite(.limited)
  struct StreamingTests {
    let transport = CurlTransport()

    /// Waits until a number of bytes, which is no longer zero, hasn't changed for a moment, or is larger than
    /// what buffers hold.
    private func settled(_ count: () -> Int) async throws -> Int {
      var last = 0
      try await eventually {
        try await Task.sleep(for: .milliseconds(200))
        let now = count()
        defer { last = now }
        return now > 0 && (now == last || now > 256 << 20)
      }
      return last
    }

    // MARK: - Responses

    /// What the server can send while the reader reads nothing is limited by the buffers of the two sockets
    /// and of the transport.
    @Test func slowReaderStopsTheSender() async throws {
      let sent = Lock(0)
      let server = try RawServer { connection in
        _ = connection.readHead()
        connection.write("HTTP/1.1 200 OK\r\n\r\n")
        let chunk = Data(count: 1 << 16)
        while connection.write(chunk) { sent.withLock { $0 += chunk.count } }
      }
      let response = try await transport.stream(TransportRequest(.get, server.url("/")))
      let last = try await settled { sent.withLock { $0 } }
      #expect(last < 16 << 20)
      var received = 0
      for try await chunk in response.body {
        received += chunk.count
        if received > last + 8 << 20 { break }
      }
      #expect(sent.withLock { $0 } > last)
    }

    /// In a separate process, because other tests use memory at the same time.
    @Test func largeResponseAddsLittleMemory() async {
      await #expect(processExitsWith: .success) {
        let size = 1 << 30
        let server = try RawServer { connection in
          let chunk = Data(count: 1 << 20)
          while connection.readHead() != nil {
            connection.write("HTTP/1.1 200 OK\r\nContent-Length: \(size)\r\n\r\n")
            for _ in 0..<(size >> 20) { guard connection.write(chunk) else { return } }
          }
        }
        let transport = CurlTransport()
        let before = try ProcessState.residentPeak(reset: true)
        var received = 0
        for try await chunk in try await transport.stream(TransportRequest(.get, server.url("/"))).body {
          received += chunk.count
        }
        guard received == size, try ProcessState.residentPeak() - before < 32 << 20 else { exit(2) }
      }
    }

    /// The reader waits while the bytes and the end of the connection arrive together, in most of the rounds.
    @Test func bytesBeforeAFailureAreReceived() async throws {
      let size = 200_000
      let gates = (0..<20).map { _ in ThreadGate() }
      let next = Lock(gates[...])
      let server = try RawServer { connection in
        _ = connection.readHead()
        connection.write("HTTP/1.1 200 OK\r\nContent-Length: \(size + 1)\r\n\r\n")
        next.withLock { $0.removeFirst() }.pass()
        connection.write(Data(count: size))
      }
      for gate in gates {
        let response = try await transport.stream(TransportRequest(.get, server.url("/")))
        let received = Lock(0)
        async let error = #expect(throws: TransportError.self) {
          for try await chunk in response.body { received.withLock { $0 += chunk.count } }
        }
        gate.open()
        #expect(await error?.code == .connectionLost)
        #expect(received.withLock { $0 } == size)
      }
    }

    /// The transport uses memory again only when its reader has released it.
    @Test func pieceIsTheReadersOwn() async throws {
      let content = Data((0..<(4 << 20)).map { UInt8(truncatingIfNeeded: $0 % 251) })
      let server = try RawServer { connection in
        _ = connection.readHead()
        connection.write("HTTP/1.1 200 OK\r\nContent-Length: \(content.count)\r\n\r\n")
        connection.write(content)
      }
      var kept: [Data] = []
      for try await piece in try await transport.stream(TransportRequest(.get, server.url("/"))).body {
        kept.append(piece)
      }
      var isUnchanged = kept.reduce(into: Data()) { $0 += $1 } == content
      #expect(isUnchanged)
      for index in kept.indices { kept[index].append(contentsOf: [1, 2, 3]) }
      isUnchanged = kept.reduce(into: Data()) { $0 += $1.dropLast(3) } == content
      #expect(isUnchanged)
      #expect(kept.allSatisfy { $0.suffix(3).elementsEqual([1, 2, 3]) })
    }

    // MARK: - Requests

    @Test(arguments: [nil, 3_000_000] as [Int64?], [70_001, 61])
    func streamIsSentAsBody(length: Int64?, chunkSize: Int) async throws {
      let received = Lock(Data())
      let server = try RawServer { connection in
        guard var bytes = connection.readHead() else { return }
        while !bytes.suffix(7).elementsEqual("END\r\n\r\n".utf8), !bytes.suffix(3).elementsEqual("END".utf8) {
          guard let more = connection.read() else { return }
          bytes += more
          if bytes.suffix(12).elementsEqual("END\r\n0\r\n\r\n".utf8.suffix(12)) { break }
          if bytes.suffix(5).elementsEqual("0\r\n\r\n".utf8) { break }
        }
        received.withLock { $0 = bytes }
        connection.write("HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok")
      }
      let content = Data((0..<2_999_997).map { UInt8(truncatingIfNeeded: $0 % 251) | 1 }) + Data("END".utf8)
      let chunks = AsyncThrowingStream<Data, any Error> { continuation in
        var rest = content
        while !rest.isEmpty {
          continuation.yield(rest.prefix(chunkSize))
          rest = rest.dropFirst(chunkSize)
        }
        continuation.yield(Data())
        continuation.finish()
      }
      let request = TransportRequest(
        .post, server.url("/"), body: .stream(chunks, length: length), deadline: .seconds(30))
      #expect(try await transport.send(request).body == Data("ok".utf8))
      let bytes = received.withLock { $0 }
      let head = String(decoding: bytes.prefix(400), as: UTF8.self)
      if length != nil {
        #expect(head.contains("Content-Length: 3000000\r\n"))
        #expect(bytes.suffix(content.count) == content)
      } else {
        #expect(head.contains("Transfer-Encoding: chunked\r\n"))
      }
    }

    /// A server that reads nothing stops the stream that provides the body.
    @Test func slowServerStopsTheProducer() async throws {
      let gate = ThreadGate()
      defer { gate.open() }
      let server = try RawServer { _ in gate.pass() }
      let produced = Lock(0)
      let chunks = AsyncThrowingStream<Data, any Error>(unfolding: {
        produced.withLock { $0 += 1 << 16 }
        return Data(count: 1 << 16)
      })
      let call = Task {
        try await transport.send(TransportRequest(.put, server.url("/"), body: .stream(chunks, length: nil)))
      }
      let last = try await settled { produced.withLock { $0 } }
      #expect(last < 16 << 20)
      call.cancel()
      await #expect(throws: CancellationError.self) { try await call.value }
    }

    @Test func largeRequestAddsLittleMemory() async {
      await #expect(processExitsWith: .success) {
        let size = 1 << 30
        let server = try RawServer { connection in
          guard let head = connection.readHead() else { return }
          let start = head.range(of: Data("\r\n\r\n".utf8))?.upperBound ?? 0
          var count = head.count - start
          while count < size, let bytes = connection.read() { count += bytes.count }
          connection.write("HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok")
        }
        let sent = Lock(0)
        let chunks = AsyncThrowingStream<Data, any Error>(unfolding: {
          sent.withLock { sent in
            defer { sent += 1 << 18 }
            return sent < size ? Data(count: 1 << 18) : nil
          }
        })
        let before = try ProcessState.residentPeak(reset: true)
        let request = TransportRequest(.put, server.url("/"), body: .stream(chunks, length: Int64(size)))
        let status = try await CurlTransport().send(request).status
        guard status == 200, try ProcessState.residentPeak() - before < 32 << 20 else { exit(2) }
      }
    }

    private struct Failure: Error {}

    @Test func failureOfTheStreamEndsTheRequest() async throws {
      let server = try RawServer { $0.drain() }
      let chunks = AsyncThrowingStream<Data, any Error> { continuation in
        continuation.yield(Data(count: 10))
        continuation.finish(throwing: Failure())
      }
      let request = TransportRequest(.post, server.url("/"), body: .stream(chunks, length: nil))
      let error = await #expect(throws: TransportError.self) { try await transport.send(request) }
      #expect(error?.code == .invalidRequest)
      #expect(error?.underlying is Failure)
    }

    @Test(arguments: [9, 11] as [Int64])
    func streamOfAnotherLengthIsAnInvalidRequest(length: Int64) async throws {
      let server = try RawServer { $0.drain() }
      let chunks = AsyncThrowingStream<Data, any Error> { continuation in
        continuation.yield(Data(count: 10))
        continuation.finish()
      }
      let request = TransportRequest(.post, server.url("/"), body: .stream(chunks, length: length))
      await expect(.invalidRequest) { try await transport.send(request) }
    }

    @Test func fileThatShrinksIsAnInvalidRequest() async throws {
      let file = FileManager.default.temporaryDirectory.appending(path: "tenon-\(UUID()).bin")
      defer { try? FileManager.default.removeItem(at: file) }
      try Data(count: 32 << 20).write(to: file)
      let server = try RawServer { connection in
        _ = connection.readHead()
        truncate(file.path, 1_000)
        connection.drain()
      }
      await expect(.invalidRequest) {
        try await transport.send(TransportRequest(.put, server.url("/"), body: .file(file)))
      }
    }

    @Test func streamIsNotSentTwice() async throws {
      let server = try LoopbackServer { _ in [.redirect(307, to: "/again")] }
      let chunks = AsyncThrowingStream<Data, any Error> { continuation in
        continuation.yield(Data(count: 10))
        continuation.finish()
      }
      let request = TransportRequest(.post, server.url("/"), body: .stream(chunks, length: 10))
      await expect(.invalidResponse) { try await transport.send(request) }
      #expect(server.requests.count == 1)
    }

    // MARK: - Progress

    @Test func progressIsReportedEvery256KiB() async throws {
      let server = try LoopbackServer.echo()
      let size = 5 << 20
      let reports = Lock<[HTTPProgress]>([])
      let request = TransportRequest(.put, server.url("/"), body: .data(Data(count: size))) { progress in
        reports.withLock { $0.append(progress) }
      }
      _ = try await transport.send(request)
      let all = reports.withLock { $0 }
      let steps = zip([HTTPProgress()] + all, all).map { $1.sent - $0.sent + $1.received - $0.received }
      #expect(steps.allSatisfy { (1...(256 << 10)).contains($0) })
      let total = Int64(size)
      #expect(
        all.last == HTTPProgress(sent: total, totalToSend: total, received: total, totalToReceive: total))
      #expect(all.contains { $0.sent == total && $0.received == 0 })
    }
  }
#endif
